/*
 * SPDX-License-Identifier: MIT
 *
 * Rows of pushes in a file, for networks that the server is not on: for each push a line
 * "carrierscope-push 1 tsv HASH", and for each table a line "NAME ROWS BYTES" and its bytes.
 */
#ifndef CSC_PUSH_FILE_H
#define CSC_PUSH_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "diag.h"
#include "push_rows.h"

struct push_bytes {
	char *bytes;
	size_t length;
	size_t rows;
};

struct push_part {
	uint64_t push;
	enum row_format format;
	struct push_bytes tables[PUSH_TABLES];
};

/* NULL: it is no such file, or there is none. */
FILE *push_file_open(const char *path);

/* Errors are those of the stream: see ferror(). */
enum csc_status push_file_write(FILE *stream, const struct push_part *part);

/* The next push; push_part_finish() frees it.  Errors: the file breaks off, or is none of ours. */
enum csc_status push_file_read(FILE *stream, const char *path, struct push_part *part,
		bool *ret_is_end, struct diag *diag);
void push_part_finish(struct push_part *part);

#endif
