/*
 * SPDX-License-Identifier: MIT
 *
 * Tables and lines of advice.
 */
#include "advice_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MIB 1048576.0

/* Less of the best case that no flag reaches is not worth a word. */
#define REST_BYTES (8 * MIB)

/* Without flags, in KiB; and the least that lmbcs should be of sbct, as finding FRAG-04 has it. */
enum { USUAL_SBCT = 512, LMBCS_BY_SBCT = 8 };

static const char *when(const struct advice *advice)
{
	return advice_moment(advice->objective);
}

static const char *what(const struct advice *advice)
{
	return advice_subject(advice->objective);
}

/* What a candidate is, after its figures. */
static void print_name(const struct advice *advice, size_t number, FILE *out)
{
	const struct search_candidate *candidate = &advice->answer->candidates[number];
	double more = advice->candidates[number].held_more_bytes;
	size_t length = advice->candidates[number].made_length;

	fputs(candidate->name, out);
	if (length > 0) {
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

static void print_candidate(const struct advice *advice, size_t number, FILE *out)
{
	const struct search_candidate *candidate = &advice->answer->candidates[number];

	(void)fprintf(out, "%c %9.1f %9.1f %9.1f %9" PRIu64 " %9.1f %8" PRIu64 "  ",
			candidate->is_on_frontier ? '*' : ' ',
			(double)candidate->all.peak_bytes / MIB,
			(double)candidate->all.end_bytes / MIB, candidate->all.average_bytes / MIB,
			candidate->all.calls, (double)candidate->all.copied_bytes / MIB,
			candidate->all.mappings);
	if (advice->objective == OBJECTIVE_RSS) {
		(void)fprintf(out, "%8.1f  ", advice->candidates[number].resident_bytes / MIB);
	}
	print_name(advice, number, out);
}

static void print_left_out(const struct advice *advice, FILE *out)
{
	const struct search_answer *answer = advice->answer;

	for (size_t i = 0; i < answer->left_out_count; i++) {
		const struct search_left_out *left_out = &answer->left_out[i];

		(void)fprintf(out, "Not tried, since OTP %s refuses it: %s, %s (%s).\n",
				advice->release, left_out->name, left_out->flags,
				left_out->sentence);
	}
}

static void print_table(const struct advice *advice, FILE *out)
{
	const struct search_answer *answer = advice->answer;
	char kept[64] = "";

	if (answer->kept > 0) {
		(void)snprintf(kept, sizeof(kept), "; %zu of them had been before", answer->kept);
	}
	(void)fprintf(out,
			"Best case from tuning: about %.1f MiB of %.1f MiB of %s %s; the rest is in %s.\n\n",
			advice->best_case_bytes / MIB,
			(advice->now_bytes + advice->rest_bytes) / MIB, what(advice), when(advice),
			advice->objective == OBJECTIVE_RSS ? "blocks, or no allocator's"
							   : "blocks");
	(void)fprintf(out, "  %9s %9s %9s %9s %9s %8s%s\n", "peak MiB", "end", "average", "calls",
			"copied", "mappings",
			advice->objective == OBJECTIVE_RSS ? "  resident" : "");
	for (size_t i = 0; i < answer->candidate_count; i++) {
		print_candidate(advice, i, out);
	}
	(void)fprintf(out,
			"* no other line%s is better in %s %s, calls and copies.\n"
			"%zu settings were replayed on a quarter of the recording, %zu in full (%.0f s, "
			"%.0f s of CPU)%s.\n",
			answer->is_cut_short ? " so far" : "",
			advice->objective == OBJECTIVE_RSS ? what(advice) : "memory", when(advice),
			answer->parts, answer->wholes, answer->seconds, answer->cpu_seconds, kept);
	print_left_out(advice, out);
	if (answer->excluded > 0) {
		const struct search_candidate *excluded = &answer->candidates[answer->excluded];

		(void)fprintf(out,
				"Less memory at more calls, so not advised: %s, %.1f MiB, %" PRIu64
				" calls where %" PRIu64 " are allowed.\n",
				excluded->name,
				compose_figure(&excluded->all, advice->objective) / MIB,
				excluded->all.calls, answer->most_calls);
	}
	(void)fputc('\n', out);
	if (answer->is_cut_short) {
		fputs("The search was cut short: this is what it had found.\n\n", out);
	}
}

static void print_undo(const struct advice *advice, FILE *out)
{
	if (*advice->undo) {
		(void)fprintf(out, "# undo: remove it; the recorded values are %s\n", advice->undo);
	} else {
		fputs("# undo: remove it\n", out);
	}
}

static void print_comments(const struct advice *advice, FILE *out)
{
	const struct sweep_range *after = &advice->after;
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
			after->high / MIB, advice->before.likely / MIB, advice->database,
			advice->release);
}

/* Where most of the best case is out of the reach of flags: what is in reach of it. */
static void print_cure(const struct advice *advice, double saved, FILE *out)
{
	const struct search_answer *answer = advice->answer;
	double rest;

	if (answer->excluded > 0) {
		const struct sweep_figure *least = &answer->candidates[answer->excluded].all;
		double excluded = advice->now_bytes - compose_figure(least, advice->objective);

		saved = excluded > saved ? excluded : saved;
	}
	rest = advice->best_case_bytes - saved;
	if (advice->objective != OBJECTIVE_RSS && !answer->is_cut_short && !answer->is_hopeless &&
			rest >= REST_BYTES && rest > saved) {
		(void)fprintf(out,
				"%.1f MiB of the best case no flag that was replayed saves: it lies beside "
				"blocks that stay and pin their carriers; what helps is code that frees or "
				"copies these (carrierscope report holders %s).\n",
				rest / MIB, advice->database);
	}
}

/* The number behind +M, the letter and the name; -1: it is not there. */
static long flag_number(const char *lines, char letter, const char *name)
{
	char flag[16];
	const char *at;

	(void)snprintf(flag, sizeof(flag), "+M%c%s ", letter, name);
	at = strstr(lines, flag);
	return at ? strtol(at + strlen(flag), NULL, 10) : -1;
}

/* Smaller carriers alone: what is reported of them elsewhere. */
static void print_caution(const struct advice *advice, FILE *out)
{
	static const char letters[] = "BDEFHLRS";

	for (size_t i = 0; i < sizeof(letters) - 1; i++) {
		long lmbcs = flag_number(advice->lines, letters[i], "lmbcs");
		long sbct = flag_number(advice->lines, letters[i], "sbct");

		if (lmbcs >= 0 && lmbcs < LMBCS_BY_SBCT * (sbct < 0 ? USUAL_SBCT : sbct)) {
			(void)fprintf(out,
					"# +M%clmbcs is small beside sbct: where blocks just below sbct outlive "
					"others more than here, memory may grow (erlang/otp#9521)\n",
					letters[i]);
		}
	}
}

static void print_refusal(const struct advice *advice, FILE *out)
{
	const struct search_answer *answer = advice->answer;
	const struct sweep_range *after = &advice->after;

	(void)fprintf(out, "No flag is advised: %s.\n", advice->refusal);
	if (answer->best > 0 && answer->is_predicted) {
		(void)fprintf(out,
				"The best (%s): %.1f MiB of %s %s, range %.1f to %.1f, instead of %.1f; whether it "
				"saves, only a restart with it shows.\n",
				answer->candidates[answer->best].name, after->likely / MIB,
				what(advice), when(advice), after->low / MIB, after->high / MIB,
				advice->before.likely / MIB);
	}
	if (advice->elsewhere != advice->objective) {
		(void)fprintf(out,
				"A setting that was replayed leaves %.1f MiB of carriers %s instead of %.1f: "
				"carrierscope advise %s --objective %s\n",
				advice->elsewhere_bytes / MIB, advice_moment(advice->elsewhere),
				advice->elsewhere_of_bytes / MIB, advice->database,
				compose_objective(advice->elsewhere));
	}
	if (advice->in_blocks > 0) {
		(void)fprintf(out,
				"%.0f %% of the carriers are in blocks %s: what would save memory is the "
				"code that holds them (carrierscope report holders %s).\n",
				100.0 * advice->in_blocks,
				advice_moment(compose_summed(advice->objective)), advice->database);
	} else {
		print_cure(advice, 0, out);
	}
}

/* "11.0 MiB", "0.8 to 31.1 MiB". */
static void print_range(double low, double high, const char *unit, FILE *out)
{
	char one[32];
	char other[32];

	(void)snprintf(one, sizeof(one), "%.1f", low);
	(void)snprintf(other, sizeof(other), "%.1f", high);
	if (strcmp(one, other) == 0) {
		(void)fprintf(out, "%s %s", one, unit);
	} else {
		(void)fprintf(out, "%s to %s %s", one, other, unit);
	}
}

static void print_advised(const struct advice *advice, FILE *out)
{
	const struct search_answer *answer = advice->answer;
	const struct search_candidate *best = &answer->candidates[answer->best];
	double low = advice->saving_low;
	double high = advice->saving_high;

	(void)fprintf(out, "Advised (%s): saves ", best->name);
	print_range(low / MIB, high / MIB, "MiB", out);
	(void)fprintf(out, " %s, ", when(advice));
	print_range(100.0 * low / advice->before.likely, 100.0 * high / advice->before.likely, "%",
			out);
	fputs(".\n", out);
	print_cure(advice, high, out);
	if (advice->candidates[answer->best].made_length > 0) {
		(void)fprintf(out,
				"Chosen on the first half of the recording alone, settings save %.1f %% "
				"there and %.1f %% in the second half.\n"
				"The best of each allocator: %.1f MiB as a sum, %.1f MiB replayed together "
				"(%+.2f %%).\n\n",
				100.0 - 100.0 * answer->half_chosen,
				100.0 - 100.0 * answer->half_other, answer->composed / MIB,
				answer->replayed / MIB,
				100.0 * (answer->replayed - answer->composed) / answer->composed);
	} else {
		(void)fprintf(out,
				"It saves %.1f %% in the first half of the recording and %.1f %% in the "
				"second.\n\n",
				100.0 - 100.0 * best->first_half,
				100.0 - 100.0 * best->second_half);
	}
	print_comments(advice, out);
	fputs(advice->lines, out);
	print_caution(advice, out);
	print_undo(advice, out);
	(void)fprintf(out,
			"# after the restart, record again: carrierscope advise %s --verify new.db\n",
			advice->database);
}

/* Loads that timers drive do less on a node that is slowed. */
static void print_slowed(const struct advice *advice, FILE *out)
{
	if (advice->snapshots_ms > 0) {
		(void)fprintf(out,
				"The recording slowed its node: snapshots of every %" PRId64
				" ms came every %" PRId64
				" ms.  A load that timers drive makes more memory than was recorded.  Record "
				"again with fewer snapshots.\n",
				advice->snapshots_ms, advice->snapshots_came_ms);
	}
}

void advice_print_text(const struct advice *advice, FILE *out)
{
	print_slowed(advice, out);
	print_table(advice, out);
	if (*advice->refusal) {
		print_refusal(advice, out);
	} else {
		print_advised(advice, out);
	}
}
