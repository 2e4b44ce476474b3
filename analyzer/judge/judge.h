/*
 * SPDX-License-Identifier: MIT
 *
 * Judges a database: computes what its tables figure, holder, verdict, finding and the like hold.
 *
 * What is computed, and in which order, are the SQL files of schema/ (judge_steps.h).  The steps
 * run on the connection, in temporary tables and views; what they end with is stored when a load
 * ends, and stays temporary where a command asks something that is not stored.
 */
#ifndef CSC_JUDGE_H
#define CSC_JUDGE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "diag.h"

/*
 * At the end of a load, within its transaction: computes all, and stores it in place of what was
 * stored.  `is_last`: false while more is to come: then nothing is stored, and what was is no
 * longer valid.
 */
enum csc_status judge_store(sqlite3 *db, bool is_last, struct diag *diag);

/*
 * Before a command reads: where what is stored does not hold, or temp.question asks about a moment,
 * computes what `asked` reads into temporary tables, and makes temporary views of the views that
 * read these; a query of the connection then finds them by their names.  `asked` is a query, or the
 * name of a view; NULL: anything.  Nothing is written to the file.
 *
 * What is stored holds if this program stored it, with the thresholds that table finding_threshold
 * has now, and nobody has changed it since.  A table that the connection has as a temporary one is
 * not computed again.  Errors: a threshold is missing or no number; a table is missing.
 */
enum csc_status judge_prepare(sqlite3 *db, const char *asked, struct diag *diag);

/* Whether a view can be asked about a moment (temp.question). */
bool judge_is_of_moment(const char *view);

#endif
