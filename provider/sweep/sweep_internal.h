/* SPDX-License-Identifier: MIT */
/* A sweep, for sweep.c and workers.c. */
#ifndef CSC_SWEEP_INTERNAL_H
#define CSC_SWEEP_INTERNAL_H

#include "reading.h"
#include "replay.h"
#include "start_state.h"
#include "sweep.h"

struct sweep {
	struct replay_request request;
	struct recording *recording;
	struct sweep_facts facts;
	uint32_t workers;
	uint64_t budget_bytes;

	/* If facts.has_readings. */
	struct readings readings;
	struct start_state start;

	/* How long blocks that another thread freed waited on average (wait.h); 0: not known. */
	int64_t wait_ns;

	/* What the node had at its first reading that a replay without flags has not. */
	int64_t base_bytes[SWEEP_ROWS];
};

/* Of the monotonic clock, which deadlines are of. */
int64_t sweep_clock_ns(void);

/* One replay, in this process. */
enum csc_status sweep_play(struct sweep *sweep, const struct sweep_job *job,
		struct sweep_result *ret_result, struct diag *diag);

#endif
