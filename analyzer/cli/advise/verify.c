/*
 * SPDX-License-Identifier: MIT
 *
 * A prediction and the recording that came after it.
 */
#include "verify.h"

#include <stdlib.h>

#include "predict.h"
#include "source_options.h"
#include "sweep_rows.h"

#define MIB 1048576.0

/* Whether the outcome is no more than was predicted. */
static bool print_figure(const char *name, const struct sweep_range *promised,
		const struct sweep_range *outcome)
{
	bool is_kept = outcome->low <= promised->high;

	(void)printf("%-8s %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f  %s\n", name, promised->likely / MIB,
			promised->low / MIB, promised->high / MIB, outcome->likely / MIB,
			outcome->low / MIB, outcome->high / MIB,
			!is_kept					? "more than predicted"
					: outcome->high < promised->low ? "less than predicted"
									: "as predicted");
	return is_kept;
}

static int compare(const struct sweep_promise *promise, struct sweep *sweep, const char *path)
{
	static const char *const none[] = { "" };
	struct sweep_prediction *outcome = calloc(1, sizeof(*outcome));
	struct diag diag = { 0 };
	bool is_kept = true;
	int status = EXIT_LOSS;

	if (!outcome) {
		(void)DIAG_NO_MEMORY(&diag);
	} else if (!sweep_has_flags(sweep, promise->flags, &diag)) {
		if (!diag_is_set(&diag)) {
			(void)DIAG_FAIL(&diag, "'%s' was recorded without the advised flags: %s",
					path, promise->flags);
		}
	} else if (sweep_predict(sweep, none, 1, NULL, outcome, &diag) == CSC_OK &&
			sweep_judge(sweep, &outcome->usual, &diag) == CSC_OK) {
		(void)printf("with %s\n%-8s %9s %9s %9s %9s %9s %9s\n", promise->flags, "MiB",
				"predicted", "low", "high", "outcome", "low", "high");
		is_kept = print_figure("peak", &promise->peak, &outcome->peak[SWEEP_ALL]);
		is_kept &= print_figure("end", &promise->end, &outcome->end[SWEEP_ALL]);
		/* The average depends on how long each part of the load took: it decides nothing.
		 */
		(void)print_figure("average", &promise->average, &outcome->average[SWEEP_ALL]);
		status = is_kept ? EXIT_DONE : EXIT_FAILED;
	}
	free(outcome);
	return diag_is_set(&diag) ? source_refuse(&diag) : status;
}

int verify(const char *path, const struct sweep_request *outcome)
{
	struct sweep_promise promise = { 0 };
	struct diag diag = { 0 };
	struct recording *recording = recording_open(path, 0, &diag);
	struct recording_facts facts;
	struct sweep_file *file = NULL;
	struct sweep *sweep = NULL;
	int status = EXIT_FAILED;

	if (recording) {
		recording_facts(recording, &facts);
		file = sweep_file_open(path, facts.runtime, &diag);
	}
	if (file && sweep_file_promise(file, &promise, &diag) == CSC_OK) {
		sweep = sweep_open(outcome, &diag);
	}
	if (sweep) {
		status = compare(&promise, sweep, outcome->path);
	} else {
		(void)command_fail(&diag);
	}
	sweep_close(sweep);
	sweep_file_close(file);
	recording_close(recording);
	free(promise.flags);
	return status;
}
