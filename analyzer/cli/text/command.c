/*
 * SPDX-License-Identifier: MIT
 *
 * Messages of a command, and what its options have in common.
 */
#include "command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "visible.h"

/* A name in it may hold anything: it stays one line, and does nothing to a terminal. */
static void print_message(const char *format, va_list arguments)
{
	char *text = NULL;

	fputs("carrierscope: ", stderr);
	if (vasprintf(&text, format, arguments) >= 0) {
		visible_print(stderr, text, VISIBLE_CELL);
		free(text);
	}
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
