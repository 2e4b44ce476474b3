/*
 * SPDX-License-Identifier: MIT
 *
 * A node's reading in a database, which may still grow.
 */
#ifndef CSC_TOP_DATABASE_H
#define CSC_TOP_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "diag.h"
#include "top_reading.h"

/* Which reading: the last one, or the oldest of the minute before it. */
enum top_moment { TOP_LAST, TOP_MINUTE_BEFORE };

/*
 * Reads the node whose events came last, or the one with process id `pid` (0: any).  Without
 * snapshots only the last moment can be read.  Errors: the database has no such node, or nothing
 * about its allocators.
 */
enum csc_status top_database_read(sqlite3 *db, long pid, enum top_moment which,
		struct top_reading *ret_reading, struct diag *diag);

/* Whether anything may still be added to the database. */
bool top_database_is_growing(sqlite3 *db);

#endif
