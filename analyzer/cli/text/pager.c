/*
 * SPDX-License-Identifier: MIT
 */
#include "pager.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
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

FILE *pager_open(void)
{
	const char *command = find_command();

	if (!command) {
		return NULL;
	}
	/* What fits on the screen stays there; colours are shown; lines are not folded. */
	(void)setenv("LESS", "FRSX", 0);
	(void)signal(SIGPIPE, SIG_IGN);
	fflush(stdout);
	return popen(command, "w");
}

void pager_close(FILE *pager)
{
	/* Ctrl-C is the pager's. */
	(void)signal(SIGINT, SIG_IGN);
	(void)pclose(pager);
	(void)signal(SIGINT, SIG_DFL);
}
