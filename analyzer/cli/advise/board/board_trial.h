/*
 * SPDX-License-Identifier: MIT
 *
 * A board's load with other settings: each run in a process of its own, since the heap lies at the
 * board's addresses.
 */
#ifndef CSC_ADVISE_BOARD_TRIAL_H
#define CSC_ADVISE_BOARD_TRIAL_H

#include "board_load.h"

/* One run. */
struct board_run {
	/* Weak: words with spaces between, after those of the log; "": as the log has them. */
	const char *flags;

	/* The port asks for carriers of k units this number of bytes smaller; 0: as the board. */
	uint64_t trim_bytes;
	uint64_t seed;

	/* Of the load. */
	uint64_t operations;
};

struct board_outcome {
	/* Why it could not be run, if it was not. */
	struct diag diag;
	bool is_done;

	/* It did all of its operations; else what it could not have. */
	bool is_alive;
	uint64_t asked_bytes;

	/* Operations of the load that were done. */
	uint64_t operations;

	/* Of the heap, at the end. */
	uint64_t used_bytes;
	uint64_t free_bytes;
	uint64_t free_largest;
	uint64_t hole_bytes;

	/* Carriers, and most of them. */
	uint64_t carriers_bytes;
	uint64_t peak_bytes;
};

/* What runs share; weak. */
struct board_trial {
	const struct board_case *found;
	const struct board *board;
	const struct board_load *load;
	const struct csc_generation *generation;

	/* Processes at a time; 0: one for each processor. */
	uint32_t workers;
};

/* Whether the runtime takes these flags after those of the log. */
enum csc_status board_trial_check(
		const struct board_trial *trial, const char *flags, struct diag *diag);

/* Runs all; fills as many outcomes. */
enum csc_status board_trial_run(const struct board_trial *trial, const struct board_run *runs,
		size_t count, struct board_outcome *ret_outcomes, struct diag *diag);

#endif
