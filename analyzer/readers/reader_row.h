/*
 * SPDX-License-Identifier: MIT
 *
 * A row of a table that readers fill, written as one expression.
 */
#ifndef CSC_READERS_READER_ROW_H
#define CSC_READERS_READER_ROW_H

#include <string.h>

#include "store_rows.h"
#include "text.h"

struct row_value {
	enum { ROW_INTEGER, ROW_REAL, ROW_TEXT } kind;
	int64_t integer;
	double real;
	struct text text;
};

/* ROW_NULL: SQL NULL. */
static inline struct row_value row_integer(int64_t integer)
{
	return (struct row_value){ .kind = ROW_INTEGER, .integer = integer };
}

static inline struct row_value row_real(double real)
{
	return (struct row_value){ .kind = ROW_REAL, .real = real };
}

/* As text_insert() takes it. */
static inline struct row_value row_text(struct text text)
{
	return (struct row_value){ .kind = ROW_TEXT, .text = text };
}

static inline struct row_value row_words(const char *words)
{
	return row_text((struct text){ words, strlen(words) });
}

/*
 * Adds a row to `table`: a value for each of `columns` ("id, name"), in their order; both are
 * static texts (store_rows()).  Yields where the table's rows go.
 */
#define READER_ROW(store, table, columns, ...)                                       \
	reader_row(store, table, columns, (const struct row_value[]){ __VA_ARGS__ }, \
			sizeof((const struct row_value[]){ __VA_ARGS__ }) /          \
					sizeof(struct row_value))

struct insert *reader_row(struct store *store, const char *table, const char *columns,
		const struct row_value *values, size_t count);

#endif
