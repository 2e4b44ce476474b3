/* SPDX-License-Identifier: MIT */
/* Rounds of a search. */
#include "search_internal.h"
#include "sweep_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Share of the objective that makes a setting worth its flags. */
#define LEAST_SETTING 0.003

/* So many values of any knob. */
#define VALUES_MAX 6

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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

/* Runs of a whole search: the plain one, the grid in full, all knobs, the composition. */
#define RUNS_MAX (GRID + (size_t)KNOBS * VALUES_MAX + 3)

/* What blocks need, whatever the flags are. */
static double find_bound(const struct search *search)
{
	const struct sweep_result *plain = &search->runs[0].result;
	double most = 0;
	double all = 0;

	for (int i = 0; i < SWEEP_SAMPLES; i++) {
		double bytes = (double)plain->blocks_bytes[i];

		most = bytes > most ? bytes : most;
		all += bytes;
	}
	switch (search->request->objective) {
	case OBJECTIVE_PEAK:
	case OBJECTIVE_RSS:
		return most;
	case OBJECTIVE_END:
		return (double)plain->end_blocks_bytes;
	default:
		return all / SWEEP_SAMPLES;
	}
}

/* The objective of a row on the part; what is costly comes last. */
static double grade(const struct search *search, const struct sweep_run *run, int row)
{
	double worst = 1e300;

	/* The part has a share of the requests only. */
	if (!run->result.is_done || compose_is_costly(&search->runs[0].result, &run->result, row)) {
		return worst;
	}
	return compose_figure(&run->result.figures[row], search->request->objective);
}

struct graded {
	double grade;
	size_t run;
};

static int compare_graded(const void *one, const void *other)
{
	const struct graded *a = one;
	const struct graded *b = other;

	/* Of equal ones that which was tried first. */
	return a->grade < b->grade	      ? -1
			: a->grade > b->grade ? 1
			: a->run < b->run     ? -1
					      : a->run > b->run;
}

/* Adds a run in full. */
static void add_run(struct search *search, const struct settings *settings)
{
	if (search->run_count < RUNS_MAX) {
		struct settings *own = &search->runs[search->run_count++].settings;

		*own = *settings;
		settings_forget(own, &sweep_facts(search->sweep)->options);
	}
}

static enum csc_status play_added(struct search *search, size_t from)
{
	return search_play(search, search->runs + from, search->run_count - from, false);
}

/* The best of the grid by all, and by each allocator. */
static void add_best_points(struct search *search, const struct sweep_run *grid)
{
	struct graded order[GRID];
	bool is_added[GRID] = { false };

	for (size_t i = 0; i < GRID; i++) {
		order[i] = (struct graded){ grade(search, &grid[i], SWEEP_ALL), i };
	}
	qsort(order, GRID, sizeof(order[0]), compare_graded);
	for (size_t i = 0; i < GRID / SEARCH_PARTS; i++) {
		is_added[order[i].run] = true;
	}
	for (int letter = 0; letter < CSC_ALLOCATORS; letter++) {
		size_t best = 0;

		for (size_t i = 1; i < GRID; i++) {
			if (grade(search, &grid[i], letter) < grade(search, &grid[best], letter)) {
				best = i;
			}
		}
		is_added[best] |= search_matters(search, letter);
	}
	for (size_t i = 0; i < GRID; i++) {
		if (is_added[i] && grid[i].result.is_done) {
			add_run(search, &grid[i].settings);
		}
	}
}

/* The part in which the peak is; only of a recording of some length. */
static uint32_t find_part(const struct search *search)
{
	const struct sweep_facts *facts = sweep_facts(search->sweep);
	uint64_t part = facts->steps
			? search->runs[0].result.peak_step * SEARCH_PARTS / facts->steps
			: 0;

	return part < SEARCH_PARTS ? (uint32_t)part : SEARCH_PARTS - 1;
}

/* Whether the grid was replayed in full before: by parts of a search, on other machines. */
static bool has_grid(const struct search *search, struct sweep_run *grid)
{
	const struct search_request *request = search->request;
	bool has_all = request->find != NULL;

	for (size_t i = 0; has_all && i < GRID; i++) {
		char flags[SETTING_FLAGS_BYTES];
		const struct sweep_job job = { .flags = flags };

		settings_print(&grid[i].settings, flags);
		has_all = request->find(request->context, &job, &grid[i].result);
	}
	return has_all;
}

static enum csc_status grade_grid(struct search *search, struct sweep_run *grid)
{
	if (sweep_cut(search->sweep, find_part(search), SEARCH_PARTS, search->diag) != CSC_OK ||
			search_play(search, grid, GRID, true) != CSC_OK) {
		return CSC_ERROR;
	}
	add_best_points(search, grid);
	return CSC_OK;
}

