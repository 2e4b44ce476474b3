/* SPDX-License-Identifier: MIT */
/*
 * A node's own counters beside those of a replay of its blocks.
 *
 * The replay begins with what was there at the first whole reading (prefill.h) and ends where the
 * last one began.  What it says of an allocator is the node's figure at the first reading and what
 * the replay has changed since; the node's figure of the last reading is what it is held against.
 *
 * Blocks follow from the calls.  Carriers also from what is not recorded: when threads took back
 * what others had freed, and where carriers lie.  Replays on other schedules show what that can do.
 */
#ifndef CSC_COMPARE_H
#define CSC_COMPARE_H

#include <stdio.h>

#include "player.h"
#include "start_state.h"

enum compare_figure {
	COMPARE_BLOCKS,
	COMPARE_BLOCK_BYTES,
	COMPARE_CARRIERS,
	COMPARE_CARRIER_BYTES,
	COMPARE_FIGURES,
};

/* How a figure of the replay is known. */
enum compare_known {
	COMPARE_EXACT,
	COMPARE_BOUND,
	COMPARE_ESTIMATE,
};

enum compare_verdict {
	/* Of an instance, of a figure without bounds, of a node that ran other flags: no judgement.
	 */
	COMPARE_NONE,
	COMPARE_AGREES,
	COMPARE_DIFFERS,
};

struct compare_row {
	/* CSC_ALLOCATORS: of all that are recorded. */
	enum csc_allocator allocator;

	/* -1: of all instances. */
	int32_t instance;
	enum compare_figure figure;
	enum compare_known known;
	enum compare_verdict verdict;

	/* At the last reading. */
	int64_t node;
	int64_t replayed;

	/*
	 * What the node may say if the replay is right: what the schedules came to, wider by what
	 * passed while the node was read.  INT64_MIN and INT64_MAX: no bounds.
	 */
	int64_t low;
	int64_t high;

	/* By how much it was widened at each end: of carriers; 0 otherwise. */
	int64_t tolerance;

	/* Why the two may differ; "" if they do not. */
	char why[320];
};

struct comparison {
	struct compare_row *rows;
	size_t count;

	/* Rows were judged, and the node's figure is outside of the bounds of one. */
	bool is_judged;
	bool differs;
};

/* Figures of all instances of a replay. */
struct compare_state {
	struct csc_statistics (*instances)[READING_INSTANCES];
	struct runtime_use allocators[CSC_ALLOCATORS];
};

enum csc_status compare_take_state(
		const struct player *player, struct compare_state *ret_state, struct diag *diag);
void compare_finish_state(struct compare_state *state);

/* Of all replays of a comparison: what each has changed of each figure, least and most. */
struct compare_spread {
	int replays;
	int64_t low[CSC_ALLOCATORS][COMPARE_FIGURES];
	int64_t high[CSC_ALLOCATORS][COMPARE_FIGURES];
};

/* Adds a replay. */
void compare_widen(struct compare_spread *spread, const struct compare_state *before,
		const struct compare_state *after);

struct compare_request {
	const struct readings *readings;
	const struct start_state *start;
	const struct recording_facts *facts;
	const struct csc_options *options;

	/* After the prefill and at the end. */
	const struct compare_state *before;
	const struct compare_state *after;
	const struct compare_spread *spread;
	const struct player_counts *counts;
	bool has_instances;

	/* What the replay ran with and the node did not; none: it is judged. */
	char **flags;
	int flag_count;

	/* How long blocks that another thread freed waited on average (follow.h); 0: not known. */
	int64_t wait_ns;
};

enum csc_status compare_rows(const struct compare_request *request,
		struct comparison *ret_comparison, struct diag *diag);
void compare_finish(struct comparison *comparison);

enum compare_format {
	COMPARE_TEXT,
	COMPARE_CSV,
	COMPARE_JSON,
};

void compare_print(const struct comparison *comparison, const struct compare_request *request,
		enum compare_format format, FILE *out);

#endif
