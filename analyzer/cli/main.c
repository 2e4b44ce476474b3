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
#include "load.h"
#include "record.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);

	/* What --help and argp call it. */
	char *full_name;
	const char *meaning;

	/* What it yields if a hostile database would take it for ever. */
	int status_at_end;
};

static char record_name[] = "carrierscope record";
static char keep_name[] = "carrierscope keep";
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

static const struct command commands[] = {
	{ "record", command_record, record_name,
			"record a node, load what was recorded and print the verdict",
			EXIT_FAILED },
	{ "keep", command_keep, keep_name,
			"record a node all the time, and judge what there was at an alarm or its end",
			EXIT_FAILED },
	{ "top", command_top, top_name, "show what the allocators of a node hold, now",
			EXIT_FAILED },
	{ "load", command_load, load_name,
			"load traces, crash dumps, snapshots, logs into a database", EXIT_FAILED },
	{ "report", command_report, report_name, "print a report of a database", EXIT_FAILED },
	{ "serve", command_serve, serve_name, "show the page of a database in a browser",
			EXIT_FAILED },
	{ "info", command_info, info_name, "show what is in a database", EXIT_FAILED },
	{ "check", command_check, check_name, "check a recording against memory budgets",
			EXIT_TROUBLE },
	{ "diff", command_diff, diff_name, "show what differs between two recordings",
			EXIT_TROUBLE },
	{ "export", command_export, export_name,
			"write a file for pprof, Perfetto, speedscope, ...", EXIT_FAILED },
	{ "advise", command_advise, advise_name,
			"search for the +M flags that save memory in a recording", EXIT_FAILED },
	{ "replay", command_replay, replay_name, "replay a recording with other +M flags",
			EXIT_FAILED },
	{ "push", command_push, push_name, "send a recording to the server of a fleet",
			EXIT_FAILED },
	{ "fleet", command_fleet, fleet_name, "make the tables of a fleet, and print its answers",
			EXIT_FAILED },
};

static const size_t command_count = sizeof(commands) / sizeof(commands[0]);

/* "record, keep or replay"; overwritten by the next call. */
static const char *command_names(void)
{
	static char names[256];
	size_t at = 0;

	for (size_t i = 0; i < command_count && at < sizeof(names); i++) {
		const char *before = i == 0 ? "" : i + 1 == command_count ? " or " : ", ";

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
	for (size_t i = 0; i < command_count; i++) {
		(void)fprintf(stream, "  %-8s %s\n", commands[i].name, commands[i].meaning);
	}

	fputs("\nExit status: 0 done, 1 failed or different, 2 misuse, 3 data loss under\n"
	      "--strict, 130 interrupted.  'carrierscope COMMAND --help' shows more.",
			stream);
	if (fclose(stream) != 0) {
		free(list);
		return NULL;
	}

	return list;
}

int main(int argc, char **argv)
{
	static const struct argp_option options[] = { COMMAND_OPTION_HELP, { 0 } };
	static const struct argp argp = { options, parse_main, "COMMAND [ARGUMENT...]",
		"Answers about the memory of an Erlang runtime from traces, crash dumps and snapshots.\v",
		NULL, filter_main_help, NULL };
	int at = 0;

	set_up_sqlite();
	/* A file at its limit is an error like a full disk. */
	(void)signal(SIGXFSZ, SIG_IGN);
	argp_err_exit_status = EXIT_USAGE;
	argp_program_version = "carrierscope " CSC_VERSION;
	if (atexit(close_output) != 0) {
		return EXIT_FAILED;
	}

	if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &at) != 0) {
		return EXIT_USAGE;
	}

	for (size_t i = 0; i < command_count; i++) {
		if (strcmp(argv[at], commands[i].name) == 0) {
			argv[at] = commands[i].full_name;
			database_end_program(commands[i].status_at_end);
			return database_judge_status(commands[i].run(argc - at, argv + at));
		}
	}

	command_print("'%s' is not a command (%s); see 'carrierscope --help'", argv[at],
			command_names());
	return EXIT_USAGE;
}
