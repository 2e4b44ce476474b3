/* SPDX-License-Identifier: MIT */
/*
 * Running a workload: all schedulers in turns, repeatably, or each as a thread.
 */
#ifndef CSC_CREW_H
#define CSC_CREW_H

#include "scheduler.h"

/* The end of a phase, with everybody at rest. */
struct crew_report {
	/* Weak. */
	void *context;
	void (*phase)(void *context, size_t number, const struct hand_figures *figures);

	/* All is done or there is no memory left; all blocks are there.  NULL: nobody asks. */
	void (*end)(void *context, const struct crew *crew);

	/*
	 * In turns only, between two bursts, nobody inside an allocator: `done` of `operations` are
	 * done.  Returns whether time has passed in which somebody may have come to hear.  NULL:
	 * nobody asks.
	 */
	bool (*burst)(void *context, const struct crew *crew, uint64_t done, uint64_t operations);
};

/* Sums over all hands; nobody works meanwhile. */
void crew_figures(const struct crew *crew, struct hand_figures *ret_figures);

/*
 * Runs all phases over `runtime`, which is at rest afterwards: queues are empty.  `report` may be
 * NULL.  False: `ret_failure` says what could not be had, or `diag` what else went wrong.
 */
bool crew_run(const struct workload *workload, struct runtime *runtime, bool is_threaded,
		const struct crew_report *report, struct hand_figures *ret_figures,
		struct hand_failure *ret_failure, struct diag *diag);

#endif
