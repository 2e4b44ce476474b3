/*
 * SPDX-License-Identifier: MIT
 *
 * Tables and lines of advice.
 */
#include "advice_text.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#define MIB 1048576.0

/* Of carriers that are less in blocks it is not said that the code is to blame. */
#define MOST_IN_BLOCKS 0.5

/* As part of a sentence, by objective. */
static const char *const moments[] = { "at the peak", "at the end", "on average", "at its peak" };

static const char *when(const struct advice *advice)
{
	return moments[advice->objective];
}

/* What is to be small. */
static const char *what(const struct advice *advice)
{
	return advice->objective == OBJECTIVE_RSS ? "resident memory" : "carriers";
}

/* Resident memory has parts beside carriers and segment caches; 0 of other objectives. */
static double rest(const struct advice *advice)
{
	double bytes = 0;

	if (advice->objective == OBJECTIVE_RSS) {
		(void)sweep_rest(advice->sweep, &advice->answer->plain, &bytes);
	}
	return bytes;
}

const struct sweep_range *advice_range(
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

/* What is added to a figure's range is more than what a change may be off by. */
void advice_saving(const struct advice *advice, double *ret_low, double *ret_high)
{
	const struct sweep_range *before = advice_range(&advice->answer->before, advice->objective);
	const struct sweep_range *after = advice_range(&advice->answer->after, advice->objective);
	struct measured_error error = error_of(advice->objective);
	double less = 0;

	if (advice->objective == OBJECTIVE_RSS || !advice->facts->recording.has_work) {
		less = (error.figure - error.change) * before->likely;
	}
	*ret_low = before->low - after->high + less;
	*ret_high = before->high - after->low - less;
}

/*
 * What stays with the process more than without flags, in bytes: carriers, and what segment caches
 * and a super carrier keep of those that are gone.
 */
static double held_more(const struct advice *advice, const struct sweep_figure *figure)
{
	return compose_held(figure, advice->objective) -
			compose_held(&advice->answer->plain.figures[SWEEP_ALL], advice->objective);
}

/* The best setting saves less than its range is wide. */
static const char *unsure(const struct advice *advice)
{
	static char text[192];

	if (advice->objective != OBJECTIVE_RSS && advice->facts->recording.has_work) {
		return "over all schedules of the threads, the best setting may save nothing";
	}
	(void)snprintf(text, sizeof(text),
			"the best setting may save nothing: predicted changes of %s %s were off by up to "
			"%.0f %% on measured nodes, beside what schedules of the threads change",
			what(advice), when(advice), 100.0 * error_of(advice->objective).change);
	return text;
}

const char *advice_refusal(const struct advice *advice)
{
	const struct search_answer *answer = advice->answer;
	double low;
	double high;

	advice_saving(advice, &low, &high);
	if (answer->best == 0 && answer->is_cut_short) {
		return "the search was cut short before it found a setting that saves memory; it goes on when it is started again";
	}
	if (answer->best == 0) {
		return "no setting that was replayed saves memory";
	}
	if (low <= 0) {
		return unsure(advice);
	}
	if (answer->half_other >= 1) {
		return "settings chosen on the first half of the recording save nothing in the second";
	}
	if (advice->max_mappings &&
			answer->after.usual.figures[SWEEP_ALL].mappings >
					advice->max_mappings / 2) {
		return "the best setting needs too many mappings: see vm.max_map_count";
	}
	if (held_more(advice, &answer->after.usual.figures[SWEEP_ALL]) >= 0) {
		return "the best setting has less in carriers, but the process keeps as much or more, in segment caches or a super carrier";
	}
	return NULL;
}

/* What a candidate is, after its figures. */
static void print_name(
		const struct advice *advice, const struct search_candidate *candidate, FILE *out)
{
	char made[SETTING_FLAGS_BYTES];
	double more = held_more(advice, &candidate->all);
	size_t length;

	settings_print(&advice->answer->settings, made);
	length = strlen(made);
	fputs(candidate->name, out);
	if (length > 0 && strncmp(candidate->flags, made, length) == 0) {
		(void)fprintf(out, "%s%s", candidate->flags[length] ? ": the same and" : "",
				candidate->flags + length);
	} else if (*candidate->flags) {
		(void)fprintf(out, ": %s", candidate->flags);
	}
	if (candidate->is_shown_only) {
		fputs(" (it has costs that are not replayed)", out);
	} else if (candidate->is_costly) {
		fputs(" (too many calls)", out);
	} else if (candidate->is_foreign) {
		fputs(" (it changes other allocators than --letters)", out);
	}
	if (more >= MIB) {
		(void)fprintf(out,
				" (%.1f MiB more stays with the process, in segment caches or a super carrier)",
				more / MIB);
	}
	fputc('\n', out);
}

static void print_candidate(
		const struct advice *advice, const struct search_candidate *candidate, FILE *out)
{
	(void)fprintf(out, "%c %9.1f %9.1f %9.1f %9" PRIu64 " %9.1f %8" PRIu64 "  ",
			candidate->is_on_frontier ? '*' : ' ',
			(double)candidate->all.peak_bytes / MIB,
			(double)candidate->all.end_bytes / MIB, candidate->all.average_bytes / MIB,
			candidate->all.calls, (double)candidate->all.copied_bytes / MIB,
			candidate->all.mappings);
	if (advice->objective == OBJECTIVE_RSS) {
		(void)fprintf(out, "%8.1f  ",
				((double)candidate->all.held_peak_bytes + rest(advice)) / MIB);
	}
	print_name(advice, candidate, out);
}

static void print_left_out(const struct advice *advice, FILE *out)
{
	const struct search_answer *answer = advice->answer;

	for (size_t i = 0; i < answer->left_out_count; i++) {
		const struct search_left_out *left_out = &answer->left_out[i];

		(void)fprintf(out, "Not tried, since OTP %s refuses it: %s, %s (%s).\n",
				advice->facts->options.generation->name, left_out->name,
				left_out->flags, left_out->sentence);
	}
}

void advice_print_table(const struct advice *advice, FILE *out)
{
	const struct search_answer *answer = advice->answer;
	double now = compose_figure(&answer->plain.figures[SWEEP_ALL], advice->objective);
	double most = now > answer->bound ? now - answer->bound : 0;
	char kept[64] = "";

	if (answer->kept > 0) {
		(void)snprintf(kept, sizeof(kept), "; %zu of them had been before", answer->kept);
	}
	(void)fprintf(out,
			"Best case from tuning: about %.1f MiB of %.1f MiB of %s %s; the rest is in %s.\n\n",
			most / MIB, (now + rest(advice)) / MIB, what(advice), when(advice),
			advice->objective == OBJECTIVE_RSS ? "blocks, or no allocator's"
							   : "blocks");
	(void)fprintf(out, "  %9s %9s %9s %9s %9s %8s%s\n", "peak MiB", "end", "average", "calls",
			"copied", "mappings",
			advice->objective == OBJECTIVE_RSS ? "  resident" : "");
	for (size_t i = 0; i < answer->candidate_count; i++) {
		print_candidate(advice, &answer->candidates[i], out);
	}
	(void)fprintf(out,
			"* no other line is better in %s %s, calls and copies.\n"
			"%zu settings were replayed on a quarter of the recording, %zu in full (%.0f s, "
			"%.0f s of CPU)%s.\n",
			advice->objective == OBJECTIVE_RSS ? what(advice) : "memory", when(advice),
			answer->parts, answer->wholes, answer->seconds, answer->cpu_seconds, kept);
	print_left_out(advice, out);
	(void)fputc('\n', out);
	if (answer->is_cut_short) {
		fputs("The search was cut short: this is what it had found.\n\n", out);
	}
}

void advice_print_lines(const struct advice *advice, FILE *out)
{
	const char *flags = advice->answer->candidates[advice->answer->best].flags;

	switch (advice->target) {
	case TARGET_RABBITMQ:
		(void)fprintf(out, "# in rabbitmq-env.conf\nSERVER_ADDITIONAL_ERL_ARGS=\"%s\"\n",
				flags);
		break;
	case TARGET_EJABBERD:
		(void)fprintf(out, "# in ejabberdctl.cfg\nERL_OPTIONS=\"%s\"\n", flags);
		break;
	case TARGET_VM_ARGS:
	case TARGET_MIX_RELEASE:
		(void)fprintf(out, "# in %s\n",
				advice->target == TARGET_VM_ARGS ? "vm.args" : "rel/vm.args.eex");
		for (const char *at = flags; *at; at++) {
			/* A flag on each line, with its value. */
			fputc(at[0] == ' ' && at[1] == '+' ? '\n' : at[0], out);
		}
		fputc('\n', out);
		break;
	default:
		(void)fprintf(out, "erl %s\n", flags);
		break;
	}
}

bool advice_undo(const struct advice *advice, char ret_undo[SETTING_FLAGS_BYTES])
{
	const char *flags = advice->answer->candidates[advice->answer->best].flags;
	char made[SETTING_FLAGS_BYTES];

	/* Of settings that the search has made itself. */
	settings_print(&advice->answer->settings, made);
	if (!*made || strncmp(flags, made, strlen(made)) != 0) {
		return false;
	}
	settings_print_undo(&advice->answer->settings, &advice->facts->options, ret_undo);
	return true;
}

static void print_undo(const struct advice *advice, FILE *out)
{
	char undo[SETTING_FLAGS_BYTES];

	if (advice_undo(advice, undo)) {
		(void)fprintf(out, "# undo: remove it; the recorded values are %s\n", undo);
	} else {
		fputs("# undo: remove it\n", out);
	}
}

static void print_comments(const struct advice *advice, FILE *out)
{
	const struct sweep_range *before = advice_range(&advice->answer->before, advice->objective);
	const struct sweep_range *after = advice_range(&advice->answer->after, advice->objective);
	time_t now = time(NULL);
	struct tm day;
	char date[16] = "";

	if (gmtime_r(&now, &day)) {
		(void)strftime(date, sizeof(date), "%Y-%m-%d", &day);
	}
	(void)fprintf(out,
			"# carrierscope advise, %s: %s %s %.1f MiB, range %.1f to %.1f, instead of "
			"%.1f\n# predicted from '%s', OTP %s\n",
			date, what(advice), when(advice), after->likely / MIB, after->low / MIB,
			after->high / MIB, before->likely / MIB, advice->database,
			advice->facts->options.generation->name);
}

/* Where another objective has a setting that saves twice what predicted changes were off by. */
static void print_elsewhere(const struct advice *advice, FILE *out)
{
	static const enum sweep_objective others[] = { OBJECTIVE_PEAK, OBJECTIVE_END,
		OBJECTIVE_AVERAGE };
	const struct search_answer *answer = advice->answer;
	double least_share = 1 - 2 * SWEEP_CHANGE_ERROR;
	enum sweep_objective found = advice->objective;
	double least = 0;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		double now = compose_figure(&answer->plain.figures[SWEEP_ALL], others[i]);

		for (size_t k = 0; k < answer->candidate_count && others[i] != advice->objective;
				k++) {
			const struct search_candidate *candidate = &answer->candidates[k];
			double bytes = compose_figure(&candidate->all, others[i]);

			if (!candidate->is_shown_only && !candidate->is_foreign &&
					bytes < least_share * now) {
				least_share = bytes / now;
				least = bytes;
				found = others[i];
			}
		}
	}
	if (found != advice->objective) {
		(void)fprintf(out,
				"A setting that was replayed leaves %.1f MiB of carriers %s instead of %.1f: "
				"carrierscope advise %s --objective %s\n",
				least / MIB, moments[found], least / least_share / MIB,
				advice->database, compose_objective(found));
	}
}

