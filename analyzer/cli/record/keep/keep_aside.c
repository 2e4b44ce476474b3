/*
 * SPDX-License-Identifier: MIT
 */
#include "keep_aside.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"

enum { TURN_MS = 5000 };

enum csc_status keep_aside(enum csc_status (*work)(void *context, struct diag *diag), void *context,
		void (*meanwhile)(void *context), void *meanwhile_context, struct diag *diag)
{
	struct pollfd says = { .fd = -1, .events = POLLIN };
	pid_t own = getpid();
	int ends[2];
	int status = 0;
	pid_t child;

	(void)fflush(stdout);
	if (pipe2(ends, O_CLOEXEC) != 0) {
		return work(context, diag);
	}
	child = fork();
	if (child == 0) {
		enum csc_status done;

		process_end_with(own);
		done = work(context, diag);
		_exit(write(ends[1], diag->text, strlen(diag->text)) < 0 || done != CSC_OK);
	}
	(void)close(ends[1]);
	if (child < 0) {
		(void)close(ends[0]);
		return work(context, diag);
	}
	says.fd = ends[0];
	while (poll(&says, 1, TURN_MS) <= 0) {
		meanwhile(meanwhile_context);
	}
	if (read(ends[0], diag->text, sizeof(diag->text) - 1) < 0) {
		diag->text[0] = '\0';
	}
	(void)close(ends[0]);
	return waitpid(child, &status, 0) == child && status == 0 ? CSC_OK : CSC_ERROR;
}
