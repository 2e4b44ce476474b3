/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope`: a table of commands.
 */
#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advise.h"
#include "answer.h"
#include "command.h"
#include "database.h"
#include "export.h"
#include "fleet.h"
#include "keep.h"
#include "live.h"
#include "nearest.h"
#include "record.h"
#include "target.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);

	/* What --help and argp call it. */
	char *full_name;
	const char *meaning;

	/* What it yields if a hostile database would take it for ever. */
	int status_at_end;

	/* A heading above it; NULL: as the one before. */
	const char *group;
};

static int command_help(int argc, char **argv);
static int command_version(int argc, char **argv);

static char record_name[] = "carrierscope record";
static char keep_name[] = "carrierscope keep";
static char open_name[] = "carrierscope open";
static char serve_name[] = "carrierscope serve";
static char top_name[] = "carrierscope top";
static char load_name[] = "carrierscope load";
static char report_name[] = "carrierscope report";
static char info_name[] = "carrierscope info";
static char check_name[] = "carrierscope check";
static char diff_name[] = "carrierscope diff";
static char export_name[] = "carrierscope export";
static char replay_name[] = "carrierscope replay";
static char push_name[] = "carrierscope push";
static char fleet_name[] = "carrierscope fleet";
static char advise_name[] = "carrierscope advise";
static char help_name[] = "carrierscope help";
static char version_name[] = "carrierscope version";

static const struct command commands[] = {
	{ "report", command_report, report_name, "print the answer, or a report, of a database",
			EXIT_FAILED, "Look" },
	{ "top", command_top, top_name, "show what the allocators of a node hold, now", EXIT_FAILED,
			NULL },
	{ "open", command_open, open_name, "open the page of a database in a browser", EXIT_FAILED,
			NULL },
	{ "serve", command_serve, serve_name,
			"serve pages of databases, and metrics for Prometheus", EXIT_FAILED, NULL },
	{ "info", command_info, info_name, "show what is in a database", EXIT_FAILED, NULL },
	{ "diff", command_diff, diff_name, "show what differs between two recordings", EXIT_TROUBLE,
			NULL },
	{ "check", command_check, check_name, "check a recording against memory budgets",
			EXIT_TROUBLE, NULL },
	{ "record", command_record, record_name,
			"record a node, load what was recorded and print the verdict", EXIT_FAILED,
			"Record" },
	{ "keep", command_keep, keep_name,
			"record a node all the time, and judge what there was at an alarm or its end",
			EXIT_FAILED, NULL },
	{ "load", target_load, load_name,
			"load traces, crash dumps, snapshots, logs, and print the answer",
			EXIT_FAILED, NULL },
	{ "advise", command_advise, advise_name,
			"search for the +M flags that save memory in a recording", EXIT_FAILED,
			"Improve" },
	{ "replay", command_replay, replay_name, "replay a recording with other +M flags",
			EXIT_FAILED, NULL },
	{ "export", command_export, export_name,
			"write a file for pprof, Perfetto, speedscope, ...", EXIT_FAILED, "Share" },
	{ "push", command_push, push_name, "send a recording to the server of a fleet", EXIT_FAILED,
			NULL },
	{ "fleet", command_fleet, fleet_name, "make the tables of a fleet, and print its answers",
			EXIT_FAILED, NULL },
	{ "help", command_help, help_name, "show this, or the help of a COMMAND", EXIT_FAILED,
			"Also" },
	{ "version", command_version, version_name, "print the version", EXIT_FAILED, NULL },
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		if (strcmp(name, commands[i].name) == 0) {
			return &commands[i];
		}
	}

	return NULL;
}

/* A list of their names that NULL ends. */
static const char *const *list_commands(void)
{
	static const char *names[COMMANDS + 1];

	for (size_t i = 0; i < COMMANDS; i++) {
		names[i] = commands[i].name;
	}

	return names;
}

/* "record, keep or replay"; overwritten by the next call. */
static const char *command_names(void)
{
	static char names[256];
	size_t at = 0;

	for (size_t i = 0; i < COMMANDS && at < sizeof(names); i++) {
		const char *before = i == 0 ? "" : i + 1 == COMMANDS ? " or " : ", ";

		at += (size_t)snprintf(
				names + at, sizeof(names) - at, "%s%s", before, commands[i].name);
	}

	return names;
}

/* A full disk behind standard output is a failure, also of --help. */
static void close_output(void)
{
	if (ferror(stdout) || fflush(stdout) != 0) {
		if (errno != EPIPE) {
			command_print("cannot write standard output: %s", strerror(errno));
		}

		_exit(EXIT_FAILED);
	}
}

/* Stops at the first word that is no option: the command. */
/* NOLINTNEXTLINE(readability-non-const-parameter): argp wants it so */
static error_t parse_main(int key, char *argument, struct argp_state *state)
{
	int *at = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		(void)argument;
		*at = state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		command_misuse(state, "no command given (%s)", command_names());
	default:
		return command_parse_common(key, state);
	}
}

/*
 * Must come before SQLite is used.  Its statistics of memory take a lock at each allocation, and
 * most of the time of a report is spent on plans: many small pieces of memory.  What cannot be set
 * costs time only.
 */
static void set_up_sqlite(void)
{
	enum { SLOT_BYTES = 1200, SLOTS = 2000 };

	(void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	(void)sqlite3_config(SQLITE_CONFIG_LOOKASIDE, (int)SLOT_BYTES, (int)SLOTS);
}

static char *filter_main_help(int key, const char *text, void *input)
{
	char *list = NULL;
	size_t bytes = 0;
	FILE *stream;

	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC || !(stream = open_memstream(&list, &bytes))) {
		return (char *)text;
	}

	fputs("Commands:\n", stream);
	for (size_t i = 0; i < COMMANDS; i++) {
		if (commands[i].group) {
			(void)fprintf(stream, " %s:\n", commands[i].group);
		}
		(void)fprintf(stream, "  %-8s %s\n", commands[i].name, commands[i].meaning);
	}

	fputs("\nExit status: 0 done, 1 failed or different, 2 misuse, 3 data loss under\n"
	      "--strict, 130 interrupted.  'carrierscope help COMMAND' shows more.",
			stream);
	if (fclose(stream) != 0) {
		free(list);
		return NULL;
	}

	return list;
}

static const struct argp_option main_options[] = { COMMAND_OPTION_HELP, { 0 } };
static const struct argp main_argp = { main_options, parse_main, "COMMAND [ARGUMENT...]\nTARGET",
	"Answers about the memory of an Erlang runtime.\n\n"
	"  carrierscope erl_crash.dump          what a dump or a trace says\n"
	"  carrierscope record shop@host        record a node, and judge it\n"
	"  carrierscope report holders run.db   who holds the memory\n\n"
	"TARGET is a database, which is reported, or a trace, crash dump, log or printed terms "
	"(- is standard input), which are loaded into NAME.db first; of a node it says what to run.\v",
	NULL, filter_main_help, NULL };

/* NOLINTNEXTLINE(readability-non-const-parameter): argp wants it so */
static error_t parse_help(int key, char *argument, struct argp_state *state)
{
	const char **name = state->input;

	if (key == ARGP_KEY_ARG) {
		if (state->arg_num > 0) {
			command_misuse(state, "too many arguments: 'help' takes one COMMAND");
		}
		*name = argument;
		return 0;
	}

	return command_parse_common(key, state);
}

static int command_help(int argc, char **argv)
{
	static char option[] = "--help";
	static char program[] = "carrierscope";
	const char *name = NULL;
	const struct command *command;

	command_read(argc, argv, main_options, parse_help, "[COMMAND]",
			"Shows all commands, or the help of one.", (void *)&name);
	command = name ? find_command(name) : NULL;
	if (command) {
		return command->run(2, (char *[]){ command->full_name, option, NULL });
	}

	if (name) {
		const char *meant = nearest_word(name, list_commands());

		command_print(meant ? "'%s' is not a command; did you mean 'carrierscope help %s'?"
				    : "'%s' is not a command; see 'carrierscope --help'%s",
				name, meant ? meant : "");
		return EXIT_USAGE;
	}

	(void)argp_parse(&main_argp, 2, (char *[]){ program, option, NULL }, 0, NULL, NULL);
	return EXIT_DONE;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): argp wants it so */
static error_t parse_version(int key, char *argument, struct argp_state *state)
{
	if (key == ARGP_KEY_ARG) {
		command_misuse(state, "'version' takes no argument such as '%s'", argument);
	}

	return command_parse_common(key, state);
}

static int command_version(int argc, char **argv)
{
	command_read(argc, argv, main_options, parse_version, "", "Prints the version.", NULL);
	puts(argp_program_version);
	return EXIT_DONE;
}

int main(int argc, char **argv)
{
	const struct command *command;
	int at = 0;

	set_up_sqlite();
	/* A file at its limit is an error like a full disk. */
	(void)signal(SIGXFSZ, SIG_IGN);
	argp_err_exit_status = EXIT_USAGE;
	argp_program_version = "carrierscope " CSC_VERSION;
	if (atexit(close_output) != 0) {
		return EXIT_FAILED;
	}

	command_check_options(argc, argv, main_options, true);
	if (argp_parse(&main_argp, argc, argv, ARGP_IN_ORDER, NULL, &at) != 0) {
		return EXIT_USAGE;
	}

	command = find_command(argv[at]);
	if (!command) {
		database_end_program(EXIT_FAILED);
		return database_judge_status(target_run(argc - at, argv + at, list_commands()));
	}

	argv[at] = command->full_name;
	database_end_program(command->status_at_end);
	return database_judge_status(command->run(argc - at, argv + at));
}
