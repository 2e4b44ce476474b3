/* SPDX-License-Identifier: MIT */
/*
 * What a replay is right about: its blocks and carriers beside those that were recorded, or beside
 * a node's own counters.  It checks the core and the replay, not a user's node: carrierscope replay
 * and carrierscope advise are for those.
 */
#ifndef CSC_REPLAY_CHECK_H
#define CSC_REPLAY_CHECK_H

#include <stdio.h>

#include "compare.h"
#include "replay.h"

enum check_result {
	CHECK_DONE,
	/* `diag` says why. */
	CHECK_FAILED,
	/* Nothing was lost, and yet the blocks are not those of the recording; or a figure of the
	 * node is outside of its bounds. */
	CHECK_DIFFERS,
};

struct check_request {
	struct replay_request replay;

	/* For all carriers, in bytes; 0: no limit but that of the player. */
	uint64_t limit_bytes;

	/* Where the statistics of the last replay (of a comparison, the first) go, as terms; NULL:
	 * nowhere. */
	const char *stats_path;

	/* Of a comparison: how often, each time on another schedule, 1 to REPLAYS_MAX; where the
	 * first replay beside all readings goes, as CSV (follow_csv.h), NULL: nowhere. */
	int replays;
	const char *follow_path;
	bool has_instances;
	enum compare_format format;
};

/* The result of a replay. */
struct check_outcome {
	struct runtime_use use[CSC_ALLOCATORS];
	struct player_counts counts;
	struct address_space_figures space;
};

/* Replays all of a decoded recording, with the flags of the request if `has_flags`. */
enum csc_status check_play(const struct check_request *request, struct recording *recording,
		bool has_flags, struct check_outcome *ret_outcome, struct diag *diag);

/* Opens the statistics' file, writes it and closes it; `path` NULL: nothing. */
enum csc_status check_write_terms(
		const char *path, const struct runtime *runtime, struct diag *diag);

/* Replays as recorded, and once more with the flags if there are any, and prints a table. */
enum check_result check_recording(
		const struct check_request *request, FILE *out, struct diag *diag);

/*
 * Replays what passed between two readings of the node's own counters, and prints these beside
 * those of the replay (compare.h).  The flags, if any, are in force in it.
 */
enum check_result check_node(const struct check_request *request, FILE *out, struct diag *diag);

#endif
