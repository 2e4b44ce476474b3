/* SPDX-License-Identifier: MIT */
/*
 * Running a workload: all schedulers in turns, repeatably, or each as a thread.
 */
#ifndef CSC_WORKLOAD_RUN_H
#define CSC_WORKLOAD_RUN_H

#include "scheduler.h"

/* The end of a phase, with everybody at rest. */
struct workload_run_report {
	/* Weak. */
	void *context;
	void (*phase)(void *context, size_t number, const struct scheduler_figures *figures);

	/* All is done or there is no memory left; all blocks are there.  NULL: nobody asks. */
	void (*end)(void *context, const struct workload_run *run);

	/*
	 * In turns only, between two bursts, nobody inside an allocator: `done` of `operations` are
	 * done.  Returns whether time has passed in which a session may have started.  NULL:
	 * nobody asks.
	 */
	bool (*burst)(void *context, const struct workload_run *run, uint64_t done,
			uint64_t operations);
};

/* Sums over all schedulers; nobody works meanwhile. */
void workload_run_figures(const struct workload_run *run, struct scheduler_figures *ret_figures);

/*
 * Runs all phases over `runtime`, which is at rest afterwards: queues are empty.  `report` may be
 * NULL.  On failure `ret_failure` has what could not be had, or `diag` what else went wrong.
 */
enum csc_status workload_run(const struct workload *workload, struct runtime *runtime,
		bool is_threaded, const struct workload_run_report *report,
		struct scheduler_figures *ret_figures, struct scheduler_failure *ret_failure,
		struct diag *diag);

#endif
