/*
 * SPDX-License-Identifier: MIT
 *
 * What the commands of `carrierscope` share: exit statuses, messages, options.
 */
#ifndef CSC_COMMAND_H
#define CSC_COMMAND_H

#include <argp.h>

#include <stdbool.h>
#include <stddef.h>

#include "diag.h"

/* carrierscope(1), EXIT STATUS. */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,

	/* check and diff, as diff(1): 1 is a difference. */
	EXIT_TROUBLE = 2,
	EXIT_LOSS = 3,
	EXIT_INTERRUPTED = 130,
};

/* Prints one line: "carrierscope: …", which a terminal gets folded at its width. */
void command_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether standard error is a terminal on which a line may be written again. */
bool command_shows_progress(void);

/* Prints what failed and yields EXIT_FAILED. */
int command_fail(const struct diag *diag);

/* The same for check and diff: yields EXIT_TROUBLE. */
int command_trouble(const struct diag *diag);

/* Ends the program because of a misuse, in one line that names the command's help. */
void command_misuse(const struct argp_state *state, const char *format, ...)
		__attribute__((format(printf, 2, 3), noreturn));

/* Reads the next option or argument; handles -h and options that are gone, beside what argp does
 * itself. */
error_t command_parse_common(int key, const struct argp_state *state);

/*
 * Reads a command's line by its table of options (argp(3)): `arguments` names what follows them,
 * `text` is the help; `parse` fills `input`.  A misuse ends the program.
 */
void command_read(int argc, char **argv, const struct argp_option *table, argp_parser_t parse,
		const char *arguments, const char *text, void *input);

/*
 * A long option that the table does not have, of words that are not read yet, is a misuse; the
 * message names the one that may be meant.  `is_to_first`: what follows the first word that is no
 * option is not looked at. For those who call argp themselves; command_read() does it.
 */
void command_check_options(
		int argc, char **argv, const struct argp_option *table, bool is_to_first);

/* An option that needs no check: the member of the parser's input that it sets. */
struct command_flag {
	size_t offset;
	int key;

	/* The member is a `const char *`, which borrows the option's value; else a bool. */
	bool has_value;
};

#define COMMAND_FLAG(key, type, member)              \
	{                                            \
		offsetof(type, member), (key), false \
	}
#define COMMAND_VALUE(key, type, member)            \
	{                                           \
		offsetof(type, member), (key), true \
	}

/*
 * Sets the member of a key, of a table that an entry of zeros ends; reads what is none of them as
 * command_parse_common() does.
 */
error_t command_parse_flags(const struct command_flag *flags, int key, const char *argument,
		const struct argp_state *state);

/* The number of a format in a list that NULL ends; a word that is not there is a misuse. */
int command_take_format(
		const struct argp_state *state, const char *const *formats, const char *word);

/* The one FILE of a command: another is a misuse. */
void command_take_file(const struct argp_state *state, const char *command, const char *argument,
		const char **ret_file);

/* The value of an option that is a time such as 30s, 2m or 1h, in seconds; a plain number is
 * seconds.  More than `most`, or something else, is a misuse. */
unsigned int command_take_seconds(const struct argp_state *state, const char *option,
		const char *text, unsigned int most);

/* The MODE of COMMAND_OPTION_MODE, for all files that are made from now on: see files.h. */
void command_take_mode(const struct argp_state *state, const char *word);

/* The entry of the table of options for -h, which argp lacks. */
#define COMMAND_OPTION_HELP                             \
	{                                               \
		NULL, 'h', NULL, OPTION_HIDDEN, NULL, 0 \
	}

/* Options that several commands have. */
#define COMMAND_OPTION_OUTPUT(default_text)                                     \
	{ "output", 'o', "FILE", 0, "write FILE instead of " default_text, 0 }, \
	{                                                                       \
		"force", 'f', NULL, 0, "replace FILE if it exists", 0           \
	}
#define COMMAND_OPTION_MODE(key) COMMAND_OPTION_MODE_IN(key, 0)
#define COMMAND_OPTION_MODE_IN(key, group)                                                           \
	{                                                                                            \
		"mode", (key), "MODE", 0,                                                            \
				"rights of what it writes, in octal, as chmod's (0600; folders can " \
				"be entered by who may read)",                                       \
				(group)                                                              \
	}
#define COMMAND_OPTION_FORMAT(key_format, words)            \
	{                                                   \
		"format", key_format, "FORMAT", 0, words, 0 \
	}

#endif
