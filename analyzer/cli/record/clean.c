/*
 * SPDX-License-Identifier: MIT
 */
#include "clean.h"

#include <stdio.h>
#include <sys/stat.h>

#include "command.h"
#include "keep_left.h"
#include "left.h"
#include "record_answer.h"

/* The next name that is free: RUN.db, RUN.db-2.db, ... */
static void choose_database(const char *wanted, char *ret_database, size_t bytes)
{
	struct stat about;

	(void)snprintf(ret_database, bytes, "%s", wanted);
	for (int i = 2; lstat(ret_database, &about) == 0; i++) {
		(void)snprintf(ret_database, bytes, "%s-%d.db", wanted, i);
	}
}

static void judge(struct note *note, void *context)
{
	char database[NOTE_PATH_BYTES + 16];
	const struct record_result result = { .database = database, .trace = note->trace };
	int *status = context;
	bool is_loaded;

	if (note->kind != NOTE_RECORDS) {
		if (!keep_left_judge(note)) {
			*status = EXIT_FAILED;
		}
		return;
	}
	if (!left_has_trace(note)) {
		left_remove(note);
		return;
	}
	choose_database(note->target, database, sizeof(database));
	if (record_answer(&result, &is_loaded) != EXIT_DONE) {
		*status = EXIT_FAILED;
	}
	/* What cannot be loaded was said. */
	note_end(note);
}

int record_clean(void)
{
	int status = EXIT_DONE;

	(void)printf("%u sessions of ended recorders were ended\n", left_end());
	(void)fflush(stdout);
	note_each_dead(judge, &status);
	return status;
}
