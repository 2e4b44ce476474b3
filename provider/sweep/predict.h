/* SPDX-License-Identifier: MIT */
/*
 * What settings make of a recording, as ranges: over schedules, and wider by what the replay with
 * the recorded options has missed of the node.
 */
#ifndef CSC_PREDICT_H
#define CSC_PREDICT_H

#include "sweep.h"

/* In bytes. */
struct sweep_range {
	double low;
	/* On the usual schedule. */
	double likely;
	double high;
};

struct sweep_prediction {
	struct sweep_range peak[SWEEP_ROWS];
	struct sweep_range end[SWEEP_ROWS];
	struct sweep_range average[SWEEP_ROWS];

	/* On the usual schedule. */
	struct sweep_result usual;
};

/*
 * Plays each set of flags on all schedules worth it; `plain` is the result of no flags, on the
 * usual schedule, NULL if the flags are none.  One that fails, or is not begun, ends all: `diag`.
 */
enum csc_status sweep_predict(struct sweep *sweep, const char *const *flags, size_t count,
		const struct sweep_result *plain, struct sweep_prediction *ret_predictions,
		struct diag *diag);

/*
 * Whether a recording may be judged by replays at all: nothing was lost, and the replay without
 * flags has most of the node's carriers.
 */
enum csc_status sweep_judge(
		const struct sweep *sweep, const struct sweep_result *plain, struct diag *diag);

/* Below this share of the node's carriers nothing is predicted. */
#define SWEEP_LEAST_COVERAGE 0.8

#endif
