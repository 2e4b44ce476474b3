/* SPDX-License-Identifier: MIT */
/*
 * How long blocks that another thread freed wait until the thread of their instance takes them
 * back: no event records it, but readings of the node on the way show the bytes that it still had.
 */
#ifndef CSC_WAIT_H
#define CSC_WAIT_H

#include "follow.h"
#include "player.h"
#include "reading.h"
#include "replay.h"
#include "start_state.h"

/*
 * Periods of the schedules of a comparison or a search, as multiples of the mean wait.  The first
 * is twice that: what comes at any time waits for half a period.  A node under load is far from
 * what one without is (0.2 s measured), hence factors of 16.
 */
extern const double wait_periods[REPLAYS_MAX];

/*
 * Replays as recorded, with `options`, and finds the mean wait in ns, 0: it is not known, as there
 * are fewer than FOLLOW_READINGS readings.  The recording is decoded (decoded.h), as `start` is.
 */
enum csc_status wait_find(struct recording *recording, const struct csc_options *options,
		uint64_t limit_bytes, const struct start_state *start,
		const struct readings *readings, int64_t *ret_wait_ns, struct diag *diag);

/* player_run() with all readings beside it; `listener` as follow_begin() has it. */
enum csc_status wait_run_followed(struct player *player, struct recording *recording,
		const struct readings *readings, const struct follow_listener *listener,
		int64_t *ret_wait_ns, struct diag *diag);

#endif
