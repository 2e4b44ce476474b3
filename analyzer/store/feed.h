/*
 * SPDX-License-Identifier: MIT
 *
 * Rows in memory as an SQLite table that can be read once, so that a batch goes
 * into its table by one statement: INSERT INTO carrier_event SELECT * FROM feed.
 */
#ifndef CSC_FEED_H
#define CSC_FEED_H

#include <sqlite3.h>
#include <stddef.h>

#include "diag.h"
#include "feed_shape.h"

struct feed_pages;

/* A table of one shape over rows that somebody else owns. */
struct feed {
	const struct feed_shape *shape;

	/* Borrowed while feed_insert() runs. */
	const char *rows;
	size_t row_count;
	const char *arena;

	sqlite3_stmt *insert;

	/* Borrowed; not NULL: the table is empty, and rows may go into it as pages. */
	sqlite3 *fresh_db;
	const char *path;

	/* NULL: none yet, or rows go in by statement. */
	struct feed_pages *pages;
};

/* Makes the feed known to a database and prepares its statement; the feed stays where it is. */
enum csc_status feed_open(
		struct feed *feed, sqlite3 *db, const struct feed_shape *shape, struct diag *diag);

/*
 * The table is empty, its columns are an id and integers, and the file is nobody else's:
 * rows go into it as pages (feed_pages.h), and are not seen before feed_settle().
 */
void feed_use_pages(struct feed *feed, sqlite3 *db, const char *path);

/* Inserts rows; `arena` holds their texts. */
enum csc_status feed_insert(struct feed *feed, const void *rows, size_t row_count,
		const char *arena, struct diag *diag);

/* Makes all rows visible; those to come are inserted by statement.  Needs an open transaction. */
enum csc_status feed_settle(struct feed *feed, struct diag *diag);

void feed_close(struct feed *feed);

#endif
