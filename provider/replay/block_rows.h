/* SPDX-License-Identifier: MIT */
/*
 * Rows of block_event of the recorded runtime, in the order of their ids: from the pages of the
 * file (table_pages.h, packed_block.h) as far as they are plain, and by a statement from there on.
 */
#ifndef CSC_BLOCK_ROWS_H
#define CSC_BLOCK_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "diag.h"
#include "recording.h"

/* block_event.op */
enum { OP_ALLOC, OP_FREE, OP_REALLOC };

/* What is not known is 0. */
struct block_row {
	int64_t id;
	int64_t ts_ns;
	/* Of a block that ends: any but 0. */
	int64_t address;
	int64_t size;
	int64_t ended;
	int64_t allocator;
	int32_t op;
	uint32_t type;
	uint32_t instance;
	bool has_size;
};

struct block_rows;

/* Of rows `first` to `last`.  NULL: `diag` says why. */
struct block_rows *block_rows_open(
		const struct recording *recording, int64_t first, int64_t last, struct diag *diag);

/* NULL is none. */
void block_rows_close(struct block_rows *rows);

/* Whether there is a next row; false as well when reading failed: see `diag`. */
bool block_rows_next(struct block_rows *rows, struct block_row *ret_row, struct diag *diag);

#endif
