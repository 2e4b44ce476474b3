/* SPDX-License-Identifier: MIT */
/*
 * Runs an operation file on the core over a scripted target and prints what happened, as the
 * golden cases expect it.
 */
#ifndef CSC_OPRUN_H
#define CSC_OPRUN_H

#include <stdio.h>

#include "diag.h"
#include "emit.h"
#include "opfile.h"

/* A further listener of the core, and where the figures at the end go. */
struct oprun_witness {
	/* Borrowed; NULL: nobody. */
	struct csc_listener *other;

	/* Borrowed: in the shape of `erlang:system_info({allocator, A})`; may be NULL. */
	FILE *statistics;
};

/* `witness` may be NULL.  Returns CSC_ERROR if the case could not be run to its end. */
enum csc_status oprun(const struct opfile *opfile, FILE *out, const struct oprun_witness *witness,
		struct diag *diag);

#endif
