/*
 * SPDX-License-Identifier: MIT
 *
 * Messages of a command, and what its options have in common.
 */
#include "command.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "amount.h"
#include "files.h"
#include "nearest.h"
#include "visible.h"

/* Characters of a line of the terminal that errors go to; 0: they go to none. */
static size_t terminal_width(void)
{
	struct winsize size = { 0 };

	return isatty(STDERR_FILENO) && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col
										     : 0;
}

bool command_shows_progress(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
}

/* Ends lines at blanks, as late as the width allows; a longer word stays whole. */
static void fold(char *text, size_t column, size_t width)
{
	char *blank = NULL;
	size_t after_blank = 0;

	for (char *byte = text; *byte; byte++) {
		if (*byte == ' ') {
			blank = byte;
			after_blank = 0;
		} else if (((unsigned char)*byte & 0xc0) != 0x80) {
			after_blank++;
		}
		column += ((unsigned char)*byte & 0xc0) != 0x80;
		if (column > width && blank && *byte != ' ') {
			*blank = '\n';
			blank = NULL;
			column = after_blank;
		}
	}
}

/* A name in it may hold anything: it stays one line, but for a terminal's width, and does nothing
 * to a terminal. */
static void print_message(const char *format, va_list arguments)
{
	static const char program[] = "carrierscope: ";
	size_t width = terminal_width();
	char *text = NULL;
	char *shown;

	fputs(program, stderr);
	if (vasprintf(&text, format, arguments) < 0) {
		return;
	}
	shown = visible_copy(text, VISIBLE_CELL);
	free(text);
	if (shown && width > sizeof(program)) {
		fold(shown, sizeof(program) - 1, width);
	}
	fputs(shown ? shown : "out of memory", stderr);
	free(shown);
}

