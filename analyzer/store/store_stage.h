/*
 * SPDX-License-Identifier: MIT
 *
 * Views that are computed once for all that read them.
 */
#ifndef CSC_STORE_STAGE_H
#define CSC_STORE_STAGE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "diag.h"

/* The views of one connection, and which of them read temporary tables of it. */
struct stages;

/*
 * Reads the views of the file.  `sql` is what the connection will read, or the name of
 * a view; NULL: anything.
 * stages_close() frees what is made, before the connection is closed.
 */
enum csc_status stages_open(
		sqlite3 *db, const char *sql, struct stages **ret_stages, struct diag *diag);

/* Whether that is, or is made of, this table or view; it may be too careful. */
bool stages_is_asked(struct stages *stages, const char *name);

/*
 * Makes a temporary table of each view that table `stage` lists for `set`, with what the view
 * yields now; views of the set and of the connection read the table from then on.  A view of the
 * set that is there already as a temporary table is left as it is, and so is one that the view of
 * stages_open() does not read, unless the set is wanted whole.
 */
enum csc_status stages_make(
		struct stages *stages, const char *set, bool is_whole, struct diag *diag);

/*
 * Makes temporary views of the others that read temporary tables, so that they read these: of all,
 * or of those that what was given to stages_open() reads.
 */
enum csc_status stages_copy(struct stages *stages, bool is_whole, struct diag *diag);

/* NULL is allowed. */
void stages_close(struct stages *stages);

/* The first three in one, without stages_copy(). */
enum csc_status stage_views(sqlite3 *db, const char *set, struct diag *diag);

/* Drops the tables of the set again, and the temporary views. */
enum csc_status stage_drop(sqlite3 *db, const char *set, struct diag *diag);

#endif
