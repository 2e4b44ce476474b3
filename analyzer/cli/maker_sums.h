/*
 * SPDX-License-Identifier: MIT
 *
 * Recorded blocks by maker, counted in one pass: SQLite would sort all of them.
 */
#ifndef CSC_MAKER_SUMS_H
#define CSC_MAKER_SUMS_H

#include <sqlite3.h>
#include <stdbool.h>

#include "diag.h"

/*
 * Both make a temporary table with what the view of this name yields, in parts that are to be
 * summed.  Where a file has what no load writes, no table is made, and the view answers.
 */

/* _page_block_sum: made and ended, by slot of time.  16 bytes for each event of a source meanwhile.
 */
enum csc_status maker_sums_stage_changes(sqlite3 *db, struct diag *diag);

/* _live_sum: live at moments, of the file's own table question; the peak only if it is wanted. */
enum csc_status maker_sums_stage_live(sqlite3 *db, bool has_peak, struct diag *diag);

#endif
