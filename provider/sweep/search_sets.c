/* SPDX-License-Identifier: MIT */
/* Sets of flags that a search replays in full, and which of them is the best. */
#include "search_internal.h"
#include "sweep_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets of flags that are replayed together, in the order in which they are shown. */
struct trials {
	struct trial {
		/* Static. */
		const char *name;
		bool is_shown_only;
		char flags[SETTING_FLAGS_BYTES];
	} of[SEARCH_CANDIDATES_MAX];
	size_t count;
};

/* `own`: of the flags those that are the candidate's own. */
static void leave_out(struct search *search, const char *name, const char *own,
		const struct diag *refused)
{
	struct search_answer *answer = search->answer;
	struct search_left_out *left_out = &answer->left_out[answer->left_out_count];

	if (answer->left_out_count < SEARCH_LEFT_OUT_MAX) {
		left_out->name = name;
		(void)snprintf(left_out->flags, sizeof(left_out->flags), "%s", own);
		(void)snprintf(left_out->sentence, sizeof(left_out->sentence), "%.127s",
				refused->text);
		answer->left_out_count++;
	}
}

/* Whether flags change an allocator that is not among the letters; what all share is none. */
static bool is_foreign(const char *flags, uint32_t letters)
{
	for (const char *at = strstr(flags, "+M"); at; at = strstr(at + 2, "+M")) {
		bool is_among = at[2] == 'M';

		for (int i = 0; i < CSC_ALLOCATORS; i++) {
			is_among |= csc_allocator_infos[i].letter == at[2] && (letters >> i & 1);
		}
		if (!is_among) {
			return true;
		}
	}
	return false;
}

/* The composition is the first of them, if it has flags. */
static const char best_name[] = "the best of each allocator";

/* With any flags: `composed` and the candidate's own. */
static void add_trial(struct search *search, struct trials *trials, const char *name,
		const char *composed, const char *own, bool is_shown_only)
{
	struct trial *trial = &trials->of[trials->count];
	struct diag refused = { 0 };
	int length;

	if (search->answer->candidate_count + trials->count == SEARCH_CANDIDATES_MAX) {
		return;
	}
	length = snprintf(trial->flags, sizeof(trial->flags), "%s%s%s", composed,
			*composed && *own ? " " : "", own);
	if (length >= SETTING_FLAGS_BYTES) {
		return;
	}
	if (sweep_check(search->sweep, trial->flags, &refused) != CSC_OK) {
		leave_out(search, name, own, &refused);
		return;
	}
	trial->name = name;
	trial->is_shown_only = is_shown_only;
	trials->count++;
}

/* The objective of all allocators within the samples [from, to). */
static double value_of(
		const struct search *search, const struct sweep_result *result, int from, int to)
{
	double most = 0;
	double all = 0;

	for (int k = from; k < to; k++) {
		double bytes = (double)result->most[k][SWEEP_ALL];

		most = bytes > most ? bytes : most;
		all += bytes;
	}
	switch (compose_summed(search->request->objective)) {
	case OBJECTIVE_PEAK:
		return most;
	case OBJECTIVE_END:
		return (double)result->most[to - 1][SWEEP_ALL];
	default:
		return all / (to - from);
	}
}

/* What is left of the objective there; 1 where there was nothing. */
static double share_left(
		const struct search *search, const struct sweep_result *result, int from, int to)
{
	double before = value_of(search, &search->answer->plain, from, to);

	return before > 0 ? value_of(search, result, from, to) / before : 1;
}

static void add_candidate(
		struct search *search, const struct trial *trial, const struct sweep_result *result)
{
	struct search_answer *answer = search->answer;
	struct search_candidate *candidate = &answer->candidates[answer->candidate_count];

	if (!result->is_done || result->refused > answer->plain.refused) {
		return;
	}
	*candidate = (struct search_candidate){ .name = trial->name,
		.all = result->figures[SWEEP_ALL],
		.is_costly = compose_is_costly(&answer->plain, result, SWEEP_ALL),
		.first_half = share_left(search, result, 0, SWEEP_SAMPLES / 2),
		.second_half = share_left(search, result, SWEEP_SAMPLES / 2, SWEEP_SAMPLES),
		.is_shown_only = trial->is_shown_only };
	(void)snprintf(candidate->flags, sizeof(candidate->flags), "%s", trial->flags);
	candidate->is_foreign = search->request->letters && strcmp(trial->name, "yours") != 0 &&
			is_foreign(trial->flags, search->request->letters);
	answer->candidate_count++;
	if (trial->name == best_name) {
		answer->replayed = compose_figure(
				&candidate->all, compose_summed(search->request->objective));
	}
}

/* In full, all of them at a time, so that no processor waits. */
static enum csc_status play_trials(struct search *search, const struct trials *trials)
{
	struct sweep_job jobs[SEARCH_CANDIDATES_MAX] = { 0 };
	struct sweep_result *results = calloc(SEARCH_CANDIDATES_MAX, sizeof(*results));
	enum csc_status status;

