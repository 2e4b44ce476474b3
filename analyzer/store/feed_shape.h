/*
 * SPDX-License-Identifier: MIT
 *
 * Which members of a row become which columns of a table.
 */
#ifndef CSC_FEED_SHAPE_H
#define CSC_FEED_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

/* How a member of a row becomes a column. */
enum feed_kind {
	/* int64_t; ROW_NULL is NULL. */
	FEED_INT64,
	/* int32_t. */
	FEED_INT32,
	/* int32_t id; 0 is NULL. */
	FEED_ID,
	/* struct row_text. */
	FEED_TEXT,
	/* struct row_any. */
	FEED_ANY,
};

struct feed_column {
	const char *name;
	enum feed_kind kind;
	size_t offset;
};

/* A kind of row.  Static: lives as long as the program. */
struct feed_shape {
	/* Name of the table it fills. */
	const char *table;
	size_t row_size;
	size_t column_count;
	const struct feed_column *columns;

	/* The first is the rowid, and no column of the table. */
	bool has_rowid;
};

#endif
