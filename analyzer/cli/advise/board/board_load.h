/*
 * SPDX-License-Identifier: MIT
 *
 * A workload like that of a board's runtime, made of what its log has: how much of each kind of
 * memory there was, and which request ended it.
 *
 * What is kept grows until the log's figures are reached after BOARD_LOAD_GROWTH operations, and at
 * the same rate from then on.  A few process heaps grow to the size that could not be had, again
 * and again (or blocks of that size come and go, if it was no heap); small heaps, binaries, heap
 * fragments and packets of the network come and go.  Sizes within a kind are assumed.
 */
#ifndef CSC_ADVISE_BOARD_LOAD_H
#define CSC_ADVISE_BOARD_LOAD_H

#include "board.h"
#include "board_case.h"

/* Operations of the load until what is kept is as much as in the log. */
#define BOARD_LOAD_GROWTH UINT64_C(60000)

struct board_load {
	/* What the board itself takes from its heap before the runtime starts, in bytes. */
	double system_bytes;

	/* In blocks of the runtime: when the load begins, and at the log's failure. */
	double start_bytes;
	double end_bytes;

	/* Blocks that are made before the load begins. */
	uint64_t start_operations;
};

/* Refuses a log whose figures cannot be those of this board: `diag` has why. */
enum csc_status board_load_plan(const struct board_case *found, const struct board *board,
		struct board_load *ret_load, struct diag *diag);

/*
 * The workload's text (workload.h) with so many operations of the load; the caller frees it.  NULL:
 * no memory.
 */
char *board_load_text(const struct board_case *found, const struct board *board,
		const struct board_load *load, uint64_t seed, uint64_t operations);

#endif
