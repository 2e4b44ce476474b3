/* SPDX-License-Identifier: MIT */
/*
 * Allocators share nothing but the segment cache: what a setting makes of one does not depend on
 * the settings of the others.  So curves of allocators from different replays may be added.
 */
#ifndef CSC_COMPOSE_H
#define CSC_COMPOSE_H

#include "setting.h"
#include "sweep.h"

/* What is to be small. */
enum sweep_objective {
	OBJECTIVE_PEAK,
	OBJECTIVE_END,
	OBJECTIVE_AVERAGE,

	/* Resident memory at its peak: carriers and what segment caches keep. */
	OBJECTIVE_RSS,
};

/* "peak", "end", "average" or "rss", and back; NULL and anything else is the peak. */
const char *compose_objective(enum sweep_objective objective);
enum sweep_objective compose_objective_of(const char *name);

/* A replay, and the settings that it was made with. */
struct sweep_run {
	struct settings settings;
	struct sweep_result result;
};

/* Which run each allocator is taken from. */
struct composition {
	size_t run_of[CSC_ALLOCATORS];
};

/*
 * Requests for memory of all allocators together beyond which they cost more time than memory is
 * worth: several times those of `plain`, and a small share of all calls.
 */
uint64_t compose_most_calls(const struct sweep_result *plain);

/* Whether an allocator alone, or all, makes more. */
bool compose_is_costly(
		const struct sweep_result *plain, const struct sweep_result *result, int row);

/* The figure that is to be small; of resident memory an allocator has its carriers at the peak. */
double compose_figure(const struct sweep_figure *figure, enum sweep_objective objective);

/*
 * The same with what stays with the process when carriers are gone, in segment caches and in a
 * super carrier: of all allocators only.  Nodes' resident memory follows it better than carriers
 * alone (tests/bench/what-if).
 */
double compose_held(const struct sweep_figure *figure, enum sweep_objective objective);

/* What a sum of curves has of an objective: of resident memory the carriers at the peak. */
enum sweep_objective compose_summed(enum sweep_objective objective);

/*
 * The objective of a sum of curves, within the samples [from, to); close to what the figures have
 * where these are all.
 */
double compose_value(const struct sweep_run *runs, const struct composition *composition,
		enum sweep_objective objective, int from, int to);

/*
 * For each allocator of `letters` (bits) the run with which the sum is smallest, of those that are
 * done and with which the sum is not costly, unless it may be; run 0 has none changed.  A later run
 * is taken if it saves at least a tenth of `least`, a share of all, more than an earlier one; in
 * the end an allocator is taken from run 0 unless another saves `least`.
 */
void compose_best(const struct sweep_run *runs, size_t count, uint32_t letters,
		enum sweep_objective objective, int from, int to, double least, bool at_any_cost,
		struct composition *ret_composition);

/* The settings of a composition. */
void compose_settings(const struct sweep_run *runs, const struct composition *composition,
		struct settings *ret_settings);

#endif
