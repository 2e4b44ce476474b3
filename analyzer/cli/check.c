/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope check`: whether a recording keeps to memory budgets, for CI.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "html.h"
#include "metric.h"
#include "target.h"

enum { KEY_FORMAT = 256, KEY_JSON, KEY_MAX };

enum check_format {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_JUNIT,
};

struct check_options {
	const char *database;
	const char *output;
	bool is_forced;
	enum check_format format;
	struct budget *budgets;
	size_t budget_count;
};

enum outcome {
	OUTCOME_KEPT,
	OUTCOME_OVER,

	/* The database tells no such metric. */
	OUTCOME_UNTOLD,
};

static const struct argp_option table[] = {
	{ "max", KEY_MAX, "EXPR", 0,
			"a budget, as often as there are: METRIC[(ALLOCATOR)] OPERATOR NUMBER[UNIT]",
			0 },
	{ "format", KEY_FORMAT, "FORMAT", 0, "text (default), json or junit", 0 },
	{ "json", KEY_JSON, NULL, 0, "the same as --format=json", 0 },
	{ "output", 'o', "FILE", 0, "write FILE instead of standard output", 0 },
	{ "force", 'f', NULL, 0, "replace FILE if it exists", 0 },
	COMMAND_OPTION_HELP,
	{ 0 },
};

static void add_budget(
		const struct argp_state *state, struct check_options *options, const char *text)
{
	struct budget *grown = realloc(
			options->budgets, (options->budget_count + 1) * sizeof(*options->budgets));

	if (!grown) {
		command_misuse(state, "out of memory");
	}

	options->budgets = grown;
	if (!budget_read(text, &grown[options->budget_count])) {
		command_misuse(state,
				"'%s' is no budget: METRIC[(ALLOCATOR)] OPERATOR NUMBER[UNIT], as in 'peak_bytes(ets_alloc) < 200MiB'",
				text);
	}

	options->budget_count++;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct check_options *options = state->input;

	switch (key) {
	case KEY_MAX:
		add_budget(state, options, argument);
		return 0;
	case KEY_JSON:
		options->format = FORMAT_JSON;
		return 0;
	case KEY_FORMAT:
		if (strcmp(argument, "text") == 0) {
			options->format = FORMAT_TEXT;
		} else if (strcmp(argument, "json") == 0) {
			options->format = FORMAT_JSON;
		} else if (strcmp(argument, "junit") == 0) {
			options->format = FORMAT_JUNIT;
		} else {
			command_misuse(state, "'%s' is nothing that --format takes", argument);
		}
		return 0;
	case 'o':
		options->output = argument;
		return 0;
	case 'f':
		options->is_forced = true;
		return 0;
	case ARGP_KEY_ARG:
		if (options->database) {
			command_misuse(state, "'check' takes one FILE");
		}
		options->database = argument;
		return 0;
	case ARGP_KEY_END:
		if (!options->database) {
			command_misuse(state, "'check' takes a FILE");
		}
		if (options->budget_count == 0) {
			command_misuse(state, "'check' needs a budget: --max EXPR");
		}
		return 0;
	default:
		return command_parse_common(key, state);
	}
}

/*
 * The value that decides: of several runtimes that of the first that does not keep
 * to the budget, else of the first.
 */
static enum outcome judge(const struct metrics *metrics, const struct budget *budget,
		const struct metric **ret_metric)
{
	enum outcome outcome = OUTCOME_UNTOLD;

	for (size_t i = 0; i < metrics->count; i++) {
		const struct metric *metric = &metrics->list[i];

		if (strcmp(metric->name, budget->name) != 0 ||
				strcmp(metric->allocator, budget->allocator) != 0) {
			continue;
		}

		if (!budget_is_kept(budget, metric->value)) {
			*ret_metric = metric;
			return OUTCOME_OVER;
		}

		if (outcome == OUTCOME_UNTOLD) {
			*ret_metric = metric;
			outcome = OUTCOME_KEPT;
		}
	}

	return outcome;
}

static void print_text(
		FILE *stream, const struct budget *budget, enum outcome outcome, const char *value)
{
	static const char *const words[] = { "kept", "OVER", "NOT TOLD" };

	(void)fprintf(stream, "%-8s  %s", words[outcome], budget->text);
	if (outcome != OUTCOME_UNTOLD) {
		(void)fprintf(stream, "  (is %s)", value);
	}
	fputc('\n', stream);
}

static void print_json(FILE *stream, const struct budget *budget, enum outcome outcome,
		const struct metric *metric)
{
	static const char *const words[] = { "kept", "over", "not_told" };

	fputs("{\"budget\":", stream);
	html_json_string(stream, budget->text);
	fputs(",\"metric\":", stream);
	html_json_string(stream, budget->name);
	fputs(",\"allocator\":", stream);
	if (*budget->allocator) {
		html_json_string(stream, budget->allocator);
	} else {
		fputs("null", stream);
	}
	(void)fprintf(stream, ",\"outcome\":\"%s\",\"limit\":%.17g,\"value\":", words[outcome],
			budget->limit);
	if (metric && isfinite(metric->value)) {
		(void)fprintf(stream, "%.17g}", metric->value);
	} else {
		fputs("null}", stream);
	}
}

static void print_junit(
		FILE *stream, const struct budget *budget, enum outcome outcome, const char *value)
{
	fputs("  <testcase classname=\"carrierscope.check\" name=\"", stream);
	html_text(stream, budget->text);
	if (outcome == OUTCOME_KEPT) {
		fputs("\"/>\n", stream);
		return;
	}

	fputs("\">\n", stream);
	if (outcome == OUTCOME_OVER) {
		fputs("    <failure message=\"is ", stream);
		html_text(stream, value);
		fputs("\"/>\n", stream);
	} else {
		fputs("    <error message=\"the database tells no such metric\"/>\n", stream);
	}
	fputs("  </testcase>\n", stream);
}

/* Prints each budget's outcome and yields the worst. */
static enum outcome print_outcomes(
		FILE *stream, const struct check_options *options, const struct metrics *metrics)
{
	enum outcome worst = OUTCOME_KEPT;
	size_t failures = 0;
	size_t errors = 0;

	for (size_t i = 0; i < options->budget_count; i++) {
		const struct metric *metric = NULL;
		enum outcome outcome = judge(metrics, &options->budgets[i], &metric);

		failures += outcome == OUTCOME_OVER;
		errors += outcome == OUTCOME_UNTOLD;
		worst = outcome > worst ? outcome : worst;
	}

	if (options->format == FORMAT_JUNIT) {
		(void)fprintf(stream,
				"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"carrierscope check\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
				options->budget_count, failures, errors);
	} else if (options->format == FORMAT_JSON) {
		fputc('[', stream);
	}

	for (size_t i = 0; i < options->budget_count; i++) {
		const struct budget *budget = &options->budgets[i];
		const struct metric *metric = NULL;
		enum outcome outcome = judge(metrics, budget, &metric);
		char *value = metric ? metric_value(metric->unit, metric->value) : NULL;

		switch (options->format) {
		case FORMAT_TEXT:
			print_text(stream, budget, outcome, value ? value : "?");
			break;
		case FORMAT_JSON:
			fputs(i > 0 ? ",\n" : "", stream);
			print_json(stream, budget, outcome, metric);
			break;
		case FORMAT_JUNIT:
			print_junit(stream, budget, outcome, value ? value : "?");
			break;
		}
		free(value);
	}

	fputs(options->format == FORMAT_JUNIT				 ? "</testsuite>\n"
					: options->format == FORMAT_JSON ? "]\n"
									 : "",
			stream);
	return worst;
}

int command_check(int argc, char **argv)
{
	static const struct argp argp = { table, parse, "FILE",
		"Check whether the recording in FILE keeps to memory budgets.\v"
		"Metrics: 'carrierscope report metrics FILE' prints them with their values.\n"
		"Operators: < <= > >= =.  Units: KiB MiB GiB TiB (or K M G T), % for ratios.\n\n"
		"Exit status, as of diff(1): 0 kept, 1 over budget, 2 trouble or misuse.\n\n"
		"Example:\n  carrierscope check run.db --max 'realized_frag(binary_alloc) < 25%' "
		"--max 'peak_bytes <= 512MiB'",
		NULL, NULL, NULL };
	struct check_options options = { 0 };
	struct metrics metrics = { 0 };
	struct diag diag = { 0 };
	struct target target;
	enum outcome worst = OUTCOME_UNTOLD;
	enum csc_status status;

	(void)argp_parse(&argp, argc, argv, 0, NULL, &options);
	status = metrics_read(options.database, &metrics, &diag);
	if (status == CSC_OK) {
		status = target_open(options.output, options.is_forced, options.database, &target,
				&diag);
	}

	if (status == CSC_OK) {
		worst = print_outcomes(target.stream, &options, &metrics);
		status = target_close(&target, true, &diag);
	}

	metrics_finish(&metrics);
	free(options.budgets);
	if (status != CSC_OK) {
		(void)command_fail(&diag);
		return EXIT_TROUBLE;
	}

	return worst == OUTCOME_KEPT		? EXIT_DONE
			: worst == OUTCOME_OVER ? EXIT_FAILED
						: EXIT_TROUBLE;
}
