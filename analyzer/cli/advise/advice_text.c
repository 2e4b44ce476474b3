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

const char *advice_objective(enum sweep_objective objective)
{
	static const char *const names[] = { "peak", "end", "average" };

	return names[objective];
}

/* As part of a sentence. */
static const char *when(const struct advice *advice)
{
	static const char *const words[] = { "at the peak", "at the end", "on average" };

	return words[advice->objective];
}

const struct sweep_range *advice_range(
		const struct sweep_prediction *prediction, enum sweep_objective objective)
{
	return objective == OBJECTIVE_PEAK	     ? &prediction->peak[SWEEP_ALL]
			: objective == OBJECTIVE_END ? &prediction->end[SWEEP_ALL]
						     : &prediction->average[SWEEP_ALL];
}

/* Bytes that are saved, at least and at most. */
static void find_saving(const struct advice *advice, double *ret_low, double *ret_high)
{
	const struct sweep_range *before = advice_range(&advice->answer->before, advice->objective);
	const struct sweep_range *after = advice_range(&advice->answer->after, advice->objective);

	*ret_low = before->low - after->high;
	*ret_high = before->high - after->low;
}

const char *advice_refusal(const struct advice *advice)
{
	const struct search_answer *answer = advice->answer;
	double low;
	double high;

	find_saving(advice, &low, &high);
	if (answer->best == 0) {
		return "no setting that was replayed saves memory";
	}
	if (low <= 0) {
		return "over all schedules of the threads, the best setting may save nothing";
	}
	if (answer->half_other >= 1) {
		return "settings chosen on the first half of the recording save nothing in the second";
	}
	if (advice->max_mappings &&
			answer->after.usual.figures[SWEEP_ALL].mappings >
					advice->max_mappings / 2) {
		return "the best setting needs too many mappings: see vm.max_map_count";
	}
	return NULL;
}

/* What a candidate is, after its figures. */
static void print_name(
		const struct advice *advice, const struct search_candidate *candidate, FILE *out)
{
	char made[SETTING_FLAGS_BYTES];
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
	print_name(advice, candidate, out);
}

void advice_print_table(const struct advice *advice, FILE *out)
{
	const struct search_answer *answer = advice->answer;
	double now = compose_figure(&answer->plain.figures[SWEEP_ALL], advice->objective);
	double most = now > answer->bound ? now - answer->bound : 0;

	(void)fprintf(out,
			"Best case from tuning: about %.1f MiB of %.1f MiB of carriers %s; the rest is "
			"in blocks.\n\n",
			most / MIB, now / MIB, when(advice));
	(void)fprintf(out, "  %9s %9s %9s %9s %9s %8s\n", "peak MiB", "end", "average", "calls",
			"copied", "mappings");
	for (size_t i = 0; i < answer->candidate_count; i++) {
		print_candidate(advice, &answer->candidates[i], out);
	}
	(void)fprintf(out,
			"* no other line is better in memory %s, calls and copies.\n"
			"%zu settings were replayed on a quarter of the recording, %zu in full (%.0f s "
			"of CPU).\n\n",
			when(advice), answer->parts, answer->wholes, answer->cpu_seconds);
	if (answer->is_cut_short) {
		fputs("The search was cut short: this is what it had found.\n\n", out);
	}
}

/* Flags as lines, or within one. */
static void print_flags(const struct advice *advice, const char *flags, FILE *out)
{
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

/* What leads back, of settings that the search has made itself. */
static void print_undo(const struct advice *advice, const char *flags, FILE *out)
{
	char made[SETTING_FLAGS_BYTES];
	char undo[SETTING_FLAGS_BYTES];

	settings_print(&advice->answer->settings, made);
	if (*made && strncmp(flags, made, strlen(made)) == 0) {
		settings_print_undo(&advice->answer->settings, &advice->facts->options, undo);
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
			"# carrierscope advise, %s: carriers %s %.1f MiB, range %.1f to %.1f, instead of "
			"%.1f\n# predicted from '%s', OTP %s\n",
			date, when(advice), after->likely / MIB, after->low / MIB,
			after->high / MIB, before->likely / MIB, advice->database,
			advice->facts->options.generation->name);
}

static void print_refusal(const struct advice *advice, FILE *out)
{
	const struct search_answer *answer = advice->answer;
	double now = compose_figure(&answer->plain.figures[SWEEP_ALL], advice->objective);

	(void)fprintf(out, "No flag is advised: %s.\n", advice->refusal);
	if (answer->bound > 0 && now > 0) {
		(void)fprintf(out,
				"%.0f %% of the carriers are in blocks %s: what would save memory is the "
				"code that holds them (carrierscope report holders %s).\n",
				100.0 * answer->bound / now, when(advice), advice->database);
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
	find_saving(advice, &low, &high);
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
	print_flags(advice, best->flags, out);
	print_undo(advice, best->flags, out);
	(void)fprintf(out,
			"# after the restart, record again: carrierscope advise %s --verify new.db\n",
			advice->database);
}