static enum csc_status try_grid(struct search *search)
{
	struct sweep_run *grid = calloc(GRID, sizeof(*grid));
	size_t from = search->run_count;
	enum csc_status status = CSC_OK;

	if (!grid) {
		return DIAG_NO_MEMORY(search->diag);
	}
	for (size_t i = 0; i < GRID; i++) {
		grid_settings(search, i, &grid[i].settings);
	}
	if (has_grid(search, grid)) {
		for (size_t i = 0; i < GRID; i++) {
			add_run(search, &grid[i].settings);
		}
	} else {
		status = grade_grid(search, grid);
	}
	if (status == CSC_OK) {
		status = play_added(search, from);
	}
	free(grid);
	return status;
}

static void best_of(
		const struct search *search, bool at_any_cost, struct composition *ret_composition)
{
	compose_best(search->runs, search->run_count, search->answer->letters,
			search->request->objective, 0, SWEEP_SAMPLES, LEAST_SETTING, at_any_cost,
			ret_composition);
}

/* One knob of all allocators that matter, from the best there is. */
static enum csc_status try_knob(
		struct search *search, enum setting_knob knob, const int64_t *values, size_t count)
{
	struct composition best;
	size_t from = search->run_count;

	best_of(search, false, &best);
	for (size_t i = 0; i < count; i++) {
		struct settings settings;

		compose_settings(search->runs, &best, &settings);
		for (int k = 0; k < CSC_ALLOCATORS; k++) {
			if (search_matters(search, k)) {
				settings.of[k].knobs[knob] = values[i];
			}
		}
		add_run(search, &settings);
	}
	return play_added(search, from);
}

static enum csc_status descend(struct search *search)
{
	static const int64_t strategy[] = { 1, 2, 3, 4 };
	static const int64_t mbcgs[] = { 5, 20 };
	static const int64_t smbcs[] = { 64, 512, 1024 };
	static const int64_t share[] = { 20, 80 };

	if (try_knob(search, KNOB_AS, strategy, COUNT(strategy)) != CSC_OK ||
			try_knob(search, KNOB_MBCGS, mbcgs, COUNT(mbcgs)) != CSC_OK ||
			try_knob(search, KNOB_SMBCS, smbcs, COUNT(smbcs)) != CSC_OK ||
			try_knob(search, KNOB_RSBCST, share, COUNT(share)) != CSC_OK ||
			try_knob(search, KNOB_RMBCMT, share, COUNT(share)) != CSC_OK) {
		return CSC_ERROR;
	}
	return CSC_OK;
}

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

	best_of(search, true, &best);
	compose_settings(search->runs, &best, &settings);
	settings_print(&settings, flags);
	if (strcmp(flags, composed) != 0) {
		add_trial(search, trials, "the same at any number of calls", flags, "", false);
	}
}

static enum csc_status try_sets(struct search *search)
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
	return status;
}

