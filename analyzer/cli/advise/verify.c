/*
 * SPDX-License-Identifier: MIT
 *
 * A prediction, the recordings that came after it, and how far recordings differ by themselves.
 */
#include "verify.h"

#include <stdlib.h>

#include "compose.h"
#include "json_writer.h"
#include "predict.h"
#include "source_options.h"
#include "sweep_rows.h"
#include "visible.h"

#define MIB 1048576.0

enum { FIGURES = OBJECTIVE_AVERAGE + 1 };

/* Recordings with the same flags, of all allocators. */
struct group {
	size_t count;

	/* The mean of what each has, and the union of their ranges. */
	struct sweep_range figures[FIGURES];

	/* Least and most of what each has. */
	double least[FIGURES];
	double most[FIGURES];
};

struct outcome {
	struct sweep_promise promise;
	struct group before;
	struct group after;
};

/* A prediction is for one release only. */
static enum csc_status check_release(const struct recording_facts *before,
		const struct sweep *after, const char *path, struct diag *diag)
{
	const struct csc_generation *generation = csc_generation_find(before->release);
	const struct csc_generation *other = sweep_facts(after)->options.generation;

	return !generation || generation == other
			? CSC_OK
			: DIAG_REFUSE(diag,
					  "'%s' is of OTP %s and the prediction is for OTP %s: search again in a "
					  "recording of this release",
					  path, other->name, generation->name);
}

static void add(struct group *group, int figure, const struct sweep_range *range)
{
	struct sweep_range *sum = &group->figures[figure];
	double count = (double)group->count;

	if (group->count == 0) {
		*sum = *range;
		group->least[figure] = group->most[figure] = range->likely;
		return;
	}
	sum->likely = (sum->likely * count + range->likely) / (count + 1);
	sum->low = range->low < sum->low ? range->low : sum->low;
	sum->high = range->high > sum->high ? range->high : sum->high;
	group->least[figure] =
			range->likely < group->least[figure] ? range->likely : group->least[figure];
	group->most[figure] =
			range->likely > group->most[figure] ? range->likely : group->most[figure];
}

/* What a recording has itself: its replay, but at the end what the node read, if it did. */
static enum csc_status measure(struct sweep *sweep, struct group *group, struct diag *diag)
{
	static const char *const none[] = { "" };
	const struct sweep_facts *facts = sweep_facts(sweep);
	struct sweep_prediction *outcome = calloc(1, sizeof(*outcome));
	double bytes = (double)facts->node_end_bytes[SWEEP_ALL];
	enum csc_status status = CSC_ERROR;

	if (!outcome) {
		return DIAG_NO_MEMORY(diag);
	}
	if (sweep_predict(sweep, none, 1, NULL, outcome, NULL, 0, diag) == CSC_OK &&
			sweep_judge(sweep, &outcome->usual, diag) == CSC_OK) {
		if (facts->has_readings && bytes >= 0) {
			outcome->end[SWEEP_ALL] = (struct sweep_range){ bytes, bytes, bytes };
		}
		add(group, OBJECTIVE_PEAK, &outcome->peak[SWEEP_ALL]);
		add(group, OBJECTIVE_END, &outcome->end[SWEEP_ALL]);
		add(group, OBJECTIVE_AVERAGE, &outcome->average[SWEEP_ALL]);
		group->count++;
		status = CSC_OK;
	}
	free(outcome);
	return status;
}

/* Whether a recording has the flags of its group; `options` NULL: the advised flags. */
static enum csc_status check_flags(const struct sweep *sweep, const char *path, const char *flags,
		const struct csc_options *options, struct diag *diag)
{
	if (options && !sweep_has_options(sweep, options)) {
		return DIAG_REFUSE(diag,
				"'%s' was recorded with other flags than the recording that the advice is "
				"of: before --verify stand repeats with the same flags",
				path);
	}
	if (!options && !sweep_has_flags(sweep, flags, diag)) {
		return diag_is_set(diag)
				? CSC_ERROR
				: DIAG_REFUSE(diag,
						  "'%s' was recorded without the advised flags: %s",
						  path, flags);
	}
	return CSC_OK;
}

/* Takes one more recording; `ret_options` NULL: nobody wants its options. */
static enum csc_status read_recording(const struct verify_request *request, const char *path,
		const struct recording_facts *facts, const char *flags,
		const struct csc_options *options, struct group *group,
		struct csc_options *ret_options, struct diag *diag)
{
	struct sweep_request source = *request->source;
	struct sweep *sweep;
	enum csc_status status = CSC_ERROR;

