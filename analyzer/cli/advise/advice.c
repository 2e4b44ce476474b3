/*
 * SPDX-License-Identifier: MIT
 *
 * From the answer of a search to advice: what is advised, or why nothing is.
 */
#include "advice.h"

#include <stdio.h>
#include <string.h>

/* Of carriers that are less in blocks it is not said that the code is to blame. */
#define MOST_IN_BLOCKS 0.5

/* Snapshots that come so many times later than asked for are late. */
#define SLOWED 1.3

#define MIB 1048576.0

const char *advice_moment(enum sweep_objective objective)
{
	static const char *const moments[] = { "at the peak", "at the end", "on average",
		"at its peak" };

	return moments[objective];
}

const char *advice_subject(enum sweep_objective objective)
{
	return objective == OBJECTIVE_RSS ? "resident memory" : "carriers";
}

/* Of all allocators. */
static const struct sweep_range *objective_range(
		const struct sweep_prediction *prediction, enum sweep_objective objective)
{
	return objective == OBJECTIVE_PEAK	     ? &prediction->peak[SWEEP_ALL]
			: objective == OBJECTIVE_END ? &prediction->end[SWEEP_ALL]
			: objective == OBJECTIVE_RSS ? &prediction->resident
						     : &prediction->average[SWEEP_ALL];
}

/* Shares of the figure without flags that predictions of figures and of changes were off by. */
struct measured_error {
	double figure;
	double change;
};

static struct measured_error error_of(enum sweep_objective objective)
{
	static const struct measured_error errors[] = {
		[OBJECTIVE_PEAK] = { SWEEP_PEAK_ERROR, SWEEP_CHANGE_ERROR },
		[OBJECTIVE_END] = { SWEEP_END_ERROR, SWEEP_CHANGE_ERROR },
		[OBJECTIVE_AVERAGE] = { SWEEP_AVERAGE_ERROR, SWEEP_CHANGE_ERROR },
		[OBJECTIVE_RSS] = { SWEEP_RESIDENT_ERROR, SWEEP_RESIDENT_CHANGE_ERROR },
	};

	return errors[objective];
}

double advice_least_share(enum sweep_objective objective, bool is_exact)
{
	return is_exact && objective != OBJECTIVE_RSS ? 0 : error_of(objective).change;
}

/* What is added to a figure's range is more than what a change may be off by. */
static void compute_saving(struct advice *advice)
{
	struct measured_error error = error_of(advice->objective);
	double less = 0;

	if (advice->objective == OBJECTIVE_RSS || !advice->is_exact) {
		less = (error.figure - error.change) * advice->before.likely;
	}
	advice->saving_low = advice->before.low - advice->after.high + less;
	advice->saving_high = advice->before.high - advice->after.low - less;
}

static double held_more(const struct advice *advice, const struct sweep_figure *figure)
{
	return compose_held(figure, advice->objective) -
			compose_held(&advice->answer->plain.figures[SWEEP_ALL], advice->objective);
}

/* The best setting saves less than its range is wide. */
static void refuse_unsure(struct advice *advice)
{
	if (advice->objective != OBJECTIVE_RSS && advice->is_exact) {
		(void)snprintf(advice->refusal, sizeof(advice->refusal), "%s",
				"over all schedules of the threads, the best setting may save nothing");
		return;
	}
	(void)snprintf(advice->refusal, sizeof(advice->refusal),
			"the best setting may save nothing: predicted changes of %s %s were off by up to "
			"%.0f %% on measured nodes, beside what schedules of the threads change",
			advice_subject(advice->objective), advice_moment(advice->objective),
			100.0 * error_of(advice->objective).change);
}

/* NULL: the best is advised, unless its saving is unsure. */
static const char *find_refusal(const struct advice *advice)
{
	const struct search_answer *answer = advice->answer;
	const struct sweep_figure *best = &answer->after.usual.figures[SWEEP_ALL];

	if (advice->candidates[answer->best].made_length > 0 && answer->half_other >= 1) {
		return "settings chosen on the first half of the recording save nothing in the second";
	}
	if (answer->candidates[answer->best].second_half >= 1) {
		return "the best setting saves nothing in the second half of the recording";
	}
	if (advice->max_mappings && best->mappings > advice->max_mappings / 2) {
		return "the best setting needs too many mappings: see vm.max_map_count";
	}
	if (held_more(advice, best) >= 0) {
		return "the best setting has less in carriers, but the process keeps as much or more, in segment caches or a super carrier";
	}
	return NULL;
}

static void judge_best(struct advice *advice)
{
	const struct search_answer *answer = advice->answer;
	const char *refusal;

	if (answer->is_hopeless) {
		(void)snprintf(advice->refusal, sizeof(advice->refusal),
				"blocks need %.1f of the %.1f MiB of %s %s, so flags save %.1f MiB at most, "
				"less than predictions are off by (%.0f %%)",
				answer->bound / MIB, (advice->now_bytes + advice->rest_bytes) / MIB,
				advice_subject(advice->objective), advice_moment(advice->objective),
				advice->best_case_bytes / MIB,
				100.0 * advice_least_share(advice->objective, advice->is_exact));
		return;
	}
	if (answer->best > 0 && !answer->is_predicted) {
		(void)snprintf(advice->refusal, sizeof(advice->refusal), "%s",
				"the search was cut short before it had predicted what the best setting saves; it goes on when it is started again");
		return;
	}
	if (answer->best > 0 && advice->saving_low <= 0) {
		refuse_unsure(advice);
		return;
	}
	if (answer->best > 0) {
		refusal = find_refusal(advice);
	} else if (answer->is_cut_short) {
		refusal = "the search was cut short before it found a setting that saves memory; it goes on when it is started again";
	} else {
		refusal = "no setting that was replayed saves memory";
	}
	if (refusal) {
		(void)snprintf(advice->refusal, sizeof(advice->refusal), "%s", refusal);
	}
}

