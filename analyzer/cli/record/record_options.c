/*
 * SPDX-License-Identifier: MIT
 *
 * Options of `carrierscope record`.
 */
#include "record_options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "amount.h"
#include "command.h"

enum {
	KEY_NODE = 256,
	KEY_VIA,
	KEY_PID,
	KEY_EBIN,
	KEY_SAMPLE,
	KEY_NO_STACKS,
	KEY_EVERY_BLOCK,
	KEY_MEMORY,
	KEY_MAX_SIZE,
	KEY_SNAPSHOTS,
	KEY_KEEP,
	KEY_CLEAN,
	KEY_COOKIE,
	KEY_COMPARE,
	KEY_MODE,
	KEY_COLLECT,
	KEY_READINGS,
	KEY_SYNTAX,
	KEY_ERL_ARGS,
	KEY_PRINT
};

enum { DEFAULT_SECONDS = 30, MOST_SECONDS = 30 * 86400, LEAST_SAMPLE = 64, DEFAULT_SAMPLE = 65536 };

static const struct argp_option table[] = {
	{ NULL, 0, NULL, 0, "Which node:", 1 },
	{ "node", KEY_NODE, "NAME[@HOST]", 0,
			"a node with distribution, asked by erl_call; NAME alone is the same", 1 },
	{ "via", KEY_VIA, "COMMAND", 0,
			"a node that a shell command evaluates expressions on: \"rabbitmqctl eval\", "
			"\"bin/APP rpc\" of mix, \"kubectl exec POD -- bin/APP eval\" of relx",
			1 },
	{ "syntax", KEY_SYNTAX, "WORD", 0, "what it evaluates: erlang, elixir or auto (default)",
			1 },
	{ "erl-args", KEY_ERL_ARGS, "ARGUMENTS", 0,
			"for the erl that reads a node by its NAME, such as \"-proto_dist inet_tls\"",
			1 },
	{ "pid", KEY_PID, "PID", 0,
			"a node that has hooks or events of its own already; it is not asked", 1 },
	{ "cookie-file", KEY_COOKIE, "FILE", 0, "the cookie for --node (default ~/.erlang.cookie)",
			1 },
	{ NULL, 0, NULL, 0, "How:", 2 },
	{ "seconds", 's', "TIME", 0,
			"how long, such as 30s, 2m or 1h (default 30s; a COMMAND: to its end)", 2 },
	{ "readings", KEY_READINGS, NULL, 0,
			"hook nothing: read the node once a second; the default where it has neither module carrierscope nor LTTng",
			2 },
	{ "sample", KEY_SAMPLE, "BYTES", 0,
			"record one block in so many bytes (default 64KiB): 3 to 8 % CPU of the node",
			2 },
	{ "no-stacks", KEY_NO_STACKS, NULL, 0,
			"samples do not name the Erlang functions that allocated", 2 },
	{ "every-block", KEY_EVERY_BLOCK, NULL, 0,
			"record every block, as advise needs it: 12 to 30 % CPU of the node", 2 },
	{ "max-size", KEY_MAX_SIZE, "BYTES", 0,
			"end the recording when its trace has so many bytes, such as 1GiB", 2 },
	{ "snapshots", KEY_SNAPSHOTS, "TIME", 0,
			"time between snapshots of the node (default: a 32nd of the time, at least 1s)",
			2 },
	{ "memory", KEY_MEMORY, "BYTES", 0,
			"LTTng's buffers in all (default 32MiB, at most a tenth of what is free)",
			2 },
	{ "try-collect", KEY_COLLECT, "PID", 0,
			"at the end, collect the garbage of one Erlang process (<0.95.0>) and report what that freed",
			2 },
	{ "ebin", KEY_EBIN, "DIR", 0, "folder of module carrierscope as the node sees it", 2 },
	{ "print-expression", KEY_PRINT, NULL, 0,
			"print what --readings evaluates on a node, and end; 'carrierscope load' takes what it prints there",
			2 },
	{ NULL, 0, NULL, 0, "Into:", 3 },
	{ "output", 'o', "FILE", 0, "the database (default carrierscope-TIME.db)", 3 },
	{ "force", 'f', NULL, 0,
			"replace FILE if it exists; read a node that has little memory left", 3 },
	COMMAND_OPTION_MODE_IN(KEY_MODE, 3),
	{ "compare", KEY_COMPARE, "OLD", 0, "also print what differs from this older database", 3 },
	{ "keep-trace", KEY_KEEP, NULL, 0, "leave the trace beside FILE", 3 },
	{ "clean", KEY_CLEAN, NULL, 0,
			"end what killed recorders left, judge what they recorded, and nothing else",
			3 },
	COMMAND_OPTION_HELP,
	{ 0 },
};