	source.path = path;
	sweep = sweep_open(&source, diag);
	if (sweep && check_release(facts, sweep, path, diag) == CSC_OK &&
			(ret_options || check_flags(sweep, path, flags, options, diag) == CSC_OK)) {
		status = measure(sweep, group, diag);
	}
	if (status == CSC_OK && ret_options) {
		*ret_options = sweep_facts(sweep)->options;
	}
	sweep_close(sweep);
	return status;
}

/* Without other recordings of the flags the figures that the search kept are enough. */
static void use_kept(struct outcome *outcome)
{
	const double bytes[FIGURES] = { outcome->promise.peak_before, outcome->promise.end_before,
		outcome->promise.average_before };

	for (int i = 0; i < FIGURES; i++) {
		const struct sweep_range range = { bytes[i], bytes[i], bytes[i] };

		add(&outcome->before, i, &range);
	}
	outcome->before.count = 1;
}

static enum csc_status read_recordings(const struct verify_request *request,
		const struct recording_facts *facts, struct outcome *outcome, struct diag *diag)
{
	const char *flags = outcome->promise.flags;
	struct csc_options options;
	enum csc_status status = CSC_OK;

	for (size_t i = 0; status == CSC_OK && i < request->after_count; i++) {
		status = read_recording(request, request->after[i], facts, flags, NULL,
				&outcome->after, NULL, diag);
	}
	if (status == CSC_OK && request->before_count == 0) {
		use_kept(outcome);
	} else if (status == CSC_OK) {
		status = read_recording(request, request->source->path, facts, flags, NULL,
				&outcome->before, &options, diag);
	}
	for (size_t i = 0; status == CSC_OK && i < request->before_count; i++) {
		status = read_recording(request, request->before[i], facts, flags, &options,
				&outcome->before, NULL, diag);
	}
	return status;
}

/* How far recordings with the same flags differ, in bytes; -1: not known. */
static double noise_of(const struct outcome *outcome, int figure)
{
	double before = outcome->before.most[figure] - outcome->before.least[figure];
	double after = outcome->after.most[figure] - outcome->after.least[figure];

	if (outcome->before.count < 2 && outcome->after.count < 2) {
		return -1;
	}
	return before > after ? before : after;
}

static double saving_of(const struct outcome *outcome, int figure)
{
	return outcome->before.figures[figure].likely - outcome->after.figures[figure].likely;
}

static const struct sweep_range *promise_of(const struct outcome *outcome, int figure)
{
	return figure == OBJECTIVE_PEAK		  ? &outcome->promise.peak
			: figure == OBJECTIVE_END ? &outcome->promise.end
						  : &outcome->promise.average;
}

static const char *verdict_of(const struct outcome *outcome, int figure)
{
	const struct sweep_range *promised = promise_of(outcome, figure);
	const struct sweep_range *range = &outcome->after.figures[figure];
	double noise = noise_of(outcome, figure);

	noise = noise > 0 ? noise : 0;
	return range->low > promised->high + noise	      ? "more than predicted"
			: range->high < promised->low - noise ? "less than predicted"
							      : "as predicted";
}

/* Of the objective: the saving is larger than what recordings differ by anyway. */
static bool is_outside(const struct outcome *outcome, int figure)
{
	return saving_of(outcome, figure) > noise_of(outcome, figure);
}

/* The average depends on how long each part of the load took: it decides nothing. */
static bool is_kept(const struct outcome *outcome)
{
	for (int i = 0; i < OBJECTIVE_AVERAGE; i++) {
		const struct sweep_range *promised = promise_of(outcome, i);
		double noise = noise_of(outcome, i);

		if (outcome->after.figures[i].low > promised->high + (noise > 0 ? noise : 0)) {
			return false;
		}
	}
	return true;
}

static void print_figure(const struct outcome *outcome, int figure)
{
	const struct sweep_range *promised = promise_of(outcome, figure);
	const struct sweep_range *range = &outcome->after.figures[figure];
	double noise = noise_of(outcome, figure);
	char shown[32] = "unknown";

	if (noise >= 0) {
		(void)snprintf(shown, sizeof(shown), "%.1f", noise / MIB);
	}
	(void)printf("%-8s %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f %9s  %s\n",
			compose_objective((enum sweep_objective)figure), promised->likely / MIB,
			promised->low / MIB, promised->high / MIB, range->likely / MIB,
			range->low / MIB, range->high / MIB,
			outcome->before.figures[figure].likely / MIB, shown,
			verdict_of(outcome, figure));
}

static const char *when(enum sweep_objective objective)
{
	static const char *const words[] = { "at the peak", "at the end", "on average" };

	return words[objective];
}

