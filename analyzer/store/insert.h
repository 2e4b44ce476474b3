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

/* Rows that are written by one statement, where they are gathered. */
enum { INSERT_ROWS = 32 };

struct insert_value;

struct insert {
	/* Borrowed. */
	sqlite3 *db;

	sqlite3_stmt *statement;
	const char *table;
	const char *names;
	int columns;

	/* The number of the next value of the row, from 1. */
	int next;
	int result;

	/* Gathered rows: values not written yet, their texts, the statement for INSERT_ROWS rows.
	 */
	struct insert_value *values;
	size_t value_count;
	char *texts;
	size_t text_bytes;
	size_t text_room;
	sqlite3_stmt *many;

	/* The greatest id given or found; 0: not looked for. */
	int64_t greatest_id;
};

/*
 * Begins rows; `verb`: "INSERT", "INSERT OR IGNORE" …, `columns`: names in the order of the
 * values of a row, "id, name", each once.  All three are static.
 */
void insert_open(struct insert *insert, sqlite3 *db, const char *verb, const char *table,
		const char *columns);

/*
 * The same for very many rows: they are gathered and written a few at a time, so what
 * fails may show later, and rows are in the table only after insert_close().
 */
void insert_open_many(struct insert *insert, sqlite3 *db, const char *table, const char *columns);

/* The next value of the row.  ROW_NULL and a NULL text are NULL. */
void insert_integer(struct insert *insert, int64_t value);

/* The same for a sum, which is never NULL: it may be the number of ROW_NULL by chance. */
void insert_sum(struct insert *insert, int64_t value);
void insert_real(struct insert *insert, double value);
void insert_text(struct insert *insert, const char *value);

/* A text that is not terminated; `value` is not NULL. */
void insert_text_of(struct insert *insert, const char *value, size_t length);

/* Ends the row, which has a value for each column. */
void insert_row(struct insert *insert);

/*
 * An id that no row of the table has, for a row that refers to it; 0 when something failed.
 * All rows must come by this insert.
 */
int64_t insert_new_id(struct insert *insert);

/* Id of the last row, of tables that have one; writes what was gathered. */
int64_t insert_last_id(struct insert *insert);

/* Ends the rows and yields how it went. */
enum csc_status insert_close(struct insert *insert, struct diag *diag);

#endif
