/* SPDX-License-Identifier: MIT */
/*
 * Rows of integers as they lie in the file of a database: https://www.sqlite.org/fileformat.html.
 *
 * To read them so takes a tenth of what SQLite's statements take.  Whatever is out of the ordinary
 * ends the reading, without a word, after the last row that was plain: a statement reads on from
 * there, and it is SQLite that says what is wrong.  No byte of the file is trusted.
 */
#ifndef CSC_TABLE_PAGES_H
#define CSC_TABLE_PAGES_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* The most columns. */
#define TABLE_COLUMNS 2

struct table_row {
	/* Its rowid. */
	int64_t id;

	/* By column; of NULL: 0, and a bit in `nulls`. */
	int64_t values[TABLE_COLUMNS];
	uint32_t nulls;
};

struct table_pages;

/*
 * `columns`: how the first `count` columns of the table must be named; none is
 * its key.  The file may not change
 * until table_pages_close(): a statement of the connection is in the middle of its rows.  NULL:
 * the table cannot be read so.
 */
struct table_pages *table_pages_open(sqlite3 *db, const char *table, const char *const *columns,
		uint32_t count, int64_t from_id, int64_t to_id);

/* NULL is none. */
void table_pages_close(struct table_pages *pages);

/* Whether there is a next row that is plain; false at the end as well. */
bool table_pages_next(struct table_pages *pages, struct table_row *ret_row);

#endif
