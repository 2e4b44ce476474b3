/*
 * SPDX-License-Identifier: MIT
 *
 * The table of options of `carrierscope load`.
 */
#include "load_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "inputs.h"

enum option_key {
	KEY_APPEND = 256,
	KEY_BEGIN,
	KEY_END,
	KEY_GMT,
	KEY_METADATA,
	KEY_NO_PROGRESS,
	KEY_SALVAGE,
	KEY_STRICT,
};

static const struct argp_option table[] = {
	{ "output", 'o', "FILE", 0, "write FILE instead of <name of the first input>.db", 0 },
	{ "force", 'f', NULL, 0, "replace FILE if it exists", 0 },
	{ "append", KEY_APPEND, NULL, 0, "add to FILE if it exists", 0 },
	{ "begin", KEY_BEGIN, "TIME", 0,
			"leave out what was before TIME: nanoseconds since the epoch or "
			"[YYYY-MM-DD ]hh:mm:ss[.nnnnnnnnn]",
			0 },
	{ "end", KEY_END, "TIME", 0, "leave out what was after TIME", 0 },
	{ "gmt", KEY_GMT, NULL, 0, "the times given are UTC, not local", 0 },
	{ "salvage", KEY_SALVAGE, NULL, 0, "load what is sound of damaged traces", 0 },
	{ "metadata", KEY_METADATA, "FILE", 0,
			"with --salvage: the metadata of a sibling trace, for traces that lack theirs",
			0 },
	{ "strict", KEY_STRICT, NULL, 0, "exit with 3 if anything was lost", 0 },
	{ "no-progress", KEY_NO_PROGRESS, NULL, 0, "show no progress on a terminal", 0 },
	{ "quiet", 'q', NULL, 0, "print errors only", 0 },
	{ "verbose", 'v', NULL, 0, "print how long each phase took; twice: Babeltrace's log", 0 },
	COMMAND_OPTION_HELP,
	{ 0 },
};

/* "1700000000123456789" to "1700000000.123456789", which is the trimmer's form of it. */
static char *read_time(const struct argp_state *state, const char *option, const char *text)
{
	size_t digits = strspn(text, "0123456789");
	char *time = NULL;

	if (*text && text[digits] == '\0') {
		unsigned long long ns = strtoull(text, NULL, 10);

		if (digits > 19 ||
				asprintf(&time, "%llu.%09llu", ns / 1000000000, ns % 1000000000) <
						0) {
			time = NULL;
		}
	} else if (*text && text[strspn(text, "0123456789:.- ")] == '\0' && strchr(text, ':')) {
		time = strdup(text);
	}

	if (!time) {
		command_misuse(state, "'%s' is not a time for %s", text, option);
	}

	return time;
}

static void add_input(const struct argp_state *state, struct load_options *options, char *text)
{
	char **grown = realloc(options->inputs, (options->input_count + 1) * sizeof(*grown));

	if (!grown) {
		argp_failure(state, EXIT_FAILED, 0, "out of memory");
		return;
	}

	options->inputs = grown;
	grown[options->input_count++] = text;
}

/* Names the database after the first input. */
static char *default_database(const char *input)
{
	char *whole = input_is_url(input) ? strdup(input) : realpath(input, NULL);
	char *name = NULL;
	const char *base;
	size_t length;

	/* What does not exist is told of later. */
	if (!whole) {
		whole = strdup(input);
	}

	if (!whole) {
		return NULL;
	}

	length = strlen(whole);
	while (length > 1 && whole[length - 1] == '/') {
		whole[--length] = '\0';
	}

	base = strrchr(whole, '/');
	base = base ? base + 1 : whole;
	if (asprintf(&name, "%s.db", *base ? base : "trace") < 0) {
		name = NULL;
	}

	free(whole);
	return name;
}

static void set_text(const struct argp_state *state, char **text, char *value)
{
	free(*text);
	*text = value;
	if (!value) {
		argp_failure(state, EXIT_FAILED, 0, "out of memory");
	}
}

static void finish_parsing(const struct argp_state *state, struct load_options *options)
{
	if (options->input_count == 0) {
		command_misuse(state,
				"'load' takes a trace directory or the URL of a live session");
	}

	if (options->is_forced && options->is_appending) {
		command_misuse(state, "--force and --append exclude each other");
	}

	if (options->metadata && !options->is_salvaging) {
		command_misuse(state, "--metadata goes with --salvage");
	}

	if (options->database && (!*options->database || strcmp(options->database, "-") == 0)) {
		command_misuse(state, "a database cannot be written to '%s'", options->database);
	}

	for (size_t i = 0; options->is_salvaging && i < options->input_count; i++) {
		if (input_is_url(options->inputs[i])) {
			command_misuse(state, "a live session cannot be salvaged");
		}
	}

	if (!options->database) {
		set_text(state, &options->database, default_database(options->inputs[0]));
	}
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct load_options *options = state->input;

	switch (key) {
	case 'o':
		set_text(state, &options->database, strdup(argument));
		return 0;
	case 'f':
		options->is_forced = true;
		return 0;
	case KEY_APPEND:
		options->is_appending = true;
		return 0;
	case KEY_BEGIN:
		set_text(state, &options->begin, read_time(state, "--begin", argument));
		return 0;
	case KEY_END:
		set_text(state, &options->end, read_time(state, "--end", argument));
		return 0;
	case KEY_GMT:
		options->is_gmt = true;
		return 0;
	case KEY_SALVAGE:
		options->is_salvaging = true;
		return 0;
	case KEY_METADATA:
		options->metadata = argument;
		return 0;
	case KEY_STRICT:
		options->is_strict = true;
		return 0;
	case KEY_NO_PROGRESS:
		options->has_progress = false;
		return 0;
	case 'q':
		options->is_quiet = true;
		return 0;
	case 'v':
		options->verbosity++;
		return 0;
	case ARGP_KEY_ARG:
		add_input(state, options, argument);
		return 0;
	case ARGP_KEY_END:
		finish_parsing(state, options);
		return 0;
	default:
		return command_parse_common(key, state);
	}
}

void load_options_read(int argc, char **argv, struct load_options *ret_options)
{
	static const struct argp argp = { table, parse, "INPUT...",
		"Load traces of an Erlang runtime into an SQLite database.\v"
		"INPUT is the directory of a CTF trace, a directory with traces in it, or a live "
		"session as net://HOST[:PORT]/host/HOSTNAME/SESSION.\n\n"
		"Example:\n  carrierscope load -o run.db ~/lttng-traces/beam-20260101-120000",
		NULL, NULL, NULL };
	struct load_options options = { .has_progress = true };

	(void)argp_parse(&argp, argc, argv, 0, NULL, &options);
	options.has_progress = options.has_progress && !options.is_quiet && isatty(STDERR_FILENO);
	*ret_options = options;
}

void load_options_finish(struct load_options *options)
{
	free(options->database);
	free(options->inputs);
	free(options->begin);
	free(options->end);
}
