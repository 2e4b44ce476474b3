/*
 * SPDX-License-Identifier: MIT
 *
 * The inputs of `carrierscope load` that are no traces: crash dumps, terms, logs.
 */
#ifndef CSC_LOAD_FILES_H
#define CSC_LOAD_FILES_H

#include <stdio.h>

#include "load_options.h"
#include "paste.h"
#include "reader.h"

struct load_file {
	/* Borrowed from the arguments. */
	const char *path;
	const struct reader *reader;

	/* A piece of what was pasted; NULL: all of the file. */
	const struct paste_piece *piece;

	/* What was not taken of it, noted with its first piece; NULL: nothing. */
	const struct paste *paste;
};

struct load_files {
	struct load_file *items;
	size_t count;

	/* Those that the pieces are of. */
	struct paste **pastes;
	size_t paste_count;

	/* Traces that were made of files; they stand among the inputs instead of these. */
	char **printed;
	size_t printed_count;

	/* A copy of what standard input had; NULL: it is not read. */
	FILE *standard_input;

	/* Set by load_files_read(): problems noted, and those that are losses. */
	int64_t problems;
	int64_t serious_problems;
	bool was_interrupted;
};

/*
 * Takes the inputs that a reader knows out of the options.  The others are left to the
 * search for traces, which reports what is wrong with them.
 */
enum csc_status load_files_find(
		struct load_options *options, struct load_files *files, struct diag *diag);

/*
 * Reads them into the database, each as one source.  When traces are to follow, a new
 * database grows under the name *ret_working_path, which the caller publishes and frees;
 * NULL: it is under its own name.
 */
enum csc_status load_files_read(struct load_files *files, const struct load_options *options,
		char **ret_working_path, struct diag *diag);

/* All zeroes is fine. */
void load_files_finish(struct load_files *files);

#endif
