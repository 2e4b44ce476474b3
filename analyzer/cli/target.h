/*
 * SPDX-License-Identifier: MIT
 *
 * Where a report goes: standard output or a file.
 */
#ifndef CSC_TARGET_H
#define CSC_TARGET_H

#include <stdbool.h>
#include <stdio.h>

#include "diag.h"

struct target {
	FILE *stream;

	/* Borrowed; NULL: standard output. */
	const char *path;

	/* A new file: gone again when writing it fails. */
	bool is_new;
};

/* `path` may be NULL or "-".  Errors: the file exists and is_forced is not set. */
enum csc_status target_open(
		const char *path, bool is_forced, struct target *ret_target, struct diag *diag);

/* Closes in every case.  Errors: something could not be written. */
enum csc_status target_close(struct target *target, struct diag *diag);

#endif
