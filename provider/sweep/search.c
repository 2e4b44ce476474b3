/* SPDX-License-Identifier: MIT */
/* Rounds of a search. */
#include "search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parts of a recording, and the share of the grid that is replayed in full. */
#define PARTS 4

/* Replays between two times that results are kept. */
#define BATCH 16

/* Shares of the objective: an allocator that matters, and a setting that is worth its flags. */
#define LEAST_ALLOCATOR 0.02
#define LEAST_SETTING 0.003

/* mmsbc is at least the runtime's default. */
#define LEAST_MMSBC 256

#define KIB 1024

/* So many values of any knob. */
#define VALUES_MAX 6

static const int64_t grid_lmbcs[] = { 512, 1024, 2048, 5120, 10240 };
static const int64_t grid_parts[] = { 16, 8, 4, 2, 1 };
static const int64_t grid_acul[] = { SETTING_RECORDED, 0, 80 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define GRID (COUNT(grid_lmbcs) * COUNT(grid_parts) * COUNT(grid_acul))

/* Runs of a whole search: the plain one, the grid in full, all knobs, the composition. */
#define RUNS_MAX (GRID + (size_t)KNOBS * VALUES_MAX + 3)

struct search {
	struct sweep *sweep;
	const struct search_request *request;
	struct search_answer *answer;
	struct diag *diag;

	/* In full; run 0 has no flags. */
	struct sweep_run *runs;
	size_t run_count;

	/* By size of the grid: most blocks of an allocator that are as large. */
	uint64_t sizes[COUNT(grid_lmbcs) * COUNT(grid_parts)];
	uint64_t most[COUNT(grid_lmbcs) * COUNT(grid_parts)][CSC_ALLOCATORS];
	size_t size_count;
};

/* Plays runs and keeps their results, some at a time. */
static enum csc_status play(
		struct search *search, struct sweep_run *runs, size_t count, bool is_part)
{
	char(*flags)[SETTING_FLAGS_BYTES] = calloc(BATCH, sizeof(*flags));
	struct sweep_result *results = calloc(BATCH, sizeof(*results));
	struct sweep_job jobs[BATCH];
	enum csc_status status = CSC_OK;

	if (!flags || !results) {
		status = DIAG_NO_MEMORY(search->diag);
	}
	for (size_t done = 0; status == CSC_OK && done < count; done += BATCH) {
		size_t some = count - done < BATCH ? count - done : BATCH;

		for (size_t i = 0; i < some; i++) {
			settings_print(&runs[done + i].settings, flags[i]);
			jobs[i] = (struct sweep_job){ .flags = flags[i], .is_part = is_part };
		}
		status = sweep_run(search->sweep, jobs, some, results, search->request->stop,
				search->request->deadline_ns, search->diag);
		for (size_t i = 0; status == CSC_OK && i < some; i++) {
			bool is_done = results[i].is_done;

			runs[done + i].result = results[i];
			search->answer->cpu_seconds += results[i].cpu_seconds;
			*(is_part ? &search->answer->parts : &search->answer->wholes) += is_done;
			search->answer->is_cut_short |= !is_done && !diag_is_set(&results[i].diag);
		}
		if (status == CSC_OK && search->request->keep) {
			status = search->request->keep(search->request->context, jobs, results,
					some, search->diag);
		}
	}
	free(flags);
	free(results);
	return status;
}

static bool matters(const struct search *search, int allocator)
{
	return search->answer->letters >> allocator & 1;
}

/* Carriers that blocks of at least so many KiB need, with as much again to spare. */
static int64_t need(const struct search *search, int allocator, int64_t sbct)
{
	int64_t limit = LEAST_MMSBC;

	for (size_t i = 0; i < search->size_count; i++) {
		while (search->sizes[i] == (uint64_t)sbct * KIB &&
				(uint64_t)limit < 2 * search->most[i][allocator] + LEAST_MMSBC) {
			limit *= 2;
		}
	}
	return limit;
}

/* A point of the grid, for all allocators that matter. */
static void set_point(const struct search *search, size_t point, struct settings *settings)
{
	int64_t lmbcs = grid_lmbcs[point / COUNT(grid_acul) / COUNT(grid_parts)];
	int64_t sbct = lmbcs / grid_parts[point / COUNT(grid_acul) % COUNT(grid_parts)];

	settings_init(settings);
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		if (matters(search, i)) {
			int64_t *knobs = settings->of[i].knobs;

			knobs[KNOB_LMBCS] = lmbcs;
			knobs[KNOB_SBCT] = sbct;
			knobs[KNOB_MMSBC] = need(search, i, sbct);
			if (csc_allocator_infos[i].can_migrate) {
				knobs[KNOB_ACUL] = grid_acul[point % COUNT(grid_acul)];
			}
		}
	}
}

