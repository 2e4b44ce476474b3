/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope advise BOARD.log --board NAME`: which settings would have kept a board alive.
 */
#ifndef CSC_ADVISE_BOARD_H
#define CSC_ADVISE_BOARD_H

#include <stddef.h>

#include "sweep.h"

/* All weak. */
struct board_request {
	/* The log, its release if it is said, and how many processes at a time. */
	const struct sweep_request *source;

	/* A name or the path of a board file. */
	const char *board;

	/* The user's own sets of flags. */
	char *const *own;
	size_t own_count;
	bool is_json;
};

/* Yields the exit status: EXIT_LOSS if the log does not allow an answer. */
int board_advise(const struct board_request *request);

#endif
