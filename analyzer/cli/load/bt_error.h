/*
 * SPDX-License-Identifier: MIT
 *
 * Babeltrace's chain of causes as one sentence.
 */
#ifndef CSC_CAUSES_H
#define CSC_CAUSES_H

#include "diag.h"

/*
 * Takes the error of the current thread, if there is one, and records "<what>: <its
 * innermost cause>", without the addresses that Babeltrace puts in.
 */
enum csc_status causes_fail(struct diag *diag, const char *what, const char *subject);

/* Forgets the error of the current thread. */
void causes_clear(void);

#endif
