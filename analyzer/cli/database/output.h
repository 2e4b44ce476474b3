/*
 * SPDX-License-Identifier: MIT
 *
 * Where a report goes: standard output or a file.
 */
#ifndef CSC_OUTPUT_H
#define CSC_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "diag.h"

struct output {
	FILE *stream;

	/* Borrowed; NULL: standard output. */
	const char *path;

	/*
	 * What a regular file is called while it is written (NULL: it has no name), and the name
	 * that it gets (NULL: a device or a pipe).
	 */
	char *working_path;
	char *final_path;
	bool is_forced;
};

/*
 * `path` may be NULL or "-".  Errors: the file exists and is_forced is not set; it
 * is `input`, from which the report comes (NULL: none).
 */
enum csc_status output_open(const char *path, bool is_forced, const char *input,
		struct output *ret_output, struct diag *diag);

/*
 * Closes in every case; gives a file its name if `status`, of what was written, is CSC_OK, else it
 * is as before.  Yields `status`, or that something could not be written.
 */
enum csc_status output_close(struct output *output, enum csc_status status, struct diag *diag);

#endif
