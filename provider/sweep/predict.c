/* SPDX-License-Identifier: MIT */
/* Ranges of figures. */
#include "predict.h"

#include <stdlib.h>

static void widen(struct sweep_range *range, bool is_first, double figure)
{
	if (is_first) {
		*range = (struct sweep_range){ figure, figure, figure };
	}
	range->low = figure < range->low ? figure : range->low;
	range->high = figure > range->high ? figure : range->high;
}

/* By what the node had at its end beyond the replay; a figure is not negative. */
static void add_error(struct sweep_range *range, double error)
{
	range->low += error < 0 ? error : 0;
	range->low = range->low > 0 ? range->low : 0;
	range->high += error > 0 ? error : 0;
}

/* By as much to both sides: what measured nodes were off by. */
static void add_measured(struct sweep_range *range, double error)
{
	add_error(range, error);
	add_error(range, -error);
}

bool sweep_rest(const struct sweep *sweep, const struct sweep_result *plain, double *ret_bytes)
{
	int64_t resident_bytes = sweep_facts(sweep)->recording.resident_bytes;

	if (resident_bytes < 0) {
		return false;
	}
	*ret_bytes = (double)resident_bytes - (double)plain->figures[SWEEP_ALL].held_end_bytes;
	return true;
}

/* `is_changed`: with other flags than recorded. */
static void collect_resident(const struct sweep *sweep, const struct sweep_result *results,
		uint32_t schedules, const struct sweep_result *plain, bool is_changed,
		struct sweep_range *range)
{
	double rest;

	if (!sweep_rest(sweep, plain, &rest)) {
		return;
	}
	for (uint32_t turn = 0; turn < schedules; turn++) {
		widen(range, turn == 0,
				(double)results[turn].figures[SWEEP_ALL].held_peak_bytes + rest);
	}
	if (is_changed) {
		add_measured(range,
				SWEEP_RESIDENT_ERROR *
						((double)plain->figures[SWEEP_ALL].held_peak_bytes +
								rest));
	}
}

/* What stays of a peak in carriers is as unsure as the peak is large, however little it is. */
static double end_error(const struct sweep_figure *figure)
{
	double of_end = SWEEP_END_ERROR * (double)figure->end_bytes;
	double of_peak = SWEEP_END_ERROR_OF_PEAK * (double)figure->peak_bytes;

	return of_end > of_peak ? of_end : of_peak;
}

/* Of nodes that were not recorded; see SWEEP_PEAK_ERROR. */
static void add_all_measured(const struct sweep_result *plain, struct sweep_prediction *prediction)
{
	for (int row = 0; row < SWEEP_ROWS; row++) {
		const struct sweep_figure *figure = &plain->figures[row];

		add_measured(&prediction->peak[row], SWEEP_PEAK_ERROR * (double)figure->peak_bytes);
		add_measured(&prediction->end[row], end_error(figure));
		add_measured(&prediction->average[row],
				SWEEP_AVERAGE_ERROR * figure->average_bytes);
	}
}

/* `results`: one of each schedule. */
static void collect(const struct sweep *sweep, const struct sweep_result *results,
		uint32_t schedules, const struct sweep_result *plain,
		struct sweep_prediction *prediction)
{
	const struct sweep_facts *facts = sweep_facts(sweep);

	bool is_changed = plain != NULL;

	prediction->usual = results[0];
	if (!plain) {
		plain = &results[0];
	}
	collect_resident(sweep, results, schedules, plain, is_changed, &prediction->resident);
	for (int row = 0; row < SWEEP_ROWS; row++) {
		double error = facts->node_end_bytes[row] < 0 ? 0
							      : (double)facts->node_end_bytes[row] -
						(double)plain->figures[row].end_bytes;

		for (uint32_t turn = 0; turn < schedules; turn++) {
			const struct sweep_figure *figure = &results[turn].figures[row];

			widen(&prediction->peak[row], turn == 0, (double)figure->peak_bytes);
			widen(&prediction->end[row], turn == 0, (double)figure->end_bytes);
			widen(&prediction->average[row], turn == 0, figure->average_bytes);
		}
		add_error(&prediction->peak[row], error);
		add_error(&prediction->end[row], error);
		add_error(&prediction->average[row], error);
	}
	if (is_changed && !facts->recording.has_work) {
		add_all_measured(plain, prediction);
	}
}

