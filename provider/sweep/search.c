/* SPDX-License-Identifier: MIT */
/* Rounds of a search. */
#include "search_internal.h"
#include "sweep_internal.h"

#include <stdlib.h>

/* So many values of any knob. */
#define VALUES_MAX 6

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

/* One knob of all allocators that matter, from the best there is. */
static enum csc_status try_knob(
		struct search *search, enum setting_knob knob, const int64_t *values, size_t count)
{
	struct composition best;
	size_t from = search->run_count;

	search_best_of(search, false, &best);
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

static void compose(struct search *search)
{
	struct search_answer *answer = search->answer;
	struct composition best;

	search_best_of(search, false, &best);
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
	status = search_sets(search);
	return status == CSC_OK ? predict(search) : status;
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
