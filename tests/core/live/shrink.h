/* SPDX-License-Identifier: MIT */
/*
 * Runs a drawing on the live runtime and on the core and compares; a drawing that differs is made
 * as small as it can be.
 */
#ifndef CSC_LIVE_SHRINK_H
#define CSC_LIVE_SHRINK_H

#include <stdbool.h>
#include <stdio.h>

#include "draw.h"
#include "runtime.h"

enum verdict {
	VERDICT_EQUAL,
	VERDICT_DIFFERS,
	/* One side could not be run. */
	VERDICT_TROUBLE,
};

struct comparison {
	/* Lines that are equal. */
	size_t lines;
	/* The first that is not, of both sides; or a sentence. */
	char expected[256];
	char got[256];
};

/* `lie`: the core gets another rmbcmt and asbcst, which must not stay unseen. */
enum verdict compare_live(struct drawing *drawing, const struct runtime_shared *shared, bool lie,
		struct comparison *ret_comparison);

/* Takes operations away from `drawing` as long as it still differs. */
void shrink(struct drawing *drawing, const struct runtime_shared *shared, bool lie);

/* Prints the drawing as an operation file. */
void print_drawing(const struct drawing *drawing, FILE *out);

#endif
