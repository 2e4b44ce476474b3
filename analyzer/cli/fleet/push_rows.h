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
#include "push_labels.h"
#include "push_table.h"

/*
 * Reads an open database of ours, with its minutes or without.  Errors: no runtime in it has a
 * time.  push_rows_finish() in every case.
 */
enum csc_status push_rows_read(sqlite3 *db, const char *path, const struct push_labels *labels,
		enum row_format format, bool has_minutes, struct push_rows *rows,
		struct diag *diag);

#endif
