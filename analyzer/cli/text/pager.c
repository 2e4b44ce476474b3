/*
 * SPDX-License-Identifier: MIT
 */
#include "pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *find_command(void)
{
	const char *pager = getenv("PAGER");
	const char *term = getenv("TERM");

	if (!isatty(STDOUT_FILENO) || !term || strcmp(term, "dumb") == 0) {
		return NULL;
	}
	if (pager) {
		return *pager && strcmp(pager, "cat") != 0 ? pager : NULL;
	}
	return access("/usr/bin/less", X_OK) == 0 ? "less" : NULL;
}

/* Runs it by a shell, as other programs do, with `input` as its standard input. */
static pid_t start(const char *command, int input)
{
	char shell[] = "/bin/sh";
	char option[] = "-c";
	char *const words[] = { shell, option, (char *)command, NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid = 0;

	if (posix_spawn_file_actions_init(&actions) != 0) {
		return 0;
	}
	if (posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) != 0 ||
			posix_spawn(&pid, shell, &actions, NULL, words, environ) != 0) {
		pid = 0;
	}
	(void)posix_spawn_file_actions_destroy(&actions);
	return pid;
}

struct pager pager_open(void)
{
	struct pager pager = { 0 };
	const char *command = find_command();
	int ends[2];

	if (!command || pipe2(ends, O_CLOEXEC) != 0) {
		return pager;
	}
	/* What fits on the screen stays there; colours are shown; lines are not folded. */
	(void)setenv("LESS", "FRSX", 0);
	(void)fflush(stdout);
	pager.pid = start(command, ends[0]);
	(void)close(ends[0]);
	pager.stream = pager.pid > 0 ? fdopen(ends[1], "w") : NULL;
	if (pager.stream) {
		(void)signal(SIGPIPE, SIG_IGN);
	} else {
		(void)close(ends[1]);
	}
	return pager;
}

bool pager_close(struct pager *pager)
{
	/* What a shell ends with if there is no such program. */
	enum { NOT_FOUND = 127 };
	int status = 0;

	/* Ctrl-C is the pager's. */
	(void)signal(SIGINT, SIG_IGN);
	(void)fclose(pager->stream);
	while (waitpid(pager->pid, &status, 0) < 0 && errno == EINTR) {
	}
	(void)signal(SIGINT, SIG_DFL);
	return !(WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND);
}
