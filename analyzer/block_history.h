/*
 * SPDX-License-Identifier: MIT
 *
 * How much of each block type was live over time, from the block events of the
 * provider `carrierscope`.  Memory grows with the number of live blocks, and by 2 KiB
 * for each block type and power of two of its sizes.
 */
#ifndef CSC_BLOCK_HISTORY_H
#define CSC_BLOCK_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "live_blocks.h"
#include "registry.h"
#include "rows.h"

/* More buckets, and they become twice as wide. */
enum { BLOCK_HISTORY_BUCKETS = 128 };

/* What was live after the last event of a bucket; below 0 when what was there before is freed. */
struct block_level {
	int64_t blocks;
	int64_t bytes;
};

/* Blocks of one power of two of sizes, of one type, of one allocator of one runtime. */
struct block_group {
	int32_t runtime;

	/* Its index in the history. */
	int32_t number;
	int64_t allocator_id;
	int64_t type_id;

	/* Sizes from 2^size_log2 on; 0: also size 0. */
	int size_log2;
	struct block_level now;
	struct block_level peak;
	int64_t peak_ns;
	int64_t allocations;
	int64_t allocated_bytes;

	/* Frees of blocks whose allocation was not seen. */
	int64_t unknown_frees;

	/* Levels up to `open`, the bucket of the group's last event. */
	int64_t open;
	struct block_level level[BLOCK_HISTORY_BUCKETS];
};

/* All zeroes is a new one. */
struct block_history {
	struct live_blocks live;

	/* Keyed by runtime, and allocator, type and power of two. */
	struct registry numbers;
	struct block_group **groups;
	size_t group_count;
	size_t group_capacity;
	int64_t origin_ns;

	/* A bucket is 2^shift ns wide. */
	unsigned int shift;
};

/* Takes the next block event that is not libc's. */
enum csc_status block_history_take(
		struct block_history *history, const struct block_row *row, struct diag *diag);

void block_history_finish(struct block_history *history);

#endif
