/*
 * SPDX-License-Identifier: MIT
 *
 * What of a database goes to a fleet: a row for each runtime and each node that was read, and its
 * minutes, findings, holders and replays.
 */
#ifndef CSC_PUSH_ROWS_H
#define CSC_PUSH_ROWS_H

#include <sqlite3.h>

#include "diag.h"
#include "push_table.h"

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
 * Reads an open database of ours.  Errors: no runtime in it has a time.  push_rows_finish() in
 * every case.
 */
enum csc_status push_rows_read(sqlite3 *db, const char *path, const struct push_labels *labels,
		enum row_format format, struct push_rows *rows, struct diag *diag);

#endif
