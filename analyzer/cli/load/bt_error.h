/*
 * SPDX-License-Identifier: MIT
 *
 * Babeltrace's chain of causes as one sentence.
 */
#ifndef CSC_BT_ERROR_H
#define CSC_BT_ERROR_H

#include "diag.h"

/*
 * Takes the error of the current thread, if there is one, and records "<what>: <its
 * innermost cause>", without the addresses that Babeltrace puts in.
 */
enum csc_status bt_error_fail(struct diag *diag, const char *what, const char *subject);

/* Forgets the error of the current thread. */
void bt_error_clear(void);

#endif