/* Chosen on the first half, measured on the second. */
static void hold_out(struct search *search)
{
	const struct composition none = { { 0 } };
	enum sweep_objective what = search->request->objective;
	struct composition chosen;
	const int half = SWEEP_SAMPLES / 2;

	compose_best(search->runs, search->run_count, search->answer->letters, what, 0, half,
			LEAST_SETTING, false, &chosen);
	search->answer->half_chosen = compose_value(search->runs, &chosen, what, 0, half) /
			compose_value(search->runs, &none, what, 0, half);
	search->answer->half_other =
			compose_value(search->runs, &chosen, what, half, SWEEP_SAMPLES) /
			compose_value(search->runs, &none, what, half, SWEEP_SAMPLES);
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

static void compose(struct search *search)
{
	struct search_answer *answer = search->answer;
	struct composition best;

	best_of(search, false, &best);
	compose_settings(search->runs, &best, &answer->settings);
	answer->composed = compose_value(
			search->runs, &best, search->request->objective, 0, SWEEP_SAMPLES);
	answer->replayed = answer->composed;
	hold_out(search);
}

/* Whether all that flags might save is less than would be advised. */
static bool is_hopeless(const struct search *search)
{
	const struct search_request *request = search->request;
	double now = compose_figure(&search->answer->plain.figures[SWEEP_ALL], request->objective);

	return request->flag_count == 0 && now - search->answer->bound < request->least_share * now;
}

/* The search ends before the ranges of what it has found have to be replayed. */
static void reserve_time(struct search *search)
{
	double replays = 2.0 * (double)sweep_facts(search->sweep)->schedules /
			sweep_workers(search->sweep);

	search->deadline_ns = search->request->deadline_ns;
	if (search->deadline_ns) {
		search->deadline_ns -= (int64_t)(replays * search->plain_seconds * 1.2e9);
	}
}

/* Run 0 has no flags. */
static enum csc_status begin(struct search *search)
{
	struct search_answer *answer = search->answer;
	struct settings none;

	if (search_begin(search) != CSC_OK) {
		return CSC_ERROR;
	}
	settings_init(&none);
	add_run(search, &none);
	search->runs[0].result = answer->plain;
	answer->candidates[0] = (struct search_candidate){ .name = "as recorded",
		.all = answer->plain.figures[SWEEP_ALL] };
	answer->candidate_count = 1;
	answer->bound = find_bound(search);
	sweep_predict_plain(search->sweep, &answer->plain, &answer->before);
	answer->after = answer->before;
	answer->is_hopeless = is_hopeless(search);
	reserve_time(search);
	return CSC_OK;
}

/* How much follows: it depends on what is found. */
static void count_replays(struct search *search)
{
	/* Values of all knobs, and sets of flags that allocators share. */
	enum { KNOB_VALUES = 13, SHARED = 7 };
	double grid = (double)GRID / SEARCH_PARTS;
	double known = KNOB_VALUES + (double)search->request->flag_count +
			2 * (double)sweep_facts(search->sweep)->schedules;

	for (const struct search_folklore *row = search_folklore; row->name; row++) {
		known++;
	}
	/* Parts of equally many calls do not take equally long, and each letter may add a point. */
	search->least_replays = known + grid / 2 + grid;
	search->most_replays = known + 2 * grid + grid + SHARED;
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		search->most_replays += search_matters(search, i);
	}
}

/* Whether there is no time left for replays. */
static bool is_over(const struct search_request *request)
{
	return (request->stop && *request->stop) ||
			(request->deadline_ns && sweep_clock_ns() >= request->deadline_ns);
}

static enum csc_status predict(struct search *search)
{
	const struct search_request *request = search->request;
	struct search_answer *answer = search->answer;
	const char *const flags[] = { answer->candidates[answer->best].flags };
	const char *const none[] = { "" };
	struct sweep_prediction *before = calloc(2, sizeof(*before));
	enum csc_status status = before ? CSC_OK : DIAG_NO_MEMORY(search->diag);

	if (status == CSC_OK) {
		status = sweep_predict(search->sweep, none, 1, NULL, &before[0], request->stop,
				request->deadline_ns, search->diag);
	}
	if (status == CSC_OK) {
		before[1] = before[0];
	}
	if (status == CSC_OK && answer->best > 0) {
		status = sweep_predict(search->sweep, flags, 1, &before[0].usual, &before[1],
				request->stop, request->deadline_ns, search->diag);
	}
	if (status == CSC_OK) {
		answer->before = before[0];
		answer->after = before[1];
		answer->is_predicted = true;
	} else if (is_over(request)) {
		*search->diag = (struct diag){ 0 };
		answer->is_cut_short = true;
		status = CSC_OK;
	}
	free(before);
	return status;
}

static enum csc_status find(struct search *search)
{
	enum csc_status status = CSC_OK;

	count_replays(search);
	search_tell(search);
	if (grid_learn(search) != CSC_OK || try_grid(search) != CSC_OK ||
			descend(search) != CSC_OK) {
		return CSC_ERROR;
	}
	compose(search);
	status = try_sets(search);
	if (status == CSC_OK) {
		choose_best(search);
		find_excluded(search);
		status = predict(search);
	}
	return status;
}

enum csc_status sweep_search(struct sweep *sweep, const struct search_request *request,
		struct search_answer *ret_answer, struct diag *diag)
{
	struct search *search = calloc(1, sizeof(*search));
	int64_t begin_ns = sweep_clock_ns();
	enum csc_status status = CSC_ERROR;

	if (!search) {
		return DIAG_NO_MEMORY(diag);
	}
	*search = (struct search){ .sweep = sweep,
		.request = request,
		.answer = ret_answer,
		.diag = diag,
		.runs = calloc(RUNS_MAX, sizeof(*search->runs)) };
	if (!search->runs) {
		(void)DIAG_NO_MEMORY(diag);
	} else {
		status = begin(search);
	}
	if (status == CSC_OK && !ret_answer->is_hopeless) {
		status = find(search);
	}
	ret_answer->seconds = (double)(sweep_clock_ns() - begin_ns) * 1e-9;
	free(search->runs);
	free(search);
	return status;
}
