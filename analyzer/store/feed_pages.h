/*
 * SPDX-License-Identifier: MIT
 *
 * Rows into an empty table of a file that nobody else uses, past SQLite: as pages of
 * its b-tree, written in the order of ids.  The format is SQLite's published one
 * (https://www.sqlite.org/fileformat2.html); what comes out is an ordinary table, no
 * larger than SQLite's own.  It costs a quarter of what INSERT ... SELECT costs.
 *
 * Pages go to the end of the file, a few hundred at a time, between two transactions
 * of SQLite, which finds them there by the count of pages in the file's header.  So the
 * connection must not be in locking mode EXCLUSIVE, where it does not look.  Until
 * feed_pages_end() the table looks empty, and nothing may be inserted into it.
 */
#ifndef CSC_FEED_PAGES_H
#define CSC_FEED_PAGES_H

#include <sqlite3.h>
#include <stddef.h>

#include "diag.h"
#include "feed_shape.h"

struct feed_pages;

/*
 * `path`: what the file is called in sentences, borrowed.
 * For a table whose first column is the id and whose others are integers.  `*ret_pages`
 * is NULL if the file is not of the kind we know, or the table is not empty: insert then.
 */
enum csc_status feed_pages_begin(sqlite3 *db, const char *path, const struct feed_shape *shape,
		struct feed_pages **ret_pages, struct diag *diag);

/* Adds rows; their ids ascend.  Commits the open transaction now and then and begins another. */
enum csc_status feed_pages_add(
		struct feed_pages *pages, const void *rows, size_t row_count, struct diag *diag);

/* Makes the table whole and frees; commits and begins as above. */
enum csc_status feed_pages_end(struct feed_pages *pages, struct diag *diag);

/* Frees without writing. */
void feed_pages_drop(struct feed_pages *pages);

#endif
