/*
 * SPDX-License-Identifier: MIT
 *
 * Long output on a terminal.
 */
#ifndef CSC_PAGER_H
#define CSC_PAGER_H

#include <stdio.h>

/*
 * Begins PAGER (less, if there is one), which gets what is written.  NULL: standard output is no
 * terminal or a dumb one, there is no pager, or PAGER is empty or cat.
 */
FILE *pager_open(void);

/* Waits until the user has read it.  That they did not read all is no error. */
void pager_close(FILE *pager);

#endif
