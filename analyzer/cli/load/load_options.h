/*
 * SPDX-License-Identifier: MIT
 *
 * What the user asked `carrierscope load` for.
 */
#ifndef CSC_LOAD_OPTIONS_H
#define CSC_LOAD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct load_options {
	/* Owned. */
	char *database;
	char **inputs;
	size_t input_count;

	/* As the trimmer takes them; NULL: open. */
	char *begin;
	char *end;

	bool is_forced;
	bool is_appending;

	/* The one input is a database; nothing is loaded. */
	bool is_recovering;
	bool is_salvaging;
	bool is_strict;
	bool is_quiet;
	bool has_progress;
	bool has_no_progress;

	/* Threads that decode; 0: not given. */
	size_t jobs;

	/* How often --verbose was given. */
	int verbosity;

	/* Borrowed from the arguments; NULL: none. */
	const char *metadata;
};

/* Reads the arguments; ends the program on --help and on a misuse. */
void load_options_read(int argc, char **argv, struct load_options *ret_options);

void load_options_finish(struct load_options *options);

/* The database that a load of this input makes without --output, in the current folder; the caller
 * frees it. NULL: out of memory. */
char *load_default_database(const char *input);

#endif
