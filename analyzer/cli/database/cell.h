/*
 * SPDX-License-Identifier: MIT
 *
 * One value of a table, written for people.
 */
#ifndef CSC_CELL_H
#define CSC_CELL_H

#include <sqlite3.h>
#include <stdbool.h>

/* How the values of a column are written. */
enum cell_kind {
	CELL_PLAIN,
	CELL_TEXT,
	CELL_BYTES,
	CELL_MOMENT,
	CELL_DURATION,
	CELL_RATIO,
	CELL_ADDRESS,
	CELL_TENTHS,
	CELL_HUNDREDTHS,
	CELL_THOUSANDTHS,
};

/* From the unit that view_doc gives (NULL: none) and the column's name. */
enum cell_kind cell_kind_of(const char *unit, const char *column);

/* The value of a column of the current row; the caller frees it.  NULL: out of memory. */
char *cell_write(sqlite3_stmt *row, int column, enum cell_kind kind, bool has_raw_bytes);

/* Columns on a terminal. */
int cell_width(const char *text);

#endif
