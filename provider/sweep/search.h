/* SPDX-License-Identifier: MIT */
/*
 * The search for settings that save memory.
 *
 *  1. a grid of lmbcs, sbct and acul, with mmsbc as the number of large blocks needs it, on the
 * quarter of the recording with the peak; its best quarter in full;
 *  2. for each allocator the best of these, then one knob after another: strategy, mbcgs, smbcs,
 * rsbcst, rmbcmt; each replay tries a value for all allocators;
 *  3. the composition of the best in full, then what allocators share: +MMmcs, a super carrier,
 * +Mucp, +Mut; and flags that others have written.
 *
 * The same recording gives the same answer, unless time runs out.
 */
#ifndef CSC_SEARCH_H
#define CSC_SEARCH_H

#include "compose.h"
#include "predict.h"

/* Sets of flags that are shown. */
#define SEARCH_CANDIDATES_MAX 64

/* Sets of flags that the release refuses, at most. */
#define SEARCH_LEFT_OUT_MAX 16

/* Of a clock, in seconds. */
struct search_time {
	/* Since the search began, and the share of its work that is done, of 1. */
	double passed;
	double done;

	/* What is left, at least and at most. */
	double least;
	double most;
};

struct search_request {
	enum sweep_objective objective;

	/* Allocators that may be changed, as bits (the user's own flags change any); 0: those with
	 * a share of the memory that matters. */
	uint32_t letters;

	/* The user's own flags, in sets. */
	const char *const *flags;
	size_t flag_count;

	/* See sweep_run(); the ranges of what is best are replayed before the deadline, too. */
	const volatile int *stop;
	int64_t deadline_ns;

	/* Share of the objective that has to lie above what blocks need: there is no search of a
	 * recording without it, unless flags of the user's own are to be tried. */
	double least_share;

	/*
	 * Called before the search, by the time that the first replay took, and then after each
	 * batch, by the time that all took: how long what is left may take.  NULL: not wanted.
	 */
	void (*expect)(void *context, const struct search_time *left);

	/* Called with each batch of results, to be kept; NULL: not wanted. */
	enum csc_status (*keep)(void *context, const struct sweep_job *jobs,
			const struct sweep_result *results, size_t count, struct diag *diag);

	/* What was kept of a job; false: nothing.  NULL: all is replayed. */
	bool (*find)(void *context, const struct sweep_job *job, struct sweep_result *ret_result);

	/* What was kept is of another version of this program: it is to be removed. */
	void (*forget)(void *context);
	void *context;
};

struct search_candidate {
	/* What it is: static. */
	const char *name;
	char flags[SETTING_FLAGS_BYTES];
	struct sweep_figure all;

	/* No other candidate is better in one of memory, calls and copies, and not worse in the
	 * others.
	 */
	bool is_on_frontier;

	/* Shown only: its cost is one that a replay does not see. */
	bool is_shown_only;

	/* It changes allocators that the search may not change. */
	bool is_foreign;

	/* It makes too many requests: see compose_is_costly(). */
	bool is_costly;

	/* The objective in both halves of the recording, as shares of what it is without flags. */
	double first_half;
	double second_half;
};

/* Flags of others, or that all allocators share, which the release refuses. */
struct search_left_out {
	/* Static. */
	const char *name;
	char flags[96];

	/* Why, in its words. */
	char sentence[128];
};

struct search_answer {
	/* Without flags. */
	struct sweep_result plain;
	uint32_t letters;

	/* Of the objective: what no flag can go below, for blocks need it. */
	double bound;

	/* In the order in which they were tried; the first is none. */
	struct search_candidate candidates[SEARCH_CANDIDATES_MAX];
	size_t candidate_count;

	struct search_left_out left_out[SEARCH_LEFT_OUT_MAX];
	size_t left_out_count;

	/* What is best, and the settings of it; 0: none saves. */
	size_t best;

	/* The cheapest that saves more and makes too many requests, which may be so many; 0: none.
	 */
	size_t excluded;
	uint64_t most_calls;
	struct settings settings;

	/* The composition's objective, as the sum has it, and as its replay has. */
	double composed;
	double replayed;

	/* Chosen on the first half: what it leaves of the objective there and in the second, as
	 * shares. */
	double half_chosen;
	double half_other;

	/* Of no flags, and of the best on all schedules, unless it is not predicted: then both are
	 * of no flags, on the usual one. */
	bool is_predicted;
	struct sweep_prediction before;
	struct sweep_prediction after;

	/* Settings that were replayed: on the quarter, in full; of both, those kept before. */
	size_t parts;
	size_t wholes;
	size_t kept;
	double cpu_seconds;

	/* Of a clock, from the first replay to the last. */
	double seconds;

	/* It was interrupted or ran out of time. */
	bool is_cut_short;

	/* Not searched: blocks need nearly all there is, see least_share. */
	bool is_hopeless;
};

/* CSC_ERROR: `diag` says why. */
enum csc_status sweep_search(struct sweep *sweep, const struct search_request *request,
		struct search_answer *ret_answer, struct diag *diag);

/*
 * The share `shard` (1 to `shards`) of what needs no other replay: the grid in full, public flags
 * and the user's own; each is kept.  A search that finds the shares of all takes them.
 */
enum csc_status sweep_search_shard(struct sweep *sweep, const struct search_request *request,
		uint32_t shard, uint32_t shards, struct search_answer *ret_answer,
		struct diag *diag);

/* Public flags: a name and the flags, in the order in which they are tried; name NULL ends it. */
struct search_folklore {
	const char *name;
	const char *flags;
};
extern const struct search_folklore search_folklore[];

#endif
