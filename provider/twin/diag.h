/* SPDX-License-Identifier: MIT */
/*
 * The first failure, as a sentence.  Filled by whoever saw it; the first one stays.
 */
#ifndef CSC_TWIN_DIAG_H
#define CSC_TWIN_DIAG_H

#include <stdbool.h>

struct diag {
	char sentence[512];
	bool is_set;
};

/* Returns false, so that a failing function can end with it. */
bool diag_fail(struct diag *diag, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
