/*
 * SPDX-License-Identifier: MIT
 *
 * Rows of pushes in a file, for networks that the server is not on: for each push a line
 * "carrierscope-push 3 tsv CONTENT", for each table a line "NAME ROWS BYTES", its bytes, and where
 * each row begins, in 8 bytes each; then a line "sum HASH" of all bytes of the push before it
 * (FNV-1a, 16 digits).  Versions 1 and 2 have no such line, and are read without a check.
 */
#ifndef CSC_PUSH_FILE_H
#define CSC_PUSH_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "diag.h"
#include "push_table.h"

/* NULL: it is no such file, or there is none. */
FILE *push_file_open(const char *path);

/* Errors are those of the stream: see ferror(). */
void push_file_write(FILE *stream, const struct push_rows *rows);

/*
 * The next push; push_rows_finish() in every case.  Errors: the file breaks off, is damaged,
 * or is none of ours.
 */
enum csc_status push_file_read(FILE *stream, const char *path, struct push_rows *rows,
		bool *ret_is_end, struct diag *diag);

#endif