static enum csc_status learn_needs(struct search *search)
{
	for (size_t i = 0; i < COUNT(grid_lmbcs); i++) {
		for (size_t k = 0; k < COUNT(grid_parts); k++) {
			search->sizes[search->size_count++] =
					(uint64_t)(grid_lmbcs[i] / grid_parts[k]) * KIB;
		}
	}
	return sweep_count_large(search->sweep, search->sizes, search->size_count, search->most,
			search->diag);
}

static double objective(const struct search *search, const struct sweep_result *result)
{
	return compose_figure(&result->figures[SWEEP_ALL], search->request->objective);
}

/* Which allocators are worth a search. */
static void choose_letters(struct search *search)
{
	const struct sweep_result *plain = &search->runs[0].result;
	uint32_t letters = search->request->letters;

	for (int i = 0; !search->request->letters && i < CSC_ALLOCATORS; i++) {
		double own = compose_figure(&plain->figures[i], search->request->objective);

		/* Blocks of literals lie in an area of their own. */
		if (i != CSC_LITERAL && i != CSC_EXEC && i != CSC_TEST &&
				own >= LEAST_ALLOCATOR * objective(search, plain)) {
			letters |= UINT32_C(1) << i;
		}
	}
	search->answer->letters = letters;
}

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
	return play(search, search->runs + from, search->run_count - from, false);
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
	for (size_t i = 0; i < GRID / PARTS; i++) {
		is_added[order[i].run] = true;
	}
	for (int letter = 0; letter < CSC_ALLOCATORS; letter++) {
		size_t best = 0;

		for (size_t i = 1; i < GRID; i++) {
			if (grade(search, &grid[i], letter) < grade(search, &grid[best], letter)) {
				best = i;
			}
		}
		is_added[best] |= matters(search, letter);
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
	uint64_t part = facts->steps ? search->runs[0].result.peak_step * PARTS / facts->steps : 0;

	return part < PARTS ? (uint32_t)part : PARTS - 1;
}

static enum csc_status try_grid(struct search *search)
{
	struct sweep_run *grid = calloc(GRID, sizeof(*grid));
	size_t from = search->run_count;
	enum csc_status status = CSC_ERROR;

	if (!grid) {
		return DIAG_NO_MEMORY(search->diag);
	}
	for (size_t i = 0; i < GRID; i++) {
		set_point(search, i, &grid[i].settings);
	}
	status = sweep_cut(search->sweep, find_part(search), PARTS, search->diag);
	if (status == CSC_OK) {
		status = play(search, grid, GRID, true);
	}
	if (status == CSC_OK) {
		add_best_points(search, grid);
		status = play_added(search, from);
	}
	free(grid);
	return status;
}

static void best_of(const struct search *search, struct composition *ret_composition)
{
	compose_best(search->runs, search->run_count, search->answer->letters,
			search->request->objective, 0, SWEEP_SAMPLES, LEAST_SETTING,
			ret_composition);
}

/* One knob of all allocators that matter, from the best there is. */
static enum csc_status try_knob(
		struct search *search, enum setting_knob knob, const int64_t *values, size_t count)
{
	struct composition best;
	size_t from = search->run_count;