static const struct command_flag flags[] = {
	COMMAND_VALUE(KEY_NODE, struct record_options, node),
	COMMAND_VALUE(KEY_VIA, struct record_options, via),
	COMMAND_VALUE(KEY_COOKIE, struct record_options, cookie_file),
	COMMAND_VALUE(KEY_COMPARE, struct record_options, compared),
	COMMAND_VALUE(KEY_EBIN, struct record_options, ebin),
	COMMAND_VALUE(KEY_ERL_ARGS, struct record_options, erl_args),
	COMMAND_FLAG(KEY_READINGS, struct record_options, is_of_readings),
	COMMAND_FLAG(KEY_PRINT, struct record_options, is_printing),
	COMMAND_FLAG('f', struct record_options, is_forced),
	COMMAND_FLAG(KEY_KEEP, struct record_options, keeps_trace),
	COMMAND_FLAG(KEY_CLEAN, struct record_options, is_cleaning),
	{ 0 },
};

static uint64_t read_bytes(const struct argp_state *state, const char *name, const char *text)
{
	uint64_t bytes;

	if (!amount_bytes(text, &bytes)) {
		command_misuse(state,
				"'%s %s': a number of bytes such as 65536 or 64KiB; units are KiB, MiB and GiB",
				name, text);
	}
	return bytes;
}

static void take_pid(
		const struct argp_state *state, struct record_options *options, const char *text)
{
	char *end;
	long pid = strtol(text, &end, 10);

	if (end == text || *end || pid < 1 || pid > 1 << 30) {
		command_misuse(state, "'--pid %s': a process id", text);
	}
	options->pid = (pid_t)pid;
}

/* "0.95.0", a process of the node itself; false: it is something else. */
static bool read_process(const char *text, unsigned long ret_parts[static 3])
{
	for (int i = 0; i < 3; i++) {
		char *end;

		if (!isdigit((unsigned char)*text)) {
			return false;
		}
		ret_parts[i] = strtoul(text, &end, 10);
		if (ret_parts[i] > UINT32_MAX || (i < 2 && *end != '.')) {
			return false;
		}
		text = i < 2 ? end + 1 : end;
	}
	return *text == '\0' && ret_parts[0] == 0;
}

/* "<0.95.0>", or without the brackets that mean something to a shell. */
static void take_process(
		const struct argp_state *state, struct record_options *options, const char *text)
{
	size_t length = strlen(text);
	bool has_brackets = length > 2 && text[0] == '<' && text[length - 1] == '>';
	char bare[32];
	unsigned long parts[3];

	(void)snprintf(bare, sizeof(bare), "%.*s", (int)(length - (has_brackets ? 2 : 0)),
			text + (has_brackets ? 1 : 0));
	if (length >= sizeof(bare) || !read_process(bare, parts)) {
		command_misuse(state, "'--try-collect %s': an Erlang process such as '<0.95.0>'",
				text);
	}
	(void)snprintf(options->collected, sizeof(options->collected), "<0.%lu.%lu>", parts[1],
			parts[2]);
}

static void take_syntax(
		const struct argp_state *state, struct record_options *options, const char *text)
{
	static const char *const names[] = { "auto", "erlang", "elixir" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(text, names[i]) == 0) {
			options->syntax = (enum push_syntax)i;
			return;
		}
	}
	command_misuse(state, "'--syntax %s': auto, erlang or elixir", text);
}

static void take_output(
		const struct argp_state *state, struct record_options *options, const char *text)
{
	if (!*text || strlen(text) >= sizeof(options->database)) {
		command_misuse(state, "'--output' takes a name of 1 to %zu bytes",
				sizeof(options->database) - 1);
	}
	(void)snprintf(options->database, sizeof(options->database), "%s", text);
}

/* Whether a shell would find a program of that name. */
static bool is_program(const char *word)
{
	const char *folders = getenv("PATH");

	if (strchr(word, '/')) {
		return true;
	}
	while (folders && *folders) {
		size_t length = strcspn(folders, ":");
		char *path = NULL;
		bool is_there = asprintf(&path, "%.*s/%s", (int)length, folders, word) >= 0 &&
				access(path, X_OK) == 0;

		free(path);
		if (is_there) {
			return true;
		}
		folders += length + (folders[length] == ':');
	}
	return false;
}

/* A word that stands alone is the name of a node; what can be run, or stands behind --, is a
 * COMMAND. */
static error_t take_word(
		const struct argp_state *state, struct record_options *options, const char *word)
{
	if (state->quoted || options->node || is_program(word)) {
		return ARGP_ERR_UNKNOWN;
	}
	options->node = word;
	return 0;
}

