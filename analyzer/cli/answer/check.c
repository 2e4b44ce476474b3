/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope check`: whether a recording keeps to memory budgets, for CI.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "command.h"
#include "growing.h"
#include "html.h"
#include "json_writer.h"
#include "metric.h"
#include "output.h"
#include "visible.h"

enum { KEY_FORMAT = 256, KEY_MAX };

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

	/* What is known of the figure neither keeps to the budget nor breaks it. */
	OUTCOME_UNDECIDED,

	/* Nothing is known of it, of one runtime at least. */
	OUTCOME_UNKNOWN,
};

/* In the order of enum check_format. */
static const char *const formats[] = { "text", "json", "junit", NULL };

static const struct argp_option table[] = {
	{ "max", KEY_MAX, "EXPR", 0,
			"a budget, as often as there are: METRIC[(ALLOCATOR)] OPERATOR NUMBER[UNIT]",
			0 },
	COMMAND_OPTION_FORMAT(KEY_FORMAT, "text (default), json or junit"),
	COMMAND_OPTION_OUTPUT("standard output"),
	COMMAND_OPTION_HELP,
	{ 0 },
};

static const struct command_flag flags[] = {
	COMMAND_VALUE('o', struct check_options, output),
	COMMAND_FLAG('f', struct check_options, is_forced),
	{ 0 },
};

static void add_budget(
		const struct argp_state *state, struct check_options *options, const char *text)
{
	if (!csc_grow_by_one(&options->budgets, options->budget_count, sizeof(*options->budgets))) {
		command_misuse(state, "out of memory");
	}

	if (!budget_read(text, &options->budgets[options->budget_count])) {
		command_misuse(state,
				"'%s' is not a budget: METRIC[(ALLOCATOR)] OPERATOR NUMBER[UNIT], as in 'peak_bytes(ets_alloc) < 200MiB'",
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
	case KEY_FORMAT:
		options->format = (enum check_format)command_take_format(state, formats, argument);
		return 0;
	case ARGP_KEY_ARG:
		command_take_file(state, "check", argument, &options->database);
		return 0;
	case ARGP_KEY_END:
		if (!options->database) {
			command_misuse(state, "'check' needs a FILE");
		}
		if (options->budget_count == 0) {
			command_misuse(state, "'check' needs a budget: --max EXPR");
		}
		return 0;
	default:
		return command_parse_flags(flags, key, argument, state);
	}
}

/* What a budget came to, and the figure that decides. */
struct judgement {
	enum outcome outcome;

	/* NULL: there is none. */
	const struct metric *metric;

	/* Of an outcome that is unknown: number of the runtime, 0 for all. */
	int64_t place;
};

/* An older name goes on working. */
static const char *name_now(const char *name)
{
	return strcmp(name, "peak_blocks_bytes") == 0 ? "blocks_at_peak_bytes" : name;
}

static bool is_meant(const struct metric *metric, const struct budget *budget)
{
	return strcmp(name_now(metric->name), name_now(budget->name)) == 0 &&
			strcmp(metric->allocator, budget->allocator) == 0;
}

static enum outcome outcome_of(const struct metric *metric, const struct budget *budget)
{
	if (isinf(metric->low) && isinf(metric->high)) {
		return OUTCOME_UNKNOWN;
	}

	switch (budget_judge(budget, metric->low, metric->high)) {
	case BUDGET_KEPT:
		return OUTCOME_KEPT;
	case BUDGET_OVER:
		return OUTCOME_OVER;
	case BUDGET_UNDECIDED:
		break;
	}

	return OUTCOME_UNDECIDED;
}

/*
 * A runtime of which there are figures for the allocator that is meant (or for it as a whole),
 * but not the one that the budget is about; 0: there is none.
 */
static int64_t find_gap(const struct metrics *metrics, const struct budget *budget)
{
	for (size_t i = 0; i < metrics->count;) {
		int64_t place = metrics->list[i].place;
		bool has_some = false;
		bool has_it = false;

		for (; i < metrics->count && metrics->list[i].place == place; i++) {
			const struct metric *metric = &metrics->list[i];

			has_some = has_some || strcmp(metric->allocator, budget->allocator) == 0;
			has_it = has_it || is_meant(metric, budget);
		}

		if (has_some && !has_it) {
			return place;
		}
	}

	return 0;
}

/* Of several runtimes one that does not keep to the budget decides, then one that is not known. */
static struct judgement judge(const struct metrics *metrics, const struct budget *budget)
{
	struct judgement judgement = { .outcome = OUTCOME_UNKNOWN };

	for (size_t i = 0; i < metrics->count; i++) {
		const struct metric *metric = &metrics->list[i];
		enum outcome outcome;

		if (!is_meant(metric, budget)) {
			continue;
		}

		outcome = outcome_of(metric, budget);
		if (outcome == OUTCOME_OVER) {
			return (struct judgement){ OUTCOME_OVER, metric, metric->place };
		}

		if (!judgement.metric || outcome > judgement.outcome) {
			judgement = (struct judgement){ outcome, metric, metric->place };
		}
	}

	if (judgement.metric && judgement.outcome != OUTCOME_UNKNOWN) {
		int64_t gap = find_gap(metrics, budget);

		if (gap != 0) {
			judgement = (struct judgement){ OUTCOME_UNKNOWN, NULL, gap };
		}
	}

	return judgement;
}

/* "12 MiB", "1 MiB to 3 MiB", "at least 1 MiB"; the caller frees it.  NULL: out of memory. */
static char *interval_text(const struct metric *metric)
{
	char *low = metric_value(metric->unit, metric->low);
	char *high = metric_value(metric->unit, metric->high);
	char *text = NULL;
	int written = 0;

	if (!low || !high) {
		written = -1;
	} else if (isinf(metric->high)) {
		written = asprintf(&text, "at least %s", low);
	} else if (isinf(metric->low)) {
		written = asprintf(&text, "at most %s", high);
	} else if (strcmp(low, high) == 0) {
		written = asprintf(&text, "%s", low);
	} else {
		written = asprintf(&text, "%s to %s", low, high);
	}

	free(low);
	free(high);
	return written < 0 ? NULL : text;
}

/* It has one bound. */
static bool is_open(const struct metric *metric)
{
	return isinf(metric->low) || isinf(metric->high);
}

/* Why a budget is not kept, as a sentence; the caller frees it.  NULL: out of memory. */
static char *explain(const struct judgement *judgement)
{
	char *interval = judgement->metric ? interval_text(judgement->metric) : NULL;
	char *text = NULL;
	int written = 0;

	switch (judgement->outcome) {
	case OUTCOME_KEPT:
	case OUTCOME_OVER:
		written = asprintf(&text, "is %s", interval ? interval : "?");
		break;
	case OUTCOME_UNDECIDED:
		written = asprintf(&text, "cannot be decided: the figure is %s, and %s",
				interval ? interval : "?",
				judgement->metric && is_open(judgement->metric)
						? "this recording has no other bound; 'carrierscope report metrics' shows figures that have both"
						: "the limit lies between");
		break;
	case OUTCOME_UNKNOWN:
		written = judgement->place == 0
				? asprintf(&text, "unknown metric for this recording; see 'carrierscope report metrics'")
				: asprintf(&text, "cannot be decided: the figure is unknown for runtime %lld of the recording",
						  (long long)judgement->place);
		break;
	}

	free(interval);
	return written < 0 ? NULL : text;
}

static void print_text(
		FILE *stream, const struct budget *budget, enum outcome outcome, const char *reason)
{
	static const char *const words[] = { "kept", "OVER", "UNKNOWN", "UNKNOWN" };

	(void)fprintf(stream, "%-8s  ", words[outcome]);
	visible_print(stream, budget->text, VISIBLE_CELL);
	(void)fprintf(stream, "  (%s)\n", reason);
}

static void print_json(struct json_writer *json, const struct budget *budget,
		const struct judgement *judgement, const char *reason)
{
	static const char *const words[] = { "kept", "over", "undecided", "unknown" };
	const struct metric *metric = judgement->metric;
	const struct {
		const char *name;
		double value;
	} numbers[] = {
		{ "value", metric ? metric->value : (double)NAN },
		{ "low", metric ? metric->low : (double)NAN },
		{ "high", metric ? metric->high : (double)NAN },
	};

	json_break(json);
	json_open(json, '{');
	json_key(json, "budget");
	json_text(json, budget->text);
	json_key(json, "metric");
	json_text(json, budget->name);
	json_key(json, "allocator");
	json_text(json, *budget->allocator ? budget->allocator : NULL);
	json_key(json, "outcome");
	json_text(json, words[judgement->outcome]);
	json_key(json, "limit");
	json_number(json, budget->limit);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		json_key(json, numbers[i].name);
		json_number(json, numbers[i].value);
	}
	json_key(json, "reason");
	json_text(json, reason);
	json_close(json, '}');
}

static void print_junit(
		FILE *stream, const struct budget *budget, enum outcome outcome, const char *reason)
{
	fputs("  <testcase classname=\"carrierscope.check\" name=\"", stream);
	html_text(stream, budget->text);
	if (outcome == OUTCOME_KEPT) {
		fputs("\"/>\n", stream);
		return;
	}

	fputs(outcome == OUTCOME_OVER ? "\">\n    <failure message=\""
				      : "\">\n    <error message=\"",
			stream);
	html_text(stream, reason);
	fputs("\"/>\n  </testcase>\n", stream);
}

/* Prints each budget's outcome and yields the worst. */
static enum outcome print_outcomes(
		FILE *stream, const struct check_options *options, const struct metrics *metrics)
{
	struct json_writer json = { .stream = stream };
	enum outcome worst = OUTCOME_KEPT;
	size_t failures = 0;
	size_t errors = 0;

	for (size_t i = 0; i < options->budget_count; i++) {
		enum outcome outcome = judge(metrics, &options->budgets[i]).outcome;

		failures += outcome == OUTCOME_OVER;
		errors += outcome > OUTCOME_OVER;
		worst = outcome > worst ? outcome : worst;
	}

	if (options->format == FORMAT_JUNIT) {
		(void)fprintf(stream,
				"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"carrierscope check\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
				options->budget_count, failures, errors);
	} else if (options->format == FORMAT_JSON) {
		json_open(&json, '[');
	}

	for (size_t i = 0; i < options->budget_count; i++) {
		const struct budget *budget = &options->budgets[i];
		struct judgement judgement = judge(metrics, budget);
		char *explained = explain(&judgement);
		const char *reason = explained ? explained : "out of memory";

		switch (options->format) {
		case FORMAT_TEXT:
			print_text(stream, budget, judgement.outcome, reason);
			break;
		case FORMAT_JSON:
			print_json(&json, budget, &judgement, reason);
			break;
		case FORMAT_JUNIT:
			print_junit(stream, budget, judgement.outcome, reason);
			break;
		}
		free(explained);
	}

	if (options->format == FORMAT_JUNIT) {
		fputs("</testsuite>\n", stream);
	} else if (options->format == FORMAT_JSON) {
		json_close_line(&json, ']');
	}

	return worst;
}

int command_check(int argc, char **argv)
{
	struct check_options options = { 0 };
	struct metrics metrics = { 0 };
	struct diag diag = { 0 };
	struct output output;
	enum outcome worst = OUTCOME_UNKNOWN;
	enum csc_status status;

	command_read(argc, argv, table, parse, "FILE",
			"Check whether the recording in FILE keeps to memory budgets.\v"
			"Metrics: 'carrierscope report metrics FILE' prints them with their values.\n"
			"Operators: < <= > >= =.  Units: KiB MiB GiB TiB (or K M G T), % for ratios.\n\n"
			"Exit status, as of diff(1): 0 kept, 1 over budget, 2 not to be decided from what was "
			"recorded, trouble or misuse.\n\n"
			"Example:\n  carrierscope check run.db --max 'realized_frag(binary_alloc) < 25%' "
			"--max 'peak_bytes <= 512MiB'",
			&options);
	status = metrics_read(options.database, &metrics, &diag);
	if (status == CSC_OK) {
		status = output_open(options.output, options.is_forced, options.database, &output,
				&diag);
	}

	if (status == CSC_OK) {
		worst = print_outcomes(output.stream, &options, &metrics);
		status = output_close(&output, CSC_OK, &diag);
	}

	metrics_finish(&metrics);
	free(options.budgets);
	if (status != CSC_OK) {
		return command_trouble(&diag);
	}

	return worst == OUTCOME_KEPT		? EXIT_DONE
			: worst == OUTCOME_OVER ? EXIT_FAILED
						: EXIT_TROUBLE;
}
