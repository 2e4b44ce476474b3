/*
 * SPDX-License-Identifier: MIT
 *
 * What processes have of the C library's allocator, from the events of
 * LTTng-UST's wrapper.  What a row ends is known from block_lives.h.
 */
#ifndef CSC_LIBC_USE_H
#define CSC_LIBC_USE_H

#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "rows.h"

enum { LIBC_SIZE_BUCKETS = 65 };

/* One process.  Sizes are bytes as asked for; see libc_total in schema/sums/rollups.sql. */
struct libc_process {
	int64_t events;
	int64_t allocations;
	int64_t allocated_bytes;
	int64_t frees_known;
	int64_t frees_unknown;
	int64_t frees_null;
	int64_t released_bytes;
	int64_t reallocs;
	int64_t reallocs_of_unknown;
	int64_t reallocs_moved;
	int64_t failed;
	int64_t address_reused_without_free;
	int64_t live_blocks;
	int64_t live_bytes;
	int64_t peak_live_bytes;
	int64_t peak_ns;

	/* Index: ceil(log2(size)); 0 for sizes 0 and 1. */
	int64_t by_size[LIBC_SIZE_BUCKETS];
};

/* All zeroes is a new one. */
struct libc_use {
	/* Index: number of the runtime; `events` 0: did not call. */
	struct libc_process *processes;
	size_t process_count;

	/* Of the block that the first row of a reallocation has just ended; ROW_NULL: none. */
	int64_t resized_size;
};

/* Takes a row that block_lives_take() has taken, in the same order. */
enum csc_status libc_use_take(struct libc_use *use, const struct block_row *row, struct diag *diag);

void libc_use_finish(struct libc_use *use);

#endif