	if (!results) {
		return DIAG_NO_MEMORY(search->diag);
	}
	for (size_t i = 0; i < trials->count; i++) {
		jobs[i].flags = trials->of[i].flags;
	}
	status = search_run(search, jobs, trials->count, results);
	for (size_t i = 0; status == CSC_OK && i < trials->count; i++) {
		add_candidate(search, &trials->of[i], &results[i]);
	}
	free(results);
	return status;
}

/* What all allocators share, beside the composition. */
static void add_shared(struct search *search, struct trials *trials, const char *composed)
{
	uint64_t super_mib = (search->answer->plain.figures[SWEEP_ALL].peak_bytes >> 20) * 11 / 10;
	struct {
		const char *name;
		char flags[32];
		bool is_shown_only;
	} shared[] = {
		{ "with a small segment cache", "+MMmcs 0", false },
		{ "with a large segment cache", "+MMmcs 30", false },
		{ "with a super carrier", "", true },
		{ "with one pool of all", "+Mucp @", false },
		{ "with locks, no instances", "+Mut false", true },
	};

	(void)snprintf(shared[2].flags, sizeof(shared[2].flags), "+MMscs %llu",
			(unsigned long long)super_mib);
	for (size_t i = 0; i < COUNT(shared); i++) {
		add_trial(search, trials, shared[i].name, composed, shared[i].flags,
				shared[i].is_shown_only);
	}
}

static void add_others(struct search *search, struct trials *trials)
{
	for (size_t i = 0; i < search->request->flag_count; i++) {
		add_trial(search, trials, "yours", "", search->request->flags[i], false);
	}
	for (const struct search_folklore *row = search_folklore; row->name; row++) {
		add_trial(search, trials, row->name, "", row->flags, false);
	}
}

/* What saves most, however many requests it makes, where that is something else. */
static void add_costly(struct search *search, struct trials *trials, const char *composed)
{
	struct composition best;
	struct settings settings;
	char flags[SETTING_FLAGS_BYTES];

	search_best_of(search, true, &best);
	compose_settings(search->runs, &best, &settings);
	settings_print(&settings, flags);
	if (strcmp(flags, composed) != 0) {
		add_trial(search, trials, "the same at any number of calls", flags, "", false);
	}
}

/* All of memory, calls and copies; better in one. */
static bool beats(const struct search *search, const struct search_candidate *one,
		const struct search_candidate *other)
{
	double memory = compose_figure(&one->all, search->request->objective);
	double others = compose_figure(&other->all, search->request->objective);

	return memory <= others && one->all.calls <= other->all.calls &&
			one->all.copied_bytes <= other->all.copied_bytes &&
			(memory < others || one->all.calls < other->all.calls ||
					one->all.copied_bytes < other->all.copied_bytes);
}

static void choose_best(struct search *search)
{
	struct search_answer *answer = search->answer;

	for (size_t i = 0; i < answer->candidate_count; i++) {
		struct search_candidate *candidate = &answer->candidates[i];
		const struct search_candidate *best = &answer->candidates[answer->best];

		candidate->is_on_frontier = true;
		for (size_t k = 0; k < answer->candidate_count; k++) {
			candidate->is_on_frontier &=
					!beats(search, &answer->candidates[k], candidate);
		}
		if (!candidate->is_shown_only && !candidate->is_costly && !candidate->is_foreign &&
				compose_figure(&candidate->all, search->request->objective) <
						compose_figure(&best->all,
								search->request->objective) *
								(1 - LEAST_SETTING)) {
			answer->best = i;
		}
	}
}

/* Of those that cost rules exclude and that save more than the best, the one with the fewest calls.
 */
static void find_excluded(struct search *search)
{
	struct search_answer *answer = search->answer;
	enum sweep_objective what = search->request->objective;
	double best = compose_figure(&answer->candidates[answer->best].all, what);

	for (size_t i = 1; i < answer->candidate_count; i++) {
		const struct search_candidate *candidate = &answer->candidates[i];

		if (candidate->is_costly && !candidate->is_shown_only && !candidate->is_foreign &&
				compose_figure(&candidate->all, what) <
						best * (1 - LEAST_SETTING) &&
				(answer->excluded == 0 ||
						candidate->all.calls <
								answer->candidates[answer->excluded]
										.all.calls)) {
			answer->excluded = i;
		}
	}
	answer->most_calls = compose_most_calls(&answer->plain);
}

enum csc_status search_sets(struct search *search)
{
	struct trials *trials = calloc(1, sizeof(*trials));
	char composed[SETTING_FLAGS_BYTES];
	enum csc_status status;

	if (!trials) {
		return DIAG_NO_MEMORY(search->diag);
	}
	settings_print(&search->answer->settings, composed);
	if (*composed) {
		add_trial(search, trials, best_name, composed, "", false);
		add_shared(search, trials, composed);
	}
	add_costly(search, trials, composed);
	add_others(search, trials);
	status = play_trials(search, trials);
	free(trials);
	if (status == CSC_OK) {
		choose_best(search);
		find_excluded(search);
	}
	return status;
}