static enum csc_status check_done(const struct sweep_job *jobs, const struct sweep_result *results,
		size_t count, struct diag *diag)
{
	for (size_t i = 0; i < count; i++) {
		if (!results[i].is_done) {
			return DIAG_FAIL(diag, "%s%s%s",
					diag_is_set(&results[i].diag) ? results[i].diag.text
								      : "it was interrupted",
					*jobs[i].flags ? ", with " : "", jobs[i].flags);
		}
	}
	return CSC_OK;
}

enum csc_status sweep_predict(struct sweep *sweep, const char *const *flags, size_t count,
		const struct sweep_result *plain, struct sweep_prediction *ret_predictions,
		const volatile int *stop, int64_t deadline_ns, struct diag *diag)
{
	uint32_t schedules = sweep_facts(sweep)->schedules;
	size_t job_count = count * schedules;
	struct sweep_job *jobs = calloc(job_count + 1, sizeof(*jobs));
	struct sweep_result *results = calloc(job_count + 1, sizeof(*results));
	enum csc_status status = CSC_ERROR;

	if (!jobs || !results) {
		(void)DIAG_NO_MEMORY(diag);
	} else {
		for (size_t i = 0; i < job_count; i++) {
			jobs[i].flags = flags[i / schedules];
			jobs[i].schedule = (uint32_t)(i % schedules);
		}
		status = sweep_run(sweep, jobs, job_count, results, stop, deadline_ns, diag);
	}
	if (status == CSC_OK) {
		status = check_done(jobs, results, job_count, diag);
	}
	for (size_t i = 0; status == CSC_OK && i < count; i++) {
		collect(sweep, results + i * schedules, schedules, plain, &ret_predictions[i]);
	}
	free(jobs);
	free(results);
	return status;
}

void sweep_predict_plain(const struct sweep *sweep, const struct sweep_result *plain,
		struct sweep_prediction *ret_prediction)
{
	collect(sweep, plain, 1, NULL, ret_prediction);
}

void sweep_widen(const struct sweep *sweep, struct sweep_prediction *prediction)
{
	double rest;

	if (sweep_facts(sweep)->recording.has_work) {
		return;
	}
	add_all_measured(&prediction->usual, prediction);
	if (sweep_rest(sweep, &prediction->usual, &rest)) {
		const struct sweep_figure *all = &prediction->usual.figures[SWEEP_ALL];

		add_measured(&prediction->resident,
				SWEEP_RESIDENT_ERROR * ((double)all->held_peak_bytes + rest));
	}
}

enum csc_status sweep_judge(
		const struct sweep *sweep, const struct sweep_result *plain, struct diag *diag)
{
	const struct sweep_facts *facts = sweep_facts(sweep);
	double coverage = sweep_coverage(sweep, plain, SWEEP_ALL);

	if (facts->recording.lost_events > 0) {
		return DIAG_REFUSE(diag,
				"the recording lost %lld events, and a replay needs all: record again with "
				"larger buffers, carrierscope record --every-block --memory 256MiB",
				(long long)facts->recording.lost_events);
	}
	if (coverage >= 0 && coverage < SWEEP_LEAST_COVERAGE) {
		return DIAG_REFUSE(diag,
				"the recording has the blocks of %.0f %% of the node's carriers, and 80 %% "
				"are needed: record from boot with carrierscope "
				"record --every-block -o NEW.db -- COMMAND",
				100.0 * coverage);
	}
	return CSC_OK;
}
