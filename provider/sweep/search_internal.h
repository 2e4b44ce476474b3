/* SPDX-License-Identifier: MIT */
/* A search while it runs, for search*.c, grid.c and shard.c. */
#ifndef CSC_SEARCH_INTERNAL_H
#define CSC_SEARCH_INTERNAL_H

#include "search.h"

/* Values of lmbcs, of sbct for each, and of acul. */
enum {
	GRID_LMBCS = 5,
	GRID_PARTS = 5,
	GRID_ACUL = 3,
	GRID = GRID_LMBCS * GRID_PARTS * GRID_ACUL,
};

/* Parts of a recording, and the share of the grid that is replayed in full. */
#define SEARCH_PARTS 4

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Share of the objective that makes a setting worth its flags. */
#define LEAST_SETTING 0.003

struct search {
	struct sweep *sweep;
	const struct search_request *request;
	struct search_answer *answer;
	struct diag *diag;

	/* In full; run 0 has no flags. */
	struct sweep_run *runs;
	size_t run_count;

	/* By size of the grid: most blocks of an allocator that are as large. */
	uint64_t sizes[GRID_LMBCS * GRID_PARTS];
	uint64_t most[GRID_LMBCS * GRID_PARTS][CSC_ALLOCATORS];
	size_t size_count;

	/* When replays of the search end at the latest; 0: there is time. */
	int64_t deadline_ns;

	/* What the replay without flags took, of a clock, and when it had ended. */
	double plain_seconds;
	int64_t begun_ns;

	/* Replays in full that follow, at least and at most, and that are done. */
	double least_replays;
	double most_replays;
	double done_replays;

	/* search_begin() is done: what was kept is of use. */
	bool is_begun;
};

/* The figure that is to be small, of all allocators. */
double search_objective(const struct search *search, const struct sweep_result *result);

/* Whether an allocator may be changed. */
bool search_matters(const struct search *search, int allocator);

/* Says how long what is left may take, if somebody wants to know. */
void search_tell(const struct search *search);

/*
 * Plays jobs, but for those that were kept before, and keeps the others.  A job that is not done
 * has said why, or there was no time for it.
 */
enum csc_status search_run(struct search *search, const struct sweep_job *jobs, size_t count,
		struct sweep_result *ret_results);

/* Plays runs, some at a time. */
enum csc_status search_play(
		struct search *search, struct sweep_run *runs, size_t count, bool is_part);

/*
 * The replay without flags, with which all others are compared; it is always replayed, and what was
 * kept is forgotten if it differs.  Chooses the allocators; fails if the recording may not be
 * judged.
 */
enum csc_status search_begin(struct search *search);

/* Of each allocator the settings that save most of those replayed so far; at any cost, or within
 * the rules of cost. */
void search_best_of(
		const struct search *search, bool at_any_cost, struct composition *ret_composition);

/* Replays what was found, what all allocators share, yours and folklore; notes the best and what
 * the rules of cost exclude. */
enum csc_status search_sets(struct search *search);

/* Which allocators are worth a search: those asked for, or those with a share of `plain`. */
uint32_t grid_letters(const struct search *search, const struct sweep_result *plain);

/* Counts large blocks: before grid_settings(). */
enum csc_status grid_learn(struct search *search);

/* A point of the grid, for all allocators that matter. */
void grid_settings(const struct search *search, size_t point, struct settings *ret_settings);

#endif
