/*
 * SPDX-License-Identifier: MIT
 */
#include "target.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "answer.h"
#include "command.h"
#include "inputs.h"
#include "load.h"
#include "load_options.h"
#include "nearest.h"
#include "record.h"
#include "registered.h"
#include "topics.h"
#include "visible.h"

/* Words that are no commands of ours. */
static const char *const other_words[][3] = {
	{ "verdict", "report", "FILE" },
	{ "answer", "report", "FILE" },
	{ "show", "report", "FILE" },
	{ "start", "record", "NAME" },
};

static bool is_database(const char *path)
{
	static const char magic[] = "SQLite format 3";
	char head[sizeof(magic)] = "";
	FILE *file = fopen(path, "rbe");

	if (file) {
		bool is_whole = fread(head, 1, sizeof(head), file) == sizeof(head);

		(void)fclose(file);
		return is_whole && memcmp(head, magic, sizeof(magic)) == 0;
	}

	return false;
}

static int print_report(int argc, char **argv)
{
	static char name[] = "carrierscope report";

	argv[0] = name;
	return command_report(argc, argv);
}

static int report(int argc, char **argv, const char *const *commands)
{
	char **words;
	int status;

	for (int i = 0; argc > 1 && commands[i]; i++) {
		if (strcmp(argv[1], commands[i]) == 0) {
			command_print("the command comes first; did you mean 'carrierscope %s %s'?",
					argv[1], argv[0]);
			return EXIT_USAGE;
		}
	}

	words = calloc((size_t)argc + 2, sizeof(*words));
	if (!words) {
		return command_fail(&(struct diag){ 0 });
	}
	memcpy(words + 1, argv, (size_t)argc * sizeof(*words));
	status = print_report(argc + 1, words);
	free(words);
	return status;
}

/* Prints the answer of a database. */
static int print_answer(char *database)
{
	char end[] = "--";
	char *words[] = { NULL, end, database, NULL };

	(void)signal(SIGPIPE, SIG_DFL);
	return print_report(sizeof(words) / sizeof(words[0]) - 1, words);
}

int target_load(int argc, char **argv)
{
	char *database;
	int status = load_run(argc, argv, &database);
	int printed = database ? print_answer(database) : EXIT_DONE;

	free(database);
	return status == EXIT_DONE ? printed : status;
}

/* Loads it into the database that `load` would name, and prints the answer of that. */
static int load(int argc, char *input)
{
	static char name[] = "carrierscope load";
	static char output[] = "-o";
	static char end[] = "--";
	char *database = load_default_database(input);
	struct stat file;
	int status;

	if (!database) {
		return command_fail(&(struct diag){ 0 });
	}

	if (argc > 1) {
		command_print("'%s' is no database: load it, then ask 'carrierscope report %s'; see 'carrierscope load --help'",
				input, database);
		status = EXIT_USAGE;
	} else if (lstat(database, &file) == 0) {
		command_print("cannot load '%s': '%s' exists; 'carrierscope %s' prints its answer, 'carrierscope load --force %s' replaces it",
				input, database, database, input);
		status = EXIT_FAILED;
	} else {
		char *words[] = { name, output, database, end, input, NULL };
		char *loaded;

		status = load_run(sizeof(words) / sizeof(words[0]) - 1, words, &loaded);
		if (status == EXIT_DONE) {
			command_print("'%s' is loaded into '%s'", input, database);
			status = print_answer(database);
		}
		free(loaded);
	}

	free(database);
	return status;
}

/* Ten seconds of readings: nothing is hooked, and nobody slowed, by a word that may be mistyped. */
static int look_at_node(char *name)
{
	static char program[] = "carrierscope record";
	char *words[] = { program, "--node", name, "--readings", "--seconds", "10s", NULL };
	int status = command_record(sizeof(words) / sizeof(words[0]) - 1, words);

	if (status == EXIT_DONE) {
		fputs("\nFor sizes, lifetimes and flags, hook it for 30 s: carrierscope record ",
				stdout);
		visible_print(stdout, name, VISIBLE_CELL);
		putchar('\n');
	}
	return status;
}

/* The command that a word may be meant for, and what follows it; NULL: none. */
static const char *find_meant(
		const char *word, const char *const *commands, const char **ret_argument)
{
	for (size_t i = 0; i < sizeof(other_words) / sizeof(other_words[0]); i++) {
		if (strcmp(word, other_words[i][0]) == 0) {
			*ret_argument = other_words[i][2];
			return other_words[i][1];
		}
	}

	*ret_argument = "";
	return nearest_word(word, commands);
}

static int refuse(int argc, char **argv, const char *const *commands)
{
	struct stat file;
	const char *behind;
	const char *meant = find_meant(argv[0], commands, &behind);
	const char *report = topics_nearest(argv[0]);

	behind = argc > 1 ? argv[1] : behind;
	if (report && argc > 1 && stat(argv[1], &file) == 0 &&
			(!meant || strcmp(report, argv[0]) == 0)) {
		command_print("'%s' is a report; did you mean 'carrierscope report %s %s'?",
				argv[0], report, argv[1]);
	} else if (meant) {
		command_print("'%s' is not a command; did you mean 'carrierscope %s%s%s'?", argv[0],
				meant, *behind ? " " : "", behind);
	} else {
		command_print("'%s' is not a command, a file or a node; see 'carrierscope --help'",
				argv[0]);
	}

	return EXIT_USAGE;
}

int target_run(int argc, char **argv, const char *const *commands)
{
	char *word = argv[0];
	struct stat file;

	if (strcmp(word, "-") == 0) {
		return load(argc, word);
	}

	if (stat(word, &file) == 0) {
		if (!S_ISREG(file.st_mode) && !S_ISDIR(file.st_mode)) {
			command_print("'%s' is neither a file nor a folder; '-' is standard input",
					word);
			return EXIT_USAGE;
		}

		return S_ISREG(file.st_mode) && is_database(word) ? report(argc, argv, commands)
								  : load(argc, word);
	}

	if (input_is_url(word)) {
		command_print("'%s' is a live session: 'carrierscope load %s' records it until Ctrl-C",
				word, word);
		return EXIT_USAGE;
	}

	if (strchr(word, '/')) {
		command_print("there is no '%s'", word);
		return EXIT_USAGE;
	}

	return (strchr(word, '@') || registered_node(word)) ? look_at_node(word)
							    : refuse(argc, argv, commands);
}
