/*
 * SPDX-License-Identifier: MIT
 *
 * Who is dead: a process that has ended, reaped or not, and none that only has the same pid; and
 * what a killed process noted.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "mark.h"
#include "note.h"
#include "scratch.h"

/* A child that tells its mark and waits to be killed; `has_note`: it has a note. */
static pid_t start_child(bool has_note, char ret_mark[static MARK_BYTES])
{
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		struct note note = { .kind = NOTE_RECORDS };

		(void)snprintf(note.node, sizeof(note.node), "node");
		(void)snprintf(note.trace, sizeof(note.trace), "/nowhere/trace");
		mark_own(note.mark);
		if (has_note) {
			note_begin(&note);
		}
		if (write(ends[1], note.mark, MARK_BYTES) == MARK_BYTES) {
			(void)pause();
		}
		_exit(1);
	}
	(void)close(ends[1]);
	assert_int_equal(read(ends[0], ret_mark, MARK_BYTES), MARK_BYTES);
	(void)close(ends[0]);
	return pid;
}

static void kill_child(pid_t pid)
{
	siginfo_t ended;

	assert_int_equal(kill(pid, SIGKILL), 0);
	/* A zombie from here on. */
	assert_int_equal(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT), 0);
}

static void test_mark(void **state)
{
	char mark[MARK_BYTES];
	char other[2 * MARK_BYTES];
	pid_t pid = start_child(false, mark);

	(void)state;
	assert_int_equal(mark_pid(mark), pid);
	assert_true(mark_is_here(mark));
	assert_false(mark_is_dead(mark));

	/* The same pid, but a process that began at another time. */
	(void)snprintf(other, sizeof(other), "%d-7%s", (int)pid, strrchr(mark, '-'));
	assert_true(mark_is_dead(other));

	/* Of another machine or container nothing is known. */
	(void)snprintf(other, sizeof(other), "%.*s-00000001", (int)(strrchr(mark, '-') - mark),
			mark);
	assert_false(mark_is_here(other));
	assert_false(mark_is_dead(other));

	kill_child(pid);
	assert_true(mark_is_dead(mark));
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(mark_is_dead(mark));
}

static void test_no_mark(void **state)
{
	static const char *const texts[] = { "", "12345", "1-2", "-1-2-00000003", "1-2-3",
		"1-2-00000003x", "1-2-00000003/../x", "99999999999-1-00000001" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(mark_pid(texts[i]), 0);
		assert_false(mark_is_dead(texts[i]));
	}
}

static void count_note(struct note *note, void *context)
{
	char *seen = context;

	assert_string_equal(note->node, "node");
	assert_string_equal(note->trace, "/nowhere/trace");
	assert_int_equal(note->kind, NOTE_RECORDS);
	(void)strncat(seen, note->mark, MARK_BYTES);
	note_end(note);
}

static void test_note(void **state)
{
	struct scratch scratch;
	char mark[MARK_BYTES];
	char seen[2 * MARK_BYTES] = "";
	char folder[128];
	pid_t pid;

	(void)state;
	assert_true(scratch_open(&scratch, "mark"));
	assert_int_equal(setenv("LTTNG_HOME", scratch.folder, 1), 0);
	pid = start_child(true, mark);
	note_each_dead(count_note, seen);
	assert_string_equal(seen, "");
	kill_child(pid);
	note_each_dead(count_note, seen);
	assert_string_equal(seen, mark);
	(void)waitpid(pid, NULL, 0);

	/* The folder of notes goes with the last one. */
	(void)snprintf(folder, sizeof(folder), "%s/.carrierscope", scratch.folder);
	assert_int_not_equal(access(folder, F_OK), 0);
	scratch_close(&scratch);
}

/* What is there already, where the note would lie: it is not used. */
static void assert_not_used(const char *folder)
{
	struct note note = { .kind = NOTE_ASKS };

	note_begin(&note);
	assert_int_not_equal(strncmp(note.path, folder, strlen(folder)), 0);
	note_end(&note);
}

/* A folder that others may enter, and a link, are not used. */
static void test_foreign_folder(void **state)
{
	struct scratch scratch;
	char folder[128];

	(void)state;
	assert_true(scratch_open(&scratch, "mark"));
	assert_int_equal(setenv("LTTNG_HOME", scratch.folder, 1), 0);
	(void)snprintf(folder, sizeof(folder), "%s/.carrierscope", scratch.folder);
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(chmod(folder, 0777), 0);
	assert_not_used(folder);
	assert_int_equal(chmod(folder, 0711), 0);
	assert_not_used(folder);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(symlink(scratch.folder, folder), 0);
	assert_not_used(folder);
	assert_int_equal(unlink(folder), 0);
	scratch_close(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mark),
		cmocka_unit_test(test_no_mark),
		cmocka_unit_test(test_note),
		cmocka_unit_test(test_foreign_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