static void compare_candidates(struct advice *advice)
{
	const struct search_answer *answer = advice->answer;
	char made[SETTING_FLAGS_BYTES];
	size_t length;

	settings_print(&answer->settings, made);
	length = strlen(made);
	for (size_t i = 0; i < answer->candidate_count; i++) {
		const struct search_candidate *candidate = &answer->candidates[i];
		bool is_made = length > 0 && strncmp(candidate->flags, made, length) == 0;

		advice->candidates[i] = (struct advice_candidate){
			.made_length = is_made ? length : 0,
			.held_more_bytes = held_more(advice, &candidate->all),
			.resident_bytes =
					(double)candidate->all.held_peak_bytes + advice->rest_bytes,
		};
	}
}

/* vm.args has a flag on each line, with its value. */
static void break_lines(char *text)
{
	for (; *text; text++) {
		if (text[0] == ' ' && text[1] == '+') {
			*text = '\n';
		}
	}
}

static void write_lines(struct advice *advice)
{
	static const struct {
		const char *before;
		const char *after;
		bool is_broken;
	} files[] = {
		[TARGET_ERL] = { "erl ", "\n", false },
		[TARGET_VM_ARGS] = { "# in vm.args\n", "\n", true },
		[TARGET_RABBITMQ] = { "# in rabbitmq-env.conf\nSERVER_ADDITIONAL_ERL_ARGS=\"",
				"\"\n", false },
		[TARGET_EJABBERD] = { "# in ejabberdctl.cfg\nERL_OPTIONS=\"", "\"\n", false },
		[TARGET_MIX_RELEASE] = { "# in rel/vm.args.eex\n", "\n", true },
	};
	const char *flags = advice->answer->candidates[advice->answer->best].flags;

	(void)snprintf(advice->lines, sizeof(advice->lines), "%s%s%s", files[advice->target].before,
			flags, files[advice->target].after);
	if (files[advice->target].is_broken) {
		break_lines(advice->lines);
	}
}

/* Where another objective has a setting that saves twice what predicted changes were off by. */
static void find_elsewhere(struct advice *advice)
{
	static const enum sweep_objective others[] = { OBJECTIVE_PEAK, OBJECTIVE_END,
		OBJECTIVE_AVERAGE };
	const struct search_answer *answer = advice->answer;
	double least_share = 1 - 2 * SWEEP_CHANGE_ERROR;

	advice->elsewhere = advice->objective;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		double now = compose_figure(&answer->plain.figures[SWEEP_ALL], others[i]);

		for (size_t k = 0; k < answer->candidate_count && others[i] != advice->objective;
				k++) {
			const struct search_candidate *candidate = &answer->candidates[k];
			double bytes = compose_figure(&candidate->all, others[i]);

			if (!candidate->is_shown_only && !candidate->is_foreign &&
					bytes < least_share * now) {
				least_share = bytes / now;
				advice->elsewhere = others[i];
				advice->elsewhere_bytes = bytes;
				advice->elsewhere_of_bytes = now;
			}
		}
	}
}

static void find_code(struct advice *advice)
{
	const struct search_answer *answer = advice->answer;
	double now = compose_figure(
			&answer->plain.figures[SWEEP_ALL], compose_summed(advice->objective));

	if (now > 0 && answer->bound > MOST_IN_BLOCKS * now && !answer->is_cut_short) {
		advice->in_blocks = answer->bound / now;
	}
}

void advice_make(const struct advice_request *request, struct advice *ret_advice)
{
	const struct search_answer *answer = request->answer;
	const struct sweep_facts *facts = sweep_facts(request->sweep);
	struct advice *advice = ret_advice;

	*advice = (struct advice){
		.database = request->database,
		.answer = answer,
		.objective = request->objective,
		.target = request->target,
		.max_mappings = request->max_mappings,
		.runtime = facts->recording.runtime,
		.release = facts->options.generation->name,
		.schedules = facts->schedules,
		.is_exact = facts->recording.has_work,
		.now_bytes = compose_figure(&answer->plain.figures[SWEEP_ALL], request->objective),
		.before = *objective_range(&answer->before, request->objective),
		.after = *objective_range(&answer->after, request->objective),
	};
	if (facts->recording.snapshots_ms > 0 &&
			(double)facts->recording.snapshots_came_ms >
					SLOWED * (double)facts->recording.snapshots_ms) {
		advice->snapshots_ms = facts->recording.snapshots_ms;
		advice->snapshots_came_ms = facts->recording.snapshots_came_ms;
	}
	for (int row = 0; row < SWEEP_ROWS; row++) {
		advice->coverage[row] = sweep_coverage(request->sweep, &answer->plain, row);
	}
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		if (answer->letters >> i & 1) {
			advice->letters[strlen(advice->letters)] = csc_allocator_infos[i].letter;
		}
	}
	if (advice->now_bytes > answer->bound) {
		advice->best_case_bytes = advice->now_bytes - answer->bound;
	}
	if (request->objective == OBJECTIVE_RSS) {
		(void)sweep_rest(request->sweep, &answer->plain, &advice->rest_bytes);
	}
	compute_saving(advice);
	compare_candidates(advice);
	judge_best(advice);
	write_lines(advice);
	if (advice->candidates[answer->best].made_length > 0) {
		settings_print_undo(&answer->settings, &facts->options, advice->undo);
	}
	if (*advice->refusal) {
		find_elsewhere(advice);
		find_code(advice);
	}
}
