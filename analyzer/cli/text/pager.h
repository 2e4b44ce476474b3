/*
 * SPDX-License-Identifier: MIT
 *
 * Long output on a terminal.
 */
#ifndef CSC_PAGER_H
#define CSC_PAGER_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct pager {
	/* What is written here is shown; NULL: there is no pager. */
	FILE *stream;
	pid_t pid;
};

/*
 * Begins PAGER (less, if there is one).  There is none where standard output is no terminal or a
 * dumb one, or PAGER is empty or cat.
 */
struct pager pager_open(void);

/* Waits until the user has read it, or no longer wants to.  False: it could not be run. */
bool pager_close(struct pager *pager);

#endif
