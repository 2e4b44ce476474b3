/*
 * SPDX-License-Identifier: MIT
 *
 * Rows into small tables, value by value.  The first failure stays and makes
 * all later calls do nothing, so that only the end must be looked at.
 */
#ifndef CSC_INSERT_H
#define CSC_INSERT_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"

struct insert {
	/* Borrowed. */
	sqlite3 *db;

	sqlite3_stmt *statement;
	const char *table;
	int next;
	int result;
};

/* Begins rows of `columns` values; `verb`: "INSERT", "INSERT OR IGNORE" … */
void insert_open(struct insert *insert, sqlite3 *db, const char *verb, const char *table,
		int columns);

/* The next value of the row.  ROW_NULL and a NULL text are NULL. */
void insert_integer(struct insert *insert, int64_t value);

/* The same for a sum, which is never NULL: it may come to the number of ROW_NULL by chance. */
void insert_sum(struct insert *insert, int64_t value);
void insert_real(struct insert *insert, double value);
void insert_text(struct insert *insert, const char *value);

/* A text that is not terminated; `value` is not NULL. */
void insert_text_of(struct insert *insert, const char *value, size_t length);

/* Ends the row. */
void insert_row(struct insert *insert);

/* Id of the last row, of tables that have one. */
int64_t insert_last_id(const struct insert *insert);

/* Ends the rows and tells how it went. */
enum csc_status insert_close(struct insert *insert, struct diag *diag);

#endif
