/*
 * SPDX-License-Identifier: MIT
 *
 * Two recorders at once: the second waits, says for whom and how long at most, and goes on when the
 * first is done.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon.h"

/* Has its turn until the other end of `until` is closed. */
static pid_t start_holder(const int held[2], const int until[2])
{
	pid_t pid = fork();
	char byte = '!';
	int turn;

	if (pid != 0) {
		return pid;
	}
	(void)close(until[1]);
	turn = daemon_take_turn();
	if (turn < 0 || write(held[1], &byte, 1) != 1 || read(until[0], &byte, 1) != 0) {
		_exit(1);
	}
	daemon_leave_turn(turn);
	_exit(0);
}

static pid_t start_waiting(const int said[2], const int until[2])
{
	pid_t pid = fork();

	if (pid != 0) {
		return pid;
	}
	(void)close(until[1]);
	if (dup2(said[1], STDERR_FILENO) < 0) {
		_exit(1);
	}
	_exit(daemon_take_turn() >= 0 ? 0 : 1);
}

static void ends_well(pid_t pid)
{
	int status = 1;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void who_waits_says_for_whom(void **state)
{
	int held[2] = { -1, -1 };
	int until[2] = { -1, -1 };
	int said[2] = { -1, -1 };
	char wanted[64];
	char line[256] = "";
	size_t length = 0;
	pid_t holder;
	pid_t waiting;

	(void)state;
	assert_true(pipe(held) == 0 && pipe(until) == 0 && pipe(said) == 0);
	holder = start_holder(held, until);
	assert_true(holder > 0);
	assert_int_equal(read(held[0], line, 1), 1);
	waiting = start_waiting(said, until);
	assert_true(waiting > 0);
	(void)close(said[1]);
	while (length + 1 < sizeof(line) && read(said[0], line + length, 1) == 1 &&
			line[length] != '\n') {
		length++;
	}
	line[length] = '\0';
	(void)snprintf(wanted, sizeof(wanted), "waiting for the recorder of pid %d,", (int)holder);
	assert_non_null(strstr(line, wanted));
	assert_non_null(strstr(line, "28 s more at most"));
	(void)close(until[1]);
	ends_well(holder);
	ends_well(waiting);
	(void)close(held[0]);
	(void)close(held[1]);
	(void)close(until[0]);
	(void)close(said[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_waits_says_for_whom),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
