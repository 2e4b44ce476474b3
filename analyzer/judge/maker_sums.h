/*
 * SPDX-License-Identifier: MIT
 *
 * Recorded blocks by their makers, in one pass over the events: two steps of the judge that only
 * the page reads.  In SQL a million events take seconds, since SQLite sorts them by maker.
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

/* _page_block_sum: made and ended, by slot of time; reads _page_slot.  16 bytes for each event of a
 * source meanwhile. */
enum csc_status maker_sums_make_changes(sqlite3 *db, struct diag *diag);

/* _live_peak_sum: live at the peak; reads _block_live_id. */
enum csc_status maker_sums_make_peak(sqlite3 *db, struct diag *diag);

#endif
