/*
 * SPDX-License-Identifier: MIT
 *
 * The tables of a push, and their rows.
 */
#ifndef CSC_PUSH_TABLE_H
#define CSC_PUSH_TABLE_H

#include <stdint.h>

#include "row_text.h"

/* In the order in which they are written: the last makes the others visible. */
enum push_table { PUSH_HOUR, PUSH_FINDING, PUSH_HOLDER, PUSH_SWEEP, PUSH_RECORDING, PUSH_TABLES };

/*
 * What the number of an attempt consists of: a bit that is always set, since ClickHouse 18.16 reads
 * no leading zeroes, the hash of the rows, and a random number.
 */
enum { PUSH_CONTENT_BITS = 36, PUSH_ATTEMPT_BITS = 24 };

struct push_rows {
	struct row_text tables[PUSH_TABLES];

	/* Hash of all rows, of PUSH_CONTENT_BITS bits: the same rows have the same. */
	uint64_t content;
};

/* "recording", ...; and its columns behind `push`, for INSERT. */
const char *push_table_name(enum push_table table);
const char *push_table_columns(enum push_table table);

/* Sets `content`, of rows that are not signed yet. */
void push_rows_hash(struct push_rows *rows);

/* Writes a new number of an attempt into all rows. */
void push_rows_sign(struct push_rows *rows);
void push_rows_finish(struct push_rows *rows);

#endif
