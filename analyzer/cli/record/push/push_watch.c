/*
 * SPDX-License-Identifier: MIT
 */
#include "push_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"
#include "push.h"

/* A line of the process: a mark and an answer, or why there are no more. */
enum { MARK_ANSWER = '+', MARK_FAILED = '-' };

static volatile sig_atomic_t is_never;

static void send_line(int to, char mark, const char *text)
{
	char line[NODE_ANSWER_BYTES + 2];
	int length = snprintf(line, sizeof(line), "%c%.*s\n", mark, NODE_ANSWER_BYTES - 1, text);

	/* Where nobody reads it, SIGPIPE ends this process. */
	(void)!write(to, line, (size_t)length);
}

static void hand_over(void *context, const char *answer)
{
	const int *to = context;

	send_line(*to, MARK_ANSWER, answer);
}

static void go_on(int to, const struct record_node *node, const struct push_order *order)
{
	const struct push_request request = { .node = node,
		.order = *order,
		.trace = "",
		.is_interrupted = &is_never,
		.answer = hand_over,
		.context = &to };
	struct push_result result;
	struct diag diag = { 0 };

	if (push_read(&request, &result, &diag) != CSC_OK) {
		send_line(to, MARK_FAILED, diag.text);
	}
}

enum csc_status push_watch_begin(struct push_watch *watch, const struct record_node *node,
		const struct push_order *order, struct diag *diag)
{
	pid_t parent = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0) {
		return DIAG_FAIL(diag, "cannot make a pipe: %s", strerror(errno));
	}
	watch->pid = fork();
	if (watch->pid == 0) {
		(void)signal(SIGINT, SIG_IGN);
		(void)signal(SIGPIPE, SIG_DFL);
		process_end_with(parent);
		(void)close(ends[0]);
		go_on(ends[1], node, order);
		_exit(0);
	}
	(void)close(ends[1]);
	watch->from = ends[0];
	watch->length = 0;
	if (watch->pid < 0) {
		watch->pid = 0;
		(void)close(ends[0]);
		return DIAG_FAIL(diag, "cannot start a process: %s", strerror(errno));
	}
	return CSC_OK;
}

/* The last line that has ended, without its line feed; NULL: none has.  What is behind it is kept.
 */
static const char *last_line(struct push_watch *watch, char *ret_line)
{
	char *end = memrchr(watch->bytes, '\n', watch->length);
	const char *begin;
	size_t rest;

	if (!end) {
		return NULL;
	}
	*end = '\0';
	begin = memrchr(watch->bytes, '\n', (size_t)(end - watch->bytes));
	begin = begin ? begin + 1 : watch->bytes;
	(void)snprintf(ret_line, NODE_ANSWER_BYTES, "%.*s", NODE_ANSWER_BYTES - 1, begin);
	rest = watch->length - (size_t)(end + 1 - watch->bytes);
	memmove(watch->bytes, end + 1, rest);
	watch->length = rest;
	return ret_line;
}

enum csc_status push_watch_read(struct push_watch *watch, char ret_answer[static NODE_ANSWER_BYTES],
		struct diag *diag)
{
	for (;;) {
		char line[NODE_ANSWER_BYTES];
		ssize_t count = read(watch->from, watch->bytes + watch->length,
				sizeof(watch->bytes) - watch->length);

		if (count < 0 && errno == EINTR) {
			return DIAG_FAIL(diag, "interrupted");
		}
		if (count <= 0) {
			return DIAG_FAIL(diag, "the node gives no more readings");
		}
		watch->length += (size_t)count;
		if (!last_line(watch, line)) {
			/* Longer than any of ours. */
			watch->length = watch->length == sizeof(watch->bytes) ? 0 : watch->length;
			continue;
		}
		if (*line != MARK_ANSWER) {
			return DIAG_FAIL(diag, "%s", line + (*line != '\0'));
		}
		(void)snprintf(ret_answer, NODE_ANSWER_BYTES, "%s", line + 1);
		return CSC_OK;
	}
}

void push_watch_end(struct push_watch *watch)
{
	if (watch->pid > 0) {
		(void)kill(watch->pid, SIGTERM);
		(void)close(watch->from);
		while (waitpid(watch->pid, NULL, 0) < 0 && errno == EINTR) {
		}
		watch->pid = 0;
	}
}