	best_of(search, &best);
	for (size_t i = 0; i < count; i++) {
		struct settings settings;

		compose_settings(search->runs, &best, &settings);
		for (int k = 0; k < CSC_ALLOCATORS; k++) {
			if (matters(search, k)) {
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

/* In full, with any flags. */
static enum csc_status try_candidate(
		struct search *search, const char *name, const char *flags, bool is_shown_only)
{
	struct search_answer *answer = search->answer;
	struct search_candidate *candidate = &answer->candidates[answer->candidate_count];
	const struct sweep_job job = { .flags = flags };
	struct sweep_result *result = calloc(1, sizeof(*result));
	struct diag refused = { 0 };
	enum csc_status status;

	if (!result) {
		return DIAG_NO_MEMORY(search->diag);
	}
	if (answer->candidate_count == SEARCH_CANDIDATES_MAX ||
			sweep_check(search->sweep, flags, &refused) != CSC_OK) {
		/* The release refuses them: they are none. */
		free(result);
		return CSC_OK;
	}
	status = sweep_run(search->sweep, &job, 1, result, search->request->stop,
			search->request->deadline_ns, search->diag);
	if (status == CSC_OK && search->request->keep) {
		status = search->request->keep(
				search->request->context, &job, result, 1, search->diag);
	}
	answer->cpu_seconds += result->cpu_seconds;
	answer->wholes += result->is_done;
	answer->is_cut_short |= !result->is_done && !diag_is_set(&result->diag);
	if (result->is_done && result->refused <= answer->plain.refused) {
		*candidate = (struct search_candidate){ .name = name,
			.all = result->figures[SWEEP_ALL],
			.is_costly = compose_is_costly(&answer->plain, result, SWEEP_ALL),
			.is_shown_only = is_shown_only };
		(void)snprintf(candidate->flags, sizeof(candidate->flags), "%s", flags);
		answer->candidate_count++;
	}
	free(result);
	return status;
}

/* What all allocators share, beside the composition. */
static enum csc_status try_shared(struct search *search, const char *composed)
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
		char flags[SETTING_FLAGS_BYTES + 64];

		(void)snprintf(flags, sizeof(flags), "%s%s%s", composed, *composed ? " " : "",
				shared[i].flags);
		if (strlen(flags) < SETTING_FLAGS_BYTES &&
				try_candidate(search, shared[i].name, flags,
						shared[i].is_shown_only) != CSC_OK) {
			return CSC_ERROR;
		}
	}
	return CSC_OK;
}

static enum csc_status try_others(struct search *search)
{
	for (size_t i = 0; i < search->request->flag_count; i++) {
		if (try_candidate(search, "yours", search->request->flags[i], false) != CSC_OK) {
			return CSC_ERROR;
		}
	}
	for (const struct search_folklore *row = search_folklore; row->name; row++) {
		if (try_candidate(search, row->name, row->flags, false) != CSC_OK) {
			return CSC_ERROR;
		}
	}
	return CSC_OK;
}

/* Chosen on the first half, measured on the second. */
static void hold_out(struct search *search)
{
	const struct composition none = { { 0 } };
	enum sweep_objective what = search->request->objective;
	struct composition chosen;
	const int half = SWEEP_SAMPLES / 2;

	compose_best(search->runs, search->run_count, search->answer->letters, what, 0, half,
			LEAST_SETTING, &chosen);
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
		if (!candidate->is_shown_only && !candidate->is_costly &&
				compose_figure(&candidate->all, search->request->objective) <
						compose_figure(&best->all,
								search->request->objective) *
								(1 - LEAST_SETTING)) {
			answer->best = i;
		}
	}
}

static enum csc_status compose(struct search *search)
{
	struct search_answer *answer = search->answer;
	char flags[SETTING_FLAGS_BYTES];
	struct composition best;
	size_t count = answer->candidate_count;

	best_of(search, &best);
	compose_settings(search->runs, &best, &answer->settings);
	settings_print(&answer->settings, flags);
	answer->composed = compose_value(
			search->runs, &best, search->request->objective, 0, SWEEP_SAMPLES);
	hold_out(search);
	if (!*flags) {
		answer->replayed = answer->composed;
		return CSC_OK;
	}
	if (try_candidate(search, "the best of each allocator", flags, false) != CSC_OK) {
		return CSC_ERROR;
	}
	if (answer->candidate_count > count) {
		answer->replayed = compose_figure(
				&answer->candidates[count].all, search->request->objective);
	}
	return try_shared(search, flags);
}

/* The plain replay comes first: it says whether there is anything to search. */
static enum csc_status begin(struct search *search)
{
	struct settings none;

	settings_init(&none);
	add_run(search, &none);
	if (play_added(search, 0) != CSC_OK) {
		return CSC_ERROR;
	}
	search->answer->plain = search->runs[0].result;
	if (!search->answer->plain.is_done) {
		return DIAG_FAIL(search->diag, "%s",
				diag_is_set(&search->answer->plain.diag)
						? search->answer->plain.diag.text
						: "there was no time for a replay");
	}
	search->answer->candidates[0] = (struct search_candidate){ .name = "as recorded",
		.all = search->answer->plain.figures[SWEEP_ALL] };
	search->answer->candidate_count = 1;
	search->answer->bound = find_bound(search);
	choose_letters(search);
	return sweep_judge(search->sweep, &search->answer->plain, search->diag);
}

static enum csc_status predict(struct search *search)
{
	const struct search_answer *answer = search->answer;
	const char *const flags[] = { answer->candidates[answer->best].flags };
	const char *const none[] = { "" };

	if (sweep_predict(search->sweep, none, 1, NULL, &search->answer->before, search->diag) !=
			CSC_OK) {
		return CSC_ERROR;
	}
	return sweep_predict(search->sweep, flags, 1, &search->answer->before.usual,
			&search->answer->after, search->diag);
}

enum csc_status sweep_search(struct sweep *sweep, const struct search_request *request,
		struct search_answer *ret_answer, struct diag *diag)
{
	struct search *search = calloc(1, sizeof(*search));
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
	if (status == CSC_OK &&
			(learn_needs(search) != CSC_OK || try_grid(search) != CSC_OK ||
					descend(search) != CSC_OK || compose(search) != CSC_OK ||
					try_others(search) != CSC_OK)) {
		status = CSC_ERROR;
	}
	if (status == CSC_OK) {
		choose_best(search);
		status = predict(search);
	}
	free(search->runs);
	free(search);
	return status;
}
