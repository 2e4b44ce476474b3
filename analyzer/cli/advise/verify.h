/*
 * SPDX-License-Identifier: MIT
 *
 * Whether a prediction has come true.
 */
#ifndef CSC_VERIFY_H
#define CSC_VERIFY_H

#include <stddef.h>

#include "sweep.h"

/* All weak. */
struct verify_request {
	/* The recording that flags were advised for, and what else is asked of every recording. */
	const struct sweep_request *source;

	/* Other recordings with its flags, and recordings with the advised flags: at least one. */
	const char *const *before;
	size_t before_count;
	const char *const *after;
	size_t after_count;
	bool is_json;
};

/*
 * Compares what was advised with recordings made with the advised flags, and with the node's own
 * noise: how far recordings with the same flags differ, where there are several.  Prints all;
 * yields the exit status: 0 as predicted, 1 more memory than predicted or a saving within the
 * noise, or that it cannot be compared.
 */
int verify(const struct verify_request *request);

#endif
