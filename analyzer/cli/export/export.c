/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope export`: writes a database as a file that other tools read.
 */
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "database.h"
#include "export.h"
#include "export_stacks.h"
#include "export_times.h"
#include "judge.h"
#include "output.h"
#include "report_at.h"
#include "visible.h"

enum export_format {
	EXPORT_PPROF,
	EXPORT_FOLDED,
	EXPORT_SPEEDSCOPE,
	/* From here on over time, not at a moment. */
	EXPORT_PERFETTO,
	EXPORT_CSV,
	EXPORT_NONE,
};

enum option_key { KEY_AT = 256, KEY_CODE, KEY_INSTANCES, KEY_RAW, KEY_TO, KEY_VALUE };

struct export_options {
	const char *database;
	const char *output;

	/* NULL: the end. */
	const char *at;
	enum export_format format;

	/* STACK_VALUES: none was asked for. */
	enum stack_value value;
	bool has_instances;
	bool is_by_code;
	bool is_raw;
	bool is_forced;
};

/* In the order of enum export_format. */
static const char *const formats[] = { "pprof", "folded", "speedscope", "perfetto", "csv", NULL };

static const struct argp_option table[] = {
	{ "to", KEY_TO, "FORMAT", 0, "pprof, folded, speedscope, perfetto or csv", 0 },
	COMMAND_OPTION_OUTPUT("standard output"),
	{ "at", KEY_AT, "TIME", 0,
			"of pprof, folded and speedscope: what is in use at TIME, in nanoseconds since the "
			"epoch, or +SECONDS since the recording began; else at the end",
			0 },
	{ "value", KEY_VALUE, "VALUE", 0,
			"of folded: inuse_space (default), inuse_objects, alloc_space or alloc_objects",
			0 },
	{ "code", KEY_CODE, NULL, 0,
			"of pprof, folded and speedscope: what is in use by the Erlang functions that made "
			"it, of samples, instead of by who holds it",
			0 },
	{ "instances", KEY_INSTANCES, NULL, 0, "of csv: a row for each instance of an allocator",
			0 },
	{ "raw", KEY_RAW, NULL, 0, "of csv: do not write out control characters of texts", 0 },
	COMMAND_OPTION_HELP,
	{ 0 },
};

static const struct command_flag flags[] = {
	COMMAND_VALUE('o', struct export_options, output),
	COMMAND_FLAG('f', struct export_options, is_forced),
	COMMAND_FLAG(KEY_CODE, struct export_options, is_by_code),
	COMMAND_FLAG(KEY_INSTANCES, struct export_options, has_instances),
	COMMAND_FLAG(KEY_RAW, struct export_options, is_raw),
	{ 0 },
};

static enum stack_value read_value(const struct argp_state *state, const char *word)
{
	for (enum stack_value value = 0; value < STACK_VALUES; value++) {
		if (strcmp(word, stack_value_name(value)) == 0) {
			return value;
		}
	}

	command_misuse(state,
			"invalid value '%s' for --value; use inuse_space, inuse_objects, alloc_space or alloc_objects",
			word);
}

/* What goes with one format only. */
static void check_options(const struct argp_state *state, const struct export_options *options)
{
	if (!options->database) {
		command_misuse(state, "'export' needs a FILE");
	}
	if (options->format == EXPORT_NONE) {
		command_misuse(state,
				"'export' needs --to (pprof, folded, speedscope, perfetto or csv)");
	}
	if (options->at && options->format >= EXPORT_PERFETTO) {
		command_misuse(state, "--at goes with --to pprof, folded or speedscope");
	}
	if (options->value != STACK_VALUES && options->format != EXPORT_FOLDED) {
		command_misuse(state,
				"--value goes with --to folded; the other formats have all values");
	}
	if (options->is_by_code && options->format >= EXPORT_PERFETTO) {
		command_misuse(state, "--code goes with --to pprof, folded or speedscope");
	}
	if (options->has_instances && options->format != EXPORT_CSV) {
		command_misuse(state, "--instances goes with --to csv");
	}
	if (options->is_raw && options->format != EXPORT_CSV) {
		command_misuse(state, "--raw goes with --to csv");
	}
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct export_options *options = state->input;

	switch (key) {
	case KEY_TO:
		options->format = (enum export_format)command_take_format(state, formats, argument);
		return 0;
	case KEY_AT:
		if (!report_at_is_time(argument)) {
			command_misuse(state, "'%s' is not a time for --at", argument);
		}
		options->at = argument;
		return 0;
	case KEY_VALUE:
		options->value = read_value(state, argument);
		return 0;
	case ARGP_KEY_ARG:
		command_take_file(state, "export", argument, &options->database);
		return 0;
	case ARGP_KEY_END:
		check_options(state, options);
		return 0;
	default:
		return command_parse_flags(flags, key, argument, state);
	}
}

/* Everything that can fail before something is written. */
static enum csc_status prepare(const struct export_options *options, sqlite3 *db,
		struct export_stacks *stacks, struct diag *diag)
{
	enum csc_status status = options->at
			? report_at_ask(db, "export_stack", options->at, NULL, diag)
			: judge_prepare(db, "export_stack export_level export_phase export_instant",
					  diag);

	if (options->format >= EXPORT_PERFETTO) {
		return status == CSC_OK ? export_times_check(db, options->database,
							  options->format == EXPORT_PERFETTO, diag)
					: status;
	}

	if (status == CSC_OK) {
		status = export_stacks_prepare(
				db, options->database, options->is_by_code, stacks, diag);
	}
	if (status == CSC_OK && options->format == EXPORT_FOLDED) {
		status = export_stacks_check(stacks, options->value, diag);
	}

	return status;
}

static enum csc_status write_to(FILE *stream, const struct export_options *options, sqlite3 *db,
		const struct export_stacks *stacks, struct diag *diag)
{
	switch (options->format) {
	case EXPORT_PPROF:
		return export_stacks_pprof(stacks, stream, diag);
	case EXPORT_FOLDED:
		return export_stacks_folded(stacks, options->value, stream, diag);
	case EXPORT_SPEEDSCOPE:
		return export_stacks_speedscope(stacks, stream, diag);
	case EXPORT_PERFETTO:
		return export_times_perfetto(db, stream, diag);
	case EXPORT_CSV:
		return export_times_csv(db, options->has_instances, options->is_raw, stream, diag);
	case EXPORT_NONE:
		break;
	}

	return CSC_OK;
}

/* What is being done, on a terminal; NULL: it is over. */
static void show_stage(const char *stage, const char *database)
{
	if (!command_shows_progress()) {
		return;
	}
	if (stage) {
		(void)fprintf(stderr, "\r%s ", stage);
		visible_print(stderr, database, VISIBLE_CELL);
		fputs(" ...", stderr);
	} else {
		fputs("\r", stderr);
	}
	fputs("\033[K", stderr);
	(void)fflush(stderr);
}

static enum csc_status write_file(const struct export_options *options, struct diag *diag)
{
	sqlite3 *db = NULL;
	struct export_stacks stacks = { 0 };
	struct output output;
	enum csc_status status = database_open(options->database, &db, diag);

	if (status == CSC_OK) {
		/* Millions of rows may have to be sorted: not in memory. */
		status = database_run(db, sqlite3_mprintf("PRAGMA temp_store = FILE"), diag);
	}
	if (status == CSC_OK) {
		status = output_open(options->output, options->is_forced, options->database,
				&output, diag);
	}
	if (status == CSC_OK) {
		database_warn(db, options->database);
		show_stage("reading", options->database);
		status = prepare(options, db, &stacks, diag);
		if (status == CSC_OK) {
			show_stage("writing what is in", options->database);
			status = write_to(output.stream, options, db, &stacks, diag);
		}
		show_stage(NULL, NULL);

		status = output_close(&output, status, diag);
	}

	export_stacks_finish(&stacks);
	(void)sqlite3_close(db);
	return status;
}

int command_export(int argc, char **argv)
{
	struct export_options options = { .format = EXPORT_NONE, .value = STACK_VALUES };
	struct diag diag = { 0 };

	command_read(argc, argv, table, parse, "--to FORMAT FILE",
			"Write the database FILE as a file for other tools: who holds memory (pprof, folded, "
			"speedscope), or what happened over time (perfetto, csv).\v"
			"Example:\n  carrierscope export run.db --to pprof -o run.pb.gz",
			&options);
	if (options.format != EXPORT_CSV && options.format != EXPORT_FOLDED &&
			(!options.output || strcmp(options.output, "-") == 0) &&
			isatty(STDOUT_FILENO)) {
		command_print("this format is not for terminals; use --output=FILE");
		return EXIT_USAGE;
	}

	options.value = options.value == STACK_VALUES ? STACK_INUSE_SPACE : options.value;
	return write_file(&options, &diag) == CSC_OK ? EXIT_DONE : command_fail(&diag);
}
