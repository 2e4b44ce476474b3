/*
 * SPDX-License-Identifier: MIT
 *
 * Figures of snapshots, summed in one pass: SQLite would read all of them for each sum, and sort
 * them.
 */
#ifndef CSC_READING_SUMS_H
#define CSC_READING_SUMS_H

#include <sqlite3.h>

#include "diag.h"

/*
 * Makes temporary tables with what views _read_count, _read_sum and _read_calls yield.  Where a
 * file has what no load writes, none is made, and the views answer.  About 150 bytes for each
 * allocator of a snapshot meanwhile.
 */
enum csc_status reading_sums_stage(sqlite3 *db, struct diag *diag);

#endif
