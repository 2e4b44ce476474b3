/*
 * SPDX-License-Identifier: MIT
 *
 * What of a database goes to a fleet: a row for each runtime and each node that was read, and its
 * minutes, findings, holders and replays.
 */
#ifndef CSC_PUSH_ROWS_H
#define CSC_PUSH_ROWS_H

#include <sqlite3.h>
#include <stdint.h>

#include "diag.h"
#include "row_text.h"

/* The tables, in the order in which they are written: the last makes the others visible. */
enum push_table { PUSH_POINT, PUSH_FINDING, PUSH_HOLDER, PUSH_SWEEP, PUSH_RECORDING, PUSH_TABLES };

/* What the caller knows of a recording; NULL: what the recording says. */
struct push_labels {
	const char *app;
	const char *release;
	const char *flags;
	const char *node;

	/* Where the page of the recording lies: an address or a path. */
	const char *page;
};

/*
 * What the number of an attempt consists of: a bit that is always set, since ClickHouse 18.16 reads
 * no leading zeroes, the hash of the rows, and a random number.
 */
enum { PUSH_CONTENT_BITS = 36, PUSH_ATTEMPT_BITS = 24 };

struct push_rows {
	struct row_text tables[PUSH_TABLES];

	/* Hash of all rows, of PUSH_CONTENT_BITS bits: the same rows have the same. */
	uint64_t content;
};

/* "recording", …; and its columns behind `push`, for INSERT. */
const char *push_table_name(enum push_table table);
const char *push_table_columns(enum push_table table);

/*
 * Reads an open database of ours.  Errors: no runtime in it has a time.  push_rows_finish() in
 * every case.
 */
enum csc_status push_rows_read(sqlite3 *db, const char *path, const struct push_labels *labels,
		enum row_format format, struct push_rows *rows, struct diag *diag);
/* Writes a new number of an attempt into all rows. */
void push_rows_sign(struct push_rows *rows);
void push_rows_finish(struct push_rows *rows);

#endif
