/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope diff`: what differs between two recordings of the same program.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands.h"
#include "json_writer.h"
#include "metric.h"
#include "visible.h"

enum { KEY_JSON = 256, KEY_TOLERANCE };

struct diff_options {
	const char *old_path;
	const char *new_path;
	bool is_json;

	/* Changes up to this part of the old value are noise. */
	double tolerance;
};

static const struct argp_option table[] = {
	{ "tolerance", KEY_TOLERANCE, "PERCENT", 0, "changes up to this are noise (default 5)", 0 },
	{ "json", KEY_JSON, NULL, 0, "print JSON", 0 },
	COMMAND_OPTION_HELP,
	{ 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct diff_options *options = state->input;
	char *end;

	switch (key) {
	case KEY_TOLERANCE:
		options->tolerance = strtod(argument, &end) / 100;
		if (end == argument || *end != '\0' || !(options->tolerance >= 0)) {
			command_misuse(state, "'%s' is not a number of per cent", argument);
		}
		return 0;
	case KEY_JSON:
		options->is_json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (options->new_path) {
			command_misuse(state, "too many arguments: 'diff' needs two FILEs");
		}
		*(options->old_path ? &options->new_path : &options->old_path) = argument;
		return 0;
	case ARGP_KEY_END:
		if (!options->new_path) {
			command_misuse(state, "'diff' needs two FILEs, the older first");
		}
		return 0;
	default:
		return command_parse_common(key, state);
	}
}

static int compare_keys(const struct metric *a, const struct metric *b)
{
	int order = (a->place > b->place) - (a->place < b->place);

	order = order != 0 ? order : strcmp(a->allocator, b->allocator);
	return order != 0 ? order : strcmp(a->name, b->name);
}

/* Bytes below this differ from run to run: a main carrier more or less. */
static const double noise_bytes = 1048576;

static bool is_different(const struct diff_options *options, const struct metric *old,
		const struct metric *new)
{
	double change;

	if (!old || !new) {
		return true;
	}

	change = fabs(new->value - old->value);
	if (strcmp(new->unit, "bytes") == 0 && change < noise_bytes) {
		return false;
	}

	return change > options->tolerance * fmax(fabs(old->value), fabs(new->value));
}

static void print_json(struct json_writer *json, const struct metric *old, const struct metric *new,
		const char *change)
{
	const struct metric *any = new ? new : old;

	json_break(json);
	json_open(json, '{');
	json_key(json, "metric");
	json_text(json, any->name);
	json_key(json, "allocator");
	json_text(json, *any->allocator ? any->allocator : NULL);
	json_key(json, "place");
	json_integer(json, any->place);
	json_key(json, "change");
	json_text(json, change);
	json_key(json, "old");
	json_number(json, old ? old->value : (double)NAN);
	json_key(json, "new");
	json_number(json, new ? new->value : (double)NAN);
	json_close(json, '}');
}

static bool print_text(const struct metric *old, const struct metric *new, const char *change,
		bool is_first)
{
	const struct metric *any = new ? new : old;
	char *name = any ? metric_title(any) : NULL;
	char *title = name ? visible_copy(name, VISIBLE_CELL) : NULL;
	char *before = old ? metric_value(old->unit, old->value) : strdup("-");
	char *after = new ? metric_value(new->unit, new->value) : strdup("-");
	bool is_printed = title && before && after;

	if (is_printed) {
		if (is_first) {
			(void)printf("%-34s %12s %12s %9s  %s\n", "metric", "old", "new", "change",
					"");
		}
		(void)printf("%-34s %12s %12s ", title, before, after);
		if (old && new && old->value != 0) {
			(void)printf("%+8.1f%%",
					100 * (new->value - old->value) / fabs(old->value));
		} else {
			(void)printf("%9s", "");
		}
		(void)printf("  %s\n", change);
	}

	free(name);
	free(title);
	free(before);
	free(after);
	return is_printed;
}

/* Both lists are in the order of compare_keys(): yields how many pairs differ; -1: out of memory.
 */
static long print_differences(const struct diff_options *options, const struct metrics *olds,
		const struct metrics *news)
{
	struct json_writer json = { .stream = stdout };
	size_t i = 0;
	size_t k = 0;
	long differences = 0;

	if (options->is_json) {
		json_open(&json, '[');
	}

	while (i < olds->count || k < news->count) {
		const struct metric *old = i < olds->count ? &olds->list[i] : NULL;
		const struct metric *new = k < news->count ? &news->list[k] : NULL;
		int order = !old ? 1 : !new ? -1 : compare_keys(old, new);
		const char *change = "gone";

		old = order <= 0 ? old : NULL;
		new = order >= 0 ? new : NULL;
		i += old != NULL;
		k += new != NULL;
		/* One that only has bounds is no figure to compare. */
		old = old && isnan(old->value) ? NULL : old;
		new = new &&isnan(new->value) ? NULL : new;
		if ((!old && !new) || !is_different(options, old, new)) {
			continue;
		}

		if (!old) {
			change = "new";
		} else if (new) {
			change = (new->value > old->value) == new->higher_is_better ? "better"
										    : "worse";
		}

		if (options->is_json) {
			print_json(&json, old, new, change);
		} else if (!print_text(old, new, change, differences == 0)) {
			return -1;
		}
		differences++;
	}

	if (options->is_json) {
		json_close_line(&json, ']');
	}

	return differences;
}

int command_diff(int argc, char **argv)
{
	struct diff_options options = { .tolerance = 0.05 };
	struct metrics olds = { 0 };
	struct metrics news = { 0 };
	struct diag diag = { 0 };
	long differences = -1;
	enum csc_status status;

	command_read(argc, argv, table, parse, "OLD NEW",
			"Print what differs between the recordings OLD and NEW of the same program: metrics "
			"that changed by more than noise.\v"
			"Runtimes are compared in their order; bytes that differ by less than 1 MiB do not "
			"count.\n\nExit status, as of diff(1): 0 no difference, 1 differences, 2 trouble or "
			"misuse.",
			&options);
	status = metrics_read(options.old_path, &olds, &diag);
	if (status == CSC_OK) {
		status = metrics_read(options.new_path, &news, &diag);
	}

	if (status == CSC_OK) {
		differences = print_differences(&options, &olds, &news);
		status = differences < 0 ? DIAG_NO_MEMORY(&diag) : CSC_OK;
	}

	metrics_finish(&olds);
	metrics_finish(&news);
	if (status != CSC_OK) {
		return command_trouble(&diag);
	}

	return differences == 0 ? EXIT_DONE : EXIT_FAILED;
}
