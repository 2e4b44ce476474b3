/*
 * SPDX-License-Identifier: MIT
 */
#include "record_answer.h"

#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "command.h"
#include "files.h"
#include "lttng.h"
#include "process.h"
#include "visible.h"

/* A database takes as much as its trace, or a little more. */
enum { ROOMS_OF_TRACE = 2, LEAST_ROOM = 1 << 20 };

static enum csc_status run_self(char *const words[], int *ret_status, struct diag *diag)
{
	fflush(stdout);
	return process_show(words, ret_status, diag);
}

/* What differs from an older recording; a difference is no failure. */
static enum csc_status compare(const char *old, char *database, struct diag *diag)
{
	char program[] = "/proc/self/exe";
	char diff[] = "diff";
	int status = 0;

	enum csc_status result;

	fputs("Compared with ", stdout);
	visible_print(stdout, old, VISIBLE_CELL);
	putchar('\n');
	result = run_self((char *[]){ program, diff, (char *)old, database, NULL }, &status, diag);
	putchar('\n');
	return result;
}

/* Whether a database of a trace may find room beside it. */
static bool has_room(const char *trace)
{
	struct statvfs about;

	return statvfs(trace, &about) != 0 ||
			(uint64_t)about.f_bavail * about.f_frsize >=
			ROOMS_OF_TRACE * lttng_folder_bytes(trace) + LEAST_ROOM;
}

/* By the commands that a user would type. */
int record_answer(const struct record_result *result, bool *ret_is_loaded)
{
	char program[] = "/proc/self/exe";
	char load[] = "load";
	char output[] = "-o";
	char quiet[] = "-q";
	char report[] = "report";
	char force[] = "-f";
	char option[] = "--mode";
	char mode[FILES_MODE_BYTES];
	char *database = (char *)result->database;
	char *trace = (char *)result->trace;
	struct diag diag = { 0 };
	int status = 0;

	*ret_is_loaded = false;
	if (lttng_folder_bytes(trace) == 0) {
		command_print("nothing was recorded: it ended before the first event");
		files_remove_tree(trace);
		return EXIT_FAILED;
	}
	files_write_mode(mode);
	if (run_self((char *[]){ program, load, quiet, output, database, option, mode, trace,
				     result->is_forced ? force : NULL, NULL },
			    &status, &diag) != CSC_OK) {
		return command_fail(&diag);
	}
	if (status != EXIT_DONE) {
		if (has_room(trace)) {
			command_print("the trace stays in '%s'", trace);
		} else {
			files_remove_tree(trace);
		}
		return EXIT_FAILED;
	}
	*ret_is_loaded = true;
	/* Before anybody may end this: it is not loaded again. */
	if (!result->keeps_trace) {
		files_remove_tree(trace);
	}
	if (result->compared && compare(result->compared, database, &diag) != CSC_OK) {
		return command_fail(&diag);
	}
	/* What comes last stays in sight. */
	if (run_self((char *[]){ program, report, database, NULL }, &status, &diag) != CSC_OK) {
		return command_fail(&diag);
	}
	return status;
}
