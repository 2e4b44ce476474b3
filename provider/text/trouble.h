/* SPDX-License-Identifier: MIT */
/*
 * The first failure, as a sentence.  Filled by whoever saw it; the first one stays.
 */
#ifndef CSC_TROUBLE_H
#define CSC_TROUBLE_H

#include <stdbool.h>

struct trouble {
	char sentence[512];
	bool is_set;
};

/* Returns false, so that a failing function can end with it. */
bool trouble_fail(struct trouble *trouble, const char *format, ...)
		__attribute__((format(printf, 2, 3)));

#endif