void command_print(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_message(format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

int command_fail(const struct diag *diag)
{
	command_print("%s", diag->file ? diag->text : "out of memory");
	return EXIT_FAILED;
}

int command_trouble(const struct diag *diag)
{
	(void)command_fail(diag);
	return EXIT_TROUBLE;
}

void command_misuse(const struct argp_state *state, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_message(format, arguments);
	va_end(arguments);
	fprintf(stderr, "; see '%s --help'\n", state->name);
	exit(EXIT_USAGE);
}

error_t command_parse_common(int key, const struct argp_state *state)
{
	if (key == 'h') {
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
	}
	return ARGP_ERR_UNKNOWN;
}

static bool has_option(const struct argp_option *table, const char *name, size_t length)
{
	for (; table->name || table->key || table->doc; table++) {
		if (table->name && strlen(table->name) == length &&
				!strncmp(table->name, name, length)) {
			return true;
		}
	}

	return false;
}

/* Options of earlier versions go on working: each is another way to write one of today's. */
static void rewrite_old_options(int argc, char **argv, const struct argp_option *table)
{
	static char *const renamed[][2] = {
		{ "--json", "--format=json" },
		{ "--once", "--count=1" },
	};

	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		for (size_t k = 0; k < sizeof(renamed) / sizeof(renamed[0]); k++) {
			char *now = renamed[k][1];

			if (strcmp(argv[i], renamed[k][0]) == 0 &&
					has_option(table, now + 2, strcspn(now + 2, "="))) {
				argv[i] = now;
			}
		}
	}
}

/* What argp adds to each table. */
static const struct argp_option own_options[] = {
	{ "help", '?', NULL, 0, NULL, 0 },
	{ "usage", 0, NULL, 0, NULL, 0 },
	{ "version", 'V', NULL, 0, NULL, 0 },
	{ "program-name", 0, "NAME", OPTION_HIDDEN, NULL, 0 },
	{ 0 },
};

static bool is_end(const struct argp_option *option)
{
	return !option->name && !option->key && !option->doc;
}

/* An option by its name, or by a beginning of it; NULL: there is none. */
static const struct argp_option *find_option(
		const struct argp_option *table, const char *name, size_t length)
{
	for (; !is_end(table); table++) {
		if (table->name && strncmp(table->name, name, length) == 0) {
			return table;
		}
	}

	return NULL;
}

/* Whether the word after "-abc" is the value of its last letter. */
static bool takes_next(const struct argp_option *table, const char *letters)
{
	for (; *letters; letters++) {
		const struct argp_option *option = table;

		while (!is_end(option) && option->key != *letters) {
			option++;
		}
		if (option->arg) {
			return !letters[1];
		}
	}

	return false;
}

/* The nearest name in both tables, by `name` without its value. */
static const char *nearest_option(const struct argp_option *table, const char *name)
{
	enum { MOST_OPTIONS = 64 };
	const char *names[MOST_OPTIONS + 1];
	size_t count = 0;

	for (int i = 0; i < 2; i++, table = own_options) {
		for (const struct argp_option *option = table;
				!is_end(option) && count < MOST_OPTIONS; option++) {
			if (option->name && !(option->flags & OPTION_HIDDEN)) {
				names[count++] = option->name;
			}
		}
	}
	names[count] = NULL;
	return nearest_word(name, names);
}

static void refuse_option(const char *program, const struct argp_option *table, const char *word)
{
	struct argp_state state = { .name = (char *)program };
	char name[64];
	const char *meant;

	(void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	meant = nearest_option(table, name);
	if (meant) {
		command_misuse(&state, "unrecognized option '%s'; did you mean '--%s'?", word,
				meant);
	}
	command_misuse(&state, "unrecognized option '%s'", word);
}

void command_check_options(int argc, char **argv, const struct argp_option *table, bool is_to_first)
{
	const char *slash = strrchr(argv[0], '/');

	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *word = argv[i];

		if (word[0] != '-' || !word[1]) {
			if (is_to_first) {
				return;
			}
		} else if (word[1] == '-') {
			size_t length = strcspn(word + 2, "=");
			const struct argp_option *option = find_option(table, word + 2, length);

			option = option ? option : find_option(own_options, word + 2, length);
			if (!option) {
				refuse_option(slash ? slash + 1 : argv[0], table, word);
			} else if (option->arg && !(option->flags & OPTION_ARG_OPTIONAL) &&
					!word[2 + length]) {
				i++;
			}
		} else if (takes_next(table, word + 1)) {
			i++;
		}
	}
}

void command_read(int argc, char **argv, const struct argp_option *table, argp_parser_t parse,
		const char *arguments, const char *text, void *input)
{
	const struct argp argp = { table, parse, arguments, text, NULL, NULL, NULL };

	rewrite_old_options(argc, argv, table);
	command_check_options(argc, argv, table, false);
	(void)argp_parse(&argp, argc, argv, 0, NULL, input);
}

error_t command_parse_flags(const struct command_flag *flags, int key, const char *argument,
		const struct argp_state *state)
{
	for (; flags->key != 0; flags++) {
		if (flags->key == key) {
			void *member = (char *)state->input + flags->offset;

			if (flags->has_value) {
				*(const char **)member = argument;
			} else {
				*(bool *)member = true;
			}

			return 0;
		}
	}

	return command_parse_common(key, state);
}

void command_take_file(const struct argp_state *state, const char *command, const char *argument,
		const char **ret_file)
{
	if (state->arg_num > 0) {
		command_misuse(state, "too many arguments: '%s' needs one FILE", command);
	}

	*ret_file = argument;
}

int command_take_format(
		const struct argp_state *state, const char *const *formats, const char *word)
{
	char list[128] = "";
	size_t length = 0;

	for (int i = 0; formats[i]; i++) {
		const char *before = i == 0 ? "" : formats[i + 1] ? ", " : " or ";

		if (strcmp(word, formats[i]) == 0) {
			return i;
		}

		length += (size_t)snprintf(
				list + length, sizeof(list) - length, "%s%s", before, formats[i]);
		assert(length < sizeof(list));
	}

	command_misuse(state, "unknown format '%s'; use %s", word, list);
}

unsigned int command_take_seconds(const struct argp_state *state, const char *option,
		const char *text, unsigned int most)
{
	unsigned int seconds;

	if (!amount_seconds(text, &seconds) || seconds > most) {
		command_misuse(state,
				"'%s %s': seconds from 1 to %u, or a time such as 30s, 2m or 1h",
				option, text, most);
	}

	return seconds;
}

void command_take_mode(const struct argp_state *state, const char *word)
{
	mode_t mode;

	if (!files_read_mode(word, &mode)) {
		command_misuse(state,
				"'%s' is not a mode for --mode: 600 to 666, without 1, 3, 5 and 7",
				word);
	}

	files_set_mode(mode);
}