static void print_text(const struct verify_request *request, const struct outcome *outcome)
{
	enum sweep_objective objective = compose_summed(outcome->promise.objective);
	double noise = noise_of(outcome, (int)objective);

	fputs("with ", stdout);
	visible_print(stdout, outcome->promise.flags, VISIBLE_CELL);
	(void)printf("\n%-8s %9s %9s %9s %9s %9s %9s %9s %9s\n", "MiB", "predicted", "low", "high",
			"outcome", "low", "high", "before", "noise");
	for (int i = 0; i < FIGURES; i++) {
		print_figure(outcome, i);
	}
	if (noise >= 0) {
		(void)printf("The saving of %.1f MiB %s is %s the node's own noise of %.1f MiB: how far "
			     "recordings with the same flags differ (%zu before, %zu after).\n",
				saving_of(outcome, (int)objective) / MIB, when(objective),
				is_outside(outcome, (int)objective) ? "outside" : "inside",
				noise / MIB, outcome->before.count, outcome->after.count);
	} else {
		(void)printf("The node's own noise is unknown, so a saving of %.1f MiB %s may be chance: "
			     "record it again with the same flags, before and after, then\n"
			     "carrierscope advise %s BEFORE.db --verify %s --verify AFTER.db\n",
				saving_of(outcome, (int)objective) / MIB, when(objective),
				request->source->path, request->after[0]);
	}
}

static void append_range(
		struct json_writer *json, const char *name, const struct sweep_range *range)
{
	json_key(json, name);
	json_open(json, '{');
	json_member_integer(json, "likely_bytes", (int64_t)range->likely);
	json_member_integer(json, "low_bytes", (int64_t)range->low);
	json_member_integer(json, "high_bytes", (int64_t)range->high);
	json_close(json, '}');
}

static void append_figure(struct json_writer *json, const struct outcome *outcome, int figure)
{
	double noise = noise_of(outcome, figure);

	json_key(json, compose_objective((enum sweep_objective)figure));
	json_open(json, '{');
	append_range(json, "predicted", promise_of(outcome, figure));
	append_range(json, "outcome", &outcome->after.figures[figure]);
	json_member_integer(json, "before_bytes", (int64_t)outcome->before.figures[figure].likely);
	json_member_integer(json, "saving_bytes", (int64_t)saving_of(outcome, figure));
	json_key(json, "noise_bytes");
	if (noise < 0) {
		json_text(json, NULL);
		json_member_text(json, "saving", NULL);
	} else {
		json_integer(json, (int64_t)noise);
		json_member_text(json, "saving",
				is_outside(outcome, figure) ? "outside the noise"
							    : "inside the noise");
	}
	json_member_text(json, "verdict", verdict_of(outcome, figure));
	json_close(json, '}');
}

static void print_json(const struct verify_request *request, const struct outcome *outcome)
{
	struct json_writer json = { .stream = stdout };

	json_open(&json, '{');
	json_member_text(&json, "database", request->source->path);
	json_member_text(&json, "flags", outcome->promise.flags);
	json_member_text(&json, "objective", compose_objective(outcome->promise.objective));
	json_member_integer(&json, "recordings_before", (int64_t)outcome->before.count);
	json_member_integer(&json, "recordings_after", (int64_t)outcome->after.count);
	for (int i = 0; i < FIGURES; i++) {
		append_figure(&json, outcome, i);
	}
	json_close_line(&json, '}');
}

static int judge(const struct verify_request *request, const struct outcome *outcome)
{
	/* Of resident memory there is a reading now and then only: its carriers are compared. */
	int objective = (int)compose_summed(outcome->promise.objective);

	(request->is_json ? print_json : print_text)(request, outcome);
	return is_kept(outcome) &&
					(noise_of(outcome, objective) < 0 ||
							is_outside(outcome, objective))
			? EXIT_DONE
			: EXIT_FAILED;
}

int verify(const struct verify_request *request)
{
	const char *path = request->source->path;
	struct outcome outcome = { 0 };
	struct diag diag = { 0 };
	struct recording *recording = recording_open(path, request->source->runtime, &diag);
	struct recording_facts facts = { 0 };
	struct sweep_file *file = NULL;
	int status = EXIT_FAILED;

	if (recording) {
		recording_facts(recording, &facts);
		file = sweep_file_open(path, facts.runtime, &diag);
	}
	if (file && sweep_file_promise(file, &outcome.promise, &diag) == CSC_OK &&
			read_recordings(request, &facts, &outcome, &diag) == CSC_OK) {
		status = judge(request, &outcome);
	} else {
		status = source_fail(&diag);
	}
	sweep_file_close(file);
	recording_close(recording);
	free(outcome.promise.flags);
	return status;
}
