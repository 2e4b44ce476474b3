/*
 * SPDX-License-Identifier: MIT
 *
 * What a search has found, worked out once for text and JSON.
 */
#ifndef CSC_ADVICE_H
#define CSC_ADVICE_H

#include "search.h"

/* Whose file the advised line is for. */
enum advice_target {
	TARGET_ERL,
	TARGET_VM_ARGS,
	TARGET_RABBITMQ,
	TARGET_EJABBERD,
	TARGET_MIX_RELEASE,
};

/* A candidate beside the node without flags; the figures are those of the answer. */
struct advice_candidate {
	/* Of its flags, how many characters at the begin are those that the search has made. */
	size_t made_length;

	/* What stays with the process more than without flags, in bytes: carriers, and what segment
	 * caches and a super carrier keep of those that are gone. */
	double held_more_bytes;

	/* Resident memory at its peak; of other objectives than that it means nothing. */
	double resident_bytes;
};

struct advice {
	/* Weak. */
	const char *database;
	const struct search_answer *answer;
	enum sweep_objective objective;
	enum advice_target target;

	/* vm.max_map_count; 0: not known. */
	uint64_t max_mappings;

	/* Of the recording; the name is static. */
	int64_t runtime;
	const char *release;
	uint32_t schedules;
	bool is_exact;

	/* Milliseconds between snapshots, as asked for and as they came, if that is much more: the
	 * recording slowed its node; 0: it did not, or that is not known. */
	int64_t snapshots_ms;
	int64_t snapshots_came_ms;

	/* Letters of the allocators that might be changed. */
	char letters[CSC_ALLOCATORS + 1];

	/* Share of the node's carriers that the replay without flags has; below 0: not recorded. */
	double coverage[SWEEP_ROWS];

	/* Of the objective, without flags: all of it; what tuning can reach at best; and parts of
	 * resident memory that are neither carriers nor segment caches. */
	double now_bytes;
	double best_case_bytes;
	double rest_bytes;

	/* Ranges of the objective, without flags and with the best. */
	struct sweep_range before;
	struct sweep_range after;

	/* Bytes that the best saves, at least and at most. */
	double saving_low;
	double saving_high;

	/* Why the best of the answer is not advised; "": it is. */
	char refusal[256];

	/* The lines of the user's own file, with a comment where they belong; and the flags that
	 * lead back, "": removing the advised ones is all. */
	char lines[2 * SETTING_FLAGS_BYTES];
	char undo[SETTING_FLAGS_BYTES];

	/* Without advice: another objective of which a setting saves much, and what it leaves of
	 * how many bytes.  The objective itself: there is none. */
	enum sweep_objective elsewhere;
	double elsewhere_bytes;
	double elsewhere_of_bytes;

	/* Share of the carriers that is in blocks, where that is much and the code is to blame; 0:
	 * it is not. */
	double in_blocks;

	struct advice_candidate candidates[SEARCH_CANDIDATES_MAX];
};

/* What was asked, of an answer. */
struct advice_request {
	/* Weak; they must outlive the advice. */
	const char *database;
	const struct sweep *sweep;
	const struct search_answer *answer;
	enum sweep_objective objective;
	enum advice_target target;
	uint64_t max_mappings;
};

void advice_make(const struct advice_request *request, struct advice *ret_advice);

/*
 * The share of an objective that predicted changes were off by on measured nodes, so that less is
 * not advised; `is_exact`: the work of threads is recorded, and schedules of it are all that is
 * unsure.
 */
double advice_least_share(enum sweep_objective objective, bool is_exact);

/* As part of a sentence: "at the peak". */
const char *advice_moment(enum sweep_objective objective);

/* What is to be small, as part of a sentence. */
const char *advice_subject(enum sweep_objective objective);

#endif