static void print_refusal(const struct advice *advice, FILE *out)
{
	const struct search_answer *answer = advice->answer;
	enum sweep_objective summed = compose_summed(advice->objective);
	double now = compose_figure(&answer->plain.figures[SWEEP_ALL], summed);

	(void)fprintf(out, "No flag is advised: %s.\n", advice->refusal);
	if (answer->best > 0) {
		const struct sweep_range *after = advice_range(&answer->after, advice->objective);

		(void)fprintf(out,
				"The best (%s): %.1f MiB of %s %s, range %.1f to %.1f, instead of %.1f; whether it "
				"saves, only a restart with it shows.\n",
				answer->candidates[answer->best].name, after->likely / MIB,
				what(advice), when(advice), after->low / MIB, after->high / MIB,
				advice_range(&answer->before, advice->objective)->likely / MIB);
	}
	print_elsewhere(advice, out);
	if (now > 0 && answer->bound > MOST_IN_BLOCKS * now && !answer->is_cut_short) {
		(void)fprintf(out,
				"%.0f %% of the carriers are in blocks %s: what would save memory is the "
				"code that holds them (carrierscope report holders %s).\n",
				100.0 * answer->bound / now, moments[summed], advice->database);
	}
}

void advice_print(const struct advice *advice, FILE *out)
{
	const struct search_answer *answer = advice->answer;
	const struct search_candidate *best = &answer->candidates[answer->best];
	const struct sweep_range *before = advice_range(&answer->before, advice->objective);
	double low;
	double high;

	if (advice->refusal) {
		print_refusal(advice, out);
		return;
	}
	advice_saving(advice, &low, &high);
	(void)fprintf(out, "Advised (%s): saves %.1f to %.1f MiB %s, %.1f to %.1f %%.\n",
			best->name, low / MIB, high / MIB, when(advice),
			100.0 * low / before->likely, 100.0 * high / before->likely);
	(void)fprintf(out,
			"Chosen on the first half of the recording alone, settings save %.1f %% there and "
			"%.1f %% in the second half.\n",
			100.0 - 100.0 * answer->half_chosen, 100.0 - 100.0 * answer->half_other);
	(void)fprintf(out,
			"The best of each allocator: %.1f MiB as a sum, %.1f MiB replayed together "
			"(%+.2f %%).\n\n",
			answer->composed / MIB, answer->replayed / MIB,
			100.0 * (answer->replayed - answer->composed) / answer->composed);
	print_comments(advice, out);
	advice_print_lines(advice, out);
	print_undo(advice, out);
	(void)fprintf(out,
			"# after the restart, record again: carrierscope advise %s --verify new.db\n",
			advice->database);
}
