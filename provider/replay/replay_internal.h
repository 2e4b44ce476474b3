/* SPDX-License-Identifier: MIT */
/* One whole replay, for replay.c and trial.c. */
#ifndef CSC_REPLAY_INTERNAL_H
#define CSC_REPLAY_INTERNAL_H

#include "player.h"
#include "recording.h"
#include "replay.h"

/* The result of a replay. */
struct outcome {
	struct runtime_use use[CSC_ALLOCATORS];

	/* By allocator: most bytes of carriers after a call. */
	uint64_t peak_bytes[CSC_ALLOCATORS];
	struct player_counts counts;
	struct address_space_figures space;
};

/* The options of the recording, with the flags of the request if `has_flags`, settled. */
enum csc_status replay_settle(const struct replay_request *request,
		const struct recording *recording, bool has_flags, struct csc_options *ret_options,
		struct diag *diag);

/* Replays all of it.  `stats_path` may be NULL. */
enum csc_status replay_play(const struct replay_request *request, struct recording *recording,
		bool has_flags, uint32_t burst, const char *stats_path, struct outcome *ret_outcome,
		struct diag *diag);

/* Calls after which all threads pass in the replays of a comparison or a trial; the first is
 * REPLAY_BURST. */
extern const uint32_t replay_bursts[REPLAYS_MAX];

#endif
