/* SPDX-License-Identifier: MIT */
/*
 * Runs an operation file on the core over a scripted target and prints what happened, as the
 * golden cases expect it.
 */
#ifndef CSC_OPRUN_H
#define CSC_OPRUN_H

#include <stdbool.h>
#include <stdio.h>

#include "opfile.h"
#include "trouble.h"

/* A listener that is asked before each operation what it wants. */
struct oprun_witness {
	/* Weak. */
	void *context;

	/* Puts itself before `listener`, of a case whose allocator has this name and type. */
	const struct csc_listener *(*join)(void *context, const struct csc_listener *listener,
			const char *allocator, uint32_t type);
	void (*refresh)(void *context);

	/* Where the figures at the end go, as `erlang:system_info({allocator, A})`; may be NULL. */
	FILE *statistics;
};

/*
 * `witness`, which may be NULL, hears what the core says, too.  False: the case could not be run to
 * its end; `trouble` says why.
 */
bool oprun(const struct opfile *opfile, FILE *out, const struct oprun_witness *witness,
		struct trouble *trouble);

#endif