/* Exactly one of them. */
static void check_node(const struct argp_state *state, const struct record_options *options)
{
	int ways = (options->node != NULL) + (options->via != NULL) + (options->command != NULL) +
			(options->pid != 0);

	if (options->node && options->command) {
		command_misuse(state, "a node or a COMMAND, not both: '%s' follows the node '%s'",
				options->command[0], options->node);
	}
	if (options->is_of_readings &&
			(options->wants_blocks || options->pid || options->command)) {
		command_misuse(state, "--readings takes a node that can be asked, and no blocks");
	}
	if (!options->is_cleaning && !options->is_printing && ways != 1) {
		command_misuse(state,
				ways == 0 ? "which node? NAME, --via COMMAND, --pid PID or -- COMMAND"
					  : "--node, --via, --pid and a COMMAND exclude each other");
	}
	if (*options->collected && !options->node && !options->via) {
		command_misuse(state, "--try-collect takes --node or --via");
	}
	if (options->erl_args && (options->via || options->command)) {
		command_misuse(state, "--erl-args takes a node by its NAME");
	}
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct record_options *options = state->input;

	switch (key) {
	case KEY_PID:
		take_pid(state, options, argument);
		return 0;
	case KEY_COLLECT:
		take_process(state, options, argument);
		return 0;
	case 's':
		options->seconds = command_take_seconds(state, "--seconds", argument, MOST_SECONDS);
		return 0;
	case KEY_SNAPSHOTS:
		options->snapshots_ms = 1000 *
				command_take_seconds(state, "--snapshots", argument, MOST_SECONDS);
		return 0;
	case KEY_SYNTAX:
		take_syntax(state, options, argument);
		return 0;
	case KEY_EVERY_BLOCK:
		options->wants_blocks = true;
		options->sample_bytes = 0;
		return 0;
	case KEY_SAMPLE:
		options->wants_blocks = true;
		options->sample_bytes = read_bytes(state, "--sample", argument);
		if (options->sample_bytes < LEAST_SAMPLE) {
			command_misuse(state, "'--sample %s': at least %d bytes", argument,
					LEAST_SAMPLE);
		}
		return 0;
	case KEY_NO_STACKS:
		options->has_no_stacks = true;
		return 0;
	case KEY_MAX_SIZE:
		options->most_bytes = read_bytes(state, "--max-size", argument);
		return 0;
	case KEY_MEMORY:
		options->memory_bytes = read_bytes(state, "--memory", argument);
		return 0;
	case KEY_MODE:
		command_take_mode(state, argument);
		return 0;
	case 'o':
		take_output(state, options, argument);
		return 0;
	case ARGP_KEY_ARG:
		return take_word(state, options, argument);
	case ARGP_KEY_ARGS:
		options->command = state->argv + state->next;
		return 0;
	case ARGP_KEY_END:
		check_node(state, options);
		return 0;
	default:
		return command_parse_flags(flags, key, argument, state);
	}
}

/* Enough snapshots to see growth, and not more than one in a second. */
static unsigned int choose_snapshots_ms(unsigned int seconds)
{
	return seconds < 32 ? 1000 : seconds * 1000 / 32;
}

void record_options_read(int argc, char **argv, struct record_options *ret_options)
{
	static const struct argp argp = { table, parse, "[NAME[@HOST]]\n-- COMMAND [ARGUMENT...]",
		"Records an Erlang node, loads the recording and prints the verdict.\v"
		"Blocks are recorded where the node finds module carrierscope (folder EBIN) and LTTng is installed; any other "
		"node is read once a second by a module that is pushed into it. "
		"Nothing is left in it or running afterwards. "
		"Ctrl-C ends the recording early and loads what there is.\n\n"
		"Exit status: 0 recorded, 1 failed, 2 misuse.",
		NULL, NULL, NULL };
	time_t now = time(NULL);
	struct tm parts;

	*ret_options = (struct record_options){ .sample_bytes = DEFAULT_SAMPLE };
	command_check_options(argc, argv, table, true);
	if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, ret_options) != 0) {
		exit(EXIT_USAGE);
	}
	if (!*ret_options->database && localtime_r(&now, &parts)) {
		(void)strftime(ret_options->database, sizeof(ret_options->database),
				"carrierscope-%Y%m%d-%H%M%S.db", &parts);
	}
	if (ret_options->seconds == 0 && !ret_options->command) {
		ret_options->seconds = DEFAULT_SECONDS;
	}
	if (ret_options->snapshots_ms == 0) {
		ret_options->snapshots_ms = choose_snapshots_ms(ret_options->seconds);
	}
}
