/* SPDX-License-Identifier: MIT */
/*
 * What settings make of a recording, as ranges: over schedules, wider by what the replay with the
 * recorded options has missed of the node, and with other flags by what predictions of measured
 * nodes were off by.
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

	/* Resident memory at its peak, of all; nothing if the recording does not have it. */
	struct sweep_range resident;

	/* On the usual schedule. */
	struct sweep_result usual;
};

/*
 * Plays each set of flags on all schedules worth it; `plain` is the result of no flags, on the
 * usual schedule, NULL if the flags are none.  One that fails, or is not done, ends all: `diag`.
 * `stop` and `deadline_ns` as of sweep_run().
 */
enum csc_status sweep_predict(struct sweep *sweep, const char *const *flags, size_t count,
		const struct sweep_result *plain, struct sweep_prediction *ret_predictions,
		const volatile int *stop, int64_t deadline_ns, struct diag *diag);

/* Of no flags, by what is replayed already: the usual schedule alone. */
void sweep_predict_plain(const struct sweep *sweep, const struct sweep_result *plain,
		struct sweep_prediction *ret_prediction);

/*
 * Makes ranges without flags, which are those of the recorded node, ranges of a node that is not
 * recorded: such a node differs from it as far as nodes with other flags from their predictions.
 */
void sweep_widen(const struct sweep *sweep, struct sweep_prediction *prediction);

/*
 * Whether a recording may be judged by replays at all: nothing was lost, and the replay without
 * flags has most of the node's carriers.
 */
enum csc_status sweep_judge(
		const struct sweep *sweep, const struct sweep_result *plain, struct diag *diag);

/*
 * Resident memory beside carriers and what segment caches keep, at the node's last reading, with
 * `plain`, the replay without flags: code, stacks, malloc; less what was never touched of carriers,
 * so it may be negative.  False: the recording does not have it.
 */
bool sweep_rest(const struct sweep *sweep, const struct sweep_result *plain, double *ret_bytes);

/*
 * How far nodes with other flags were beyond the schedules, as a share of the figure without flags:
 * nine of ten rows of nine workloads with eleven sets of flags were within (tests/bench/what-if,
 * results/range.csv).  They are of all allocators; one alone is taken to be off by as much.
 * Where the work of threads is recorded, as the twin does, replays are exact: nothing is added.
 */
#define SWEEP_PEAK_ERROR 0.12
#define SWEEP_END_ERROR 0.10
#define SWEEP_AVERAGE_ERROR 0.14

/*
 * The least that is added to the end, as a share of the peak without flags.  Of nodes that had let
 * go of more than 40 % of their peak nine of ten ends were within 17 % of the end and 5.6 % of the
 * peak beyond the schedules, of others within 4.5 and 4.1 %.
 */
#define SWEEP_END_ERROR_OF_PEAK 0.06

/* The same of resident memory at its peak; a node's alone. */
#define SWEEP_RESIDENT_ERROR 0.25

/*
 * The same of what flags change, the node's figure with them less that without, as a share of the
 * latter: what the recorded node has more or less than others is in neither.  Peak, end and average
 * were within 8.8, 9.1 and 8.8 % on a busy machine, 4.1, 6.3 and 3.8 % on a quiet one.
 */
#define SWEEP_CHANGE_ERROR 0.09
#define SWEEP_RESIDENT_CHANGE_ERROR 0.18

/* Below this share of the node's carriers nothing is predicted. */
#define SWEEP_LEAST_COVERAGE 0.8

#endif
