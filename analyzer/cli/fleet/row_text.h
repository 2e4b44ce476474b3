/*
 * SPDX-License-Identifier: MIT
 *
 * Rows of one table as ClickHouse reads them: TabSeparated or RowBinary.
 *
 * The first column of each row is the number of the attempt to push it: its room is left free, and
 * filled before the rows are sent.
 */
#ifndef CSC_ROW_TEXT_H
#define CSC_ROW_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum row_format { ROW_TSV, ROW_BINARY };

/* Bytes of the room. */
enum { ROW_ROOM_TSV = 19, ROW_ROOM_BINARY = 8 };

struct row_text {
	char *bytes;
	size_t length;
	size_t capacity;

	/* Where each row begins. */
	size_t *rows;
	size_t row_count;
	enum row_format format;

	/* A column of the current row was written. */
	bool has_column;

	/* Out of memory: what is written since is lost. */
	bool is_failed;
};

/* All zeroes but the format is an empty text. */
void row_text_finish(struct row_text *text);

/* Begins a row: the room of its push. */
void row_begin(struct row_text *text);
void row_end(struct row_text *text);

/* Of TSV also as numbers of 32 bits: `bytes` is what RowBinary takes, 1, 4 or 8. */
void row_number(struct row_text *text, uint64_t number, size_t bytes);
void row_real(struct row_text *text, double number);
/* An array of numbers of `bytes`, 1 or 8, each; negative ones are of 8. */
void row_array(struct row_text *text, const int64_t *numbers, size_t count, size_t bytes);
void row_string(struct row_text *text, const char *string, size_t length);

/* Columns as they are written already: of TSV escaped. */
void row_escaped(struct row_text *text, const char *column, size_t length);

/* Of a column that may be NULL, before its value: whether it is; then there is no value. */
void row_null(struct row_text *text, bool is_null);

/* Fills the rooms. */
void row_text_sign(struct row_text *text, uint64_t push);

/* A hash (FNV-1a), continued from `hash`; 0 begins. */
uint64_t row_hash(uint64_t hash, const void *bytes, size_t length);

#endif
