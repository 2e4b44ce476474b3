/*
 * SPDX-License-Identifier: MIT
 *
 * The rows of a statement as text, CSV or JSON.
 */
#ifndef CSC_TABLE_H
#define CSC_TABLE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>

#include "diag.h"

struct table_style {
	/* The view in view_doc that has the units of the columns; NULL: none. */
	const char *view;
	bool has_raw_bytes;
	bool has_color;

	/* Characters of a line that it has to fit into; 0: as many as it needs. */
	int width;

	/* Why there may be no rows: a sentence; NULL: it is not said. */
	const char *empty;
};

/* Aligned columns; the width is that of the first thousand rows. */
enum csc_status table_print_text(FILE *stream, sqlite3 *db, sqlite3_stmt *rows,
		const struct table_style *style, struct diag *diag);

/* RFC 4180, with a header; NULL is an empty field.  `is_raw`: control characters are not written
 * out. */
enum csc_status table_print_csv(
		FILE *stream, sqlite3 *db, sqlite3_stmt *rows, bool is_raw, struct diag *diag);

/* One array; the only column of `rows` is the JSON of each element. */
enum csc_status table_print_json(FILE *stream, sqlite3 *db, sqlite3_stmt *rows, struct diag *diag);

#endif
