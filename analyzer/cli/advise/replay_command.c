/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope replay`: a recording once more, with other flags.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "json_writer.h"
#include "predict.h"
#include "source_options.h"

enum { KEY_FORMAT = 256, KEY_CURVE };

enum format { FORMAT_TABLE, FORMAT_JSON, FORMAT_CSV };

static const char *const formats[] = { "table", "json", "csv", NULL };

struct replay_options {
	struct sweep_request request;
	const char *curve;
	int format;

	/* The words after FILE, with a space between two. */
	char flags[4096];
};

static const struct argp_option table[] = {
	COMMAND_OPTION_FORMAT(KEY_FORMAT, "how: table (default), json or csv"),
	{ "curve", KEY_CURVE, "CSV", 0, "write bytes of carriers over time to CSV", 0 },
	SOURCE_OPTION_RUNTIME,
	SOURCE_OPTION_OTP,
	SOURCE_OPTION_SCHEDULERS,
	SOURCE_OPTION_JOBS,
	SOURCE_OPTION_MEMORY,
	COMMAND_OPTION_HELP,
	{ 0 },
};

static void add_flag(
		const struct argp_state *state, struct replay_options *options, const char *word)
{
	size_t length = strlen(options->flags);
	int added = snprintf(options->flags + length, sizeof(options->flags) - length, "%s%s",
			length ? " " : "", word);

	if (added < 0 || (size_t)added >= sizeof(options->flags) - length) {
		command_misuse(state, "more than %zu characters of flags",
				sizeof(options->flags) - 1);
	}
}

/* NOLINTNEXTLINE(readability-non-const-parameter): argp wants it so */
static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct replay_options *options = state->input;

	if (source_parse(&options->request, key, argument, state)) {
		return 0;
	}
	switch (key) {
	case KEY_FORMAT:
		options->format = command_take_format(state, formats, argument);
		return 0;
	case KEY_CURVE:
		options->curve = argument;
		return 0;
	case ARGP_KEY_ARG:
		if (!options->request.path) {
			options->request.path = argument;
		} else {
			add_flag(state, options, argument);
		}
		return 0;
	default:
		return command_parse_common(key, state);
	}
}

/* What is printed. */
struct answer {
	const struct replay_options *options;
	const struct sweep_facts *facts;
	struct sweep_result plain;
	struct sweep_prediction prediction;
	uint64_t max_mappings;

	/* Share of the node's carriers that the replay without flags has; below 0: not recorded. */
	double coverage[SWEEP_ROWS];
};

static const char *row_name(int row)
{
	return row == SWEEP_ALL ? "all" : csc_allocator_infos[row].name;
}

static bool is_used(const struct answer *answer, int row)
{
	return answer->prediction.usual.figures[row].peak_bytes > 0 ||
			answer->plain.figures[row].peak_bytes > 0;
}

/* The ranges of a row, in the order in which they are printed. */
static const struct sweep_range *range_of(const struct answer *answer, int row, int which)
{
	const struct sweep_prediction *prediction = &answer->prediction;

	return which == 0	     ? &prediction->peak[row]
			: which == 1 ? &prediction->end[row]
				     : &prediction->average[row];
}

static const char *const range_names[] = { "peak_bytes", "end_bytes", "average_bytes" };

enum { RANGES = 3 };

static void print_json_range(
		struct json_writer *json, const char *name, const char *suffix, double bytes)
{
	char key[64];

	(void)snprintf(key, sizeof(key), "%s%s", name, suffix);
	json_key(json, key);
	json_integer(json, (int64_t)bytes);
}

static void print_json_row(struct json_writer *json, const struct answer *answer, int row)
{
	const struct sweep_figure *figure = &answer->prediction.usual.figures[row];
	double coverage = answer->coverage[row];

	json_break(json);
	json_open(json, '{');
	json_key(json, "allocator");
	json_text(json, row_name(row));
	for (int i = 0; i < RANGES; i++) {
		const struct sweep_range *range = range_of(answer, row, i);

		print_json_range(json, range_names[i], "", range->likely);
		print_json_range(json, range_names[i], "_low", range->low);
		print_json_range(json, range_names[i], "_high", range->high);
	}
	json_key(json, "calls");
	json_integer(json, (int64_t)figure->calls);
	json_key(json, "copied_bytes");
	json_integer(json, (int64_t)figure->copied_bytes);
	json_key(json, "mappings");
	json_integer(json, (int64_t)figure->mappings);
	json_key(json, "coverage_percent");
	if (coverage < 0) {
		json_text(json, NULL);
	} else {
		json_number(json, 100.0 * coverage);
	}
	json_close(json, '}');
}

static void print_json(const struct answer *answer, FILE *out)
{
	struct json_writer json = { .stream = out };
	const struct sweep_facts *facts = answer->facts;

	json_open(&json, '{');
	json_key(&json, "database");
	json_text(&json, answer->options->request.path);
	json_key(&json, "runtime");
	json_integer(&json, facts->recording.runtime);
	json_key(&json, "release");
	json_text(&json, facts->recording.release);
	json_key(&json, "flags");
	json_text(&json, answer->options->flags);
	json_key(&json, "replayed_calls");
	json_integer(&json, (int64_t)answer->prediction.usual.played);
	json_key(&json, "schedules");
	json_integer(&json, facts->schedules);
	json_key(&json, "max_map_count");
	json_integer(&json, (int64_t)answer->max_mappings);
	json_key(&json, "rows");
	json_open(&json, '[');
	for (int row = 0; row < SWEEP_ROWS; row++) {
		if (is_used(answer, row)) {
			print_json_row(&json, answer, row);
		}
	}
	json_close(&json, ']');
	json_close_line(&json, '}');
}

static void print_csv(const struct answer *answer, FILE *out)
{
	fputs("allocator", out);
	for (int i = 0; i < RANGES; i++) {
		(void)fprintf(out, ",%s,%s_low,%s_high", range_names[i], range_names[i],
				range_names[i]);
	}
	fputs(",calls,copied_bytes,mappings,coverage_percent\n", out);
	for (int row = 0; row < SWEEP_ROWS; row++) {
		const struct sweep_figure *figure = &answer->prediction.usual.figures[row];
		double coverage = answer->coverage[row];

		if (!is_used(answer, row)) {
			continue;
		}
		fputs(row_name(row), out);
		for (int i = 0; i < RANGES; i++) {
			const struct sweep_range *range = range_of(answer, row, i);

			(void)fprintf(out, ",%.0f,%.0f,%.0f", range->likely, range->low,
					range->high);
		}
		(void)fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", figure->calls,
				figure->copied_bytes, figure->mappings);
		if (coverage >= 0) {
			(void)fprintf(out, "%.1f", 100.0 * coverage);
		}
		fputc('\n', out);
	}
}

static void print_range(FILE *out, const struct sweep_range *range)
{
	(void)fprintf(out, " %9.1f %9.1f %9.1f", range->likely / 1048576.0, range->low / 1048576.0,
			range->high / 1048576.0);
}

static void print_table(const struct answer *answer, FILE *out)
{
	uint64_t mappings = answer->prediction.usual.figures[SWEEP_ALL].mappings;

	(void)fprintf(out, "%-13s %9s %9s %9s %9s %9s %9s %9s %9s %9s %9s %9s %8s %8s\n", "MiB",
			"peak", "low", "high", "end", "low", "high", "average", "low", "high",
			"calls", "copied", "mappings", "coverage");
	for (int row = 0; row < SWEEP_ROWS; row++) {
		const struct sweep_figure *figure = &answer->prediction.usual.figures[row];
		double coverage = answer->coverage[row];

		if (!is_used(answer, row)) {
			continue;
		}
		(void)fprintf(out, "%-13s", row_name(row));
		for (int i = 0; i < RANGES; i++) {
			print_range(out, range_of(answer, row, i));
		}
		(void)fprintf(out, " %9" PRIu64 " %9.1f %8" PRIu64, figure->calls,
				(double)figure->copied_bytes / 1048576.0, figure->mappings);
		if (coverage >= 0) {
			(void)fprintf(out, " %6.0f %%\n", 100.0 * coverage);
		} else {
			(void)fprintf(out, " %8s\n", "unknown");
		}
	}
	if (answer->max_mappings && mappings >= answer->max_mappings / 2) {
		(void)fprintf(out,
				"%" PRIu64 " carriers at one time, each of which may be a mapping; "
				"vm.max_map_count is %" PRIu64 " here\n",
				mappings, answer->max_mappings);
	}
}

/* Time since the first call, all carriers, and those of each allocator: most in each interval. */
static enum csc_status write_curve(const struct answer *answer, struct diag *diag)
{
	const struct sweep_facts *facts = answer->facts;
	const struct sweep_result *usual = &answer->prediction.usual;
	FILE *out = fopen(answer->options->curve, "w");

	if (!out) {
		return DIAG_FAIL(diag, "cannot write '%s': %s", answer->options->curve,
				strerror(errno));
	}
	fputs("time_ns,bytes", out);
	for (int row = 0; row < CSC_ALLOCATORS; row++) {
		(void)fprintf(out, ",%s", row_name(row));
	}
	for (int i = 0; i < SWEEP_SAMPLES; i++) {
		(void)fprintf(out, "\n%" PRId64 ",%" PRIu64,
				(facts->last_ns - facts->first_ns) / SWEEP_SAMPLES * i,
				usual->most[i][SWEEP_ALL]);
		for (int row = 0; row < CSC_ALLOCATORS; row++) {
			(void)fprintf(out, ",%" PRIu64, usual->most[i][row]);
		}
	}
	fputc('\n', out);
	if (ferror(out) | fclose(out)) {
		return DIAG_FAIL(diag, "cannot write '%s'", answer->options->curve);
	}
	return CSC_OK;
}

static enum csc_status predict(struct answer *answer, struct sweep *sweep, struct diag *diag)
{
	static const char *const none[] = { "" };
	const char *const flags[] = { answer->options->flags };

	if (sweep_predict(sweep, none, 1, NULL, &answer->prediction, NULL, 0, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	answer->plain = answer->prediction.usual;
	if (!*answer->options->flags) {
		sweep_widen(sweep, &answer->prediction);
		return CSC_OK;
	}
	return sweep_predict(sweep, flags, 1, &answer->plain, &answer->prediction, NULL, 0, diag);
}

static int answer_with(struct answer *answer, struct sweep *sweep)
{
	struct diag diag = { 0 };

	if (sweep_check(sweep, answer->options->flags, &diag) != CSC_OK) {
		command_print("%s", diag.text);
		return EXIT_USAGE;
	}
	if (predict(answer, sweep, &diag) != CSC_OK) {
		return command_fail(&diag);
	}
	if (sweep_judge(sweep, &answer->plain, &diag) != CSC_OK) {
		return source_fail(&diag);
	}
	for (int row = 0; row < SWEEP_ROWS; row++) {
		answer->coverage[row] = sweep_coverage(sweep, &answer->plain, row);
	}
	if (answer->options->curve && write_curve(answer, &diag) != CSC_OK) {
		return command_fail(&diag);
	}
	switch (answer->options->format) {
	case FORMAT_JSON:
		print_json(answer, stdout);
		break;
	case FORMAT_CSV:
		print_csv(answer, stdout);
		break;
	default:
		print_table(answer, stdout);
		break;
	}
	return EXIT_DONE;
}

int command_replay(int argc, char **argv)
{
	struct replay_options options = { 0 };
	struct diag diag = { 0 };
	struct sweep *sweep;
	struct answer *answer;
	int status;

	command_read(argc, argv, table, parse, "FILE [-- FLAG...]",
			"Replay the blocks recorded in FILE with other +M flags: carriers at the peak, at "
			"the end and on average.\v"
			"Low and high are over 5 schedules of the threads. They are wider by what the replay "
			"without flags misses of the node. They are also wider by the error of predictions on "
			"measured nodes: 12 % of the peak, 10 % of the end, 14 % of the average.\n\n"
			"Exit status: 0 done, 1 failed, 2 misuse or flags that the release refuses, 3 the "
			"recording does not allow an answer (lost events, samples or too few blocks, several "
			"runtimes, an unknown release).\n\n"
			"Example:\n  carrierscope replay run.db -- +MBlmbcs 1024 +MBsbct 128",
			&options);
	sweep = sweep_open(&options.request, &diag);
	answer = calloc(1, sizeof(*answer));
	if (!sweep || !answer) {
		if (sweep) {
			(void)DIAG_NO_MEMORY(&diag);
		}
		sweep_close(sweep);
		free(answer);
		return source_fail(&diag);
	}
	answer->options = &options;
	answer->facts = sweep_facts(sweep);
	answer->max_mappings = source_max_mappings();
	status = answer_with(answer, sweep);
	free(answer);
	sweep_close(sweep);
	return status;
}
