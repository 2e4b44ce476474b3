/*
 * SPDX-License-Identifier: MIT
 *
 * The blocks that are live, by process and address.  48 bytes a slot, at most three
 * quarters of the slots are taken: 64 to 128 bytes for each live block.
 */
#ifndef CSC_BLOCK_TABLE_H
#define CSC_BLOCK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A live block; `address` 0 is an empty slot. */
struct live_block {
	int64_t address;

	/* block_event.id of the row that made it. */
	int64_t id;

	/* When it was first allocated, reallocations not counted; ns. */
	int64_t born_ns;

	/* Bytes asked for. */
	int64_t size;

	/* Numbers from 0: of the process, of the account (block_accounts.h), of the thread (-1). */
	int32_t runtime;
	uint32_t account;
	int32_t thread;

	/* Another block was live here when it was made: 1 + its account; 0: none. */
	uint32_t displaced;
};

/* All zeroes is an empty table. */
struct block_table {
	/* Open addressing; a power of two. */
	struct live_block *slots;
	size_t slot_count;
	size_t count;
};

/* NULL: not live.  Valid until the next put or take. */
struct live_block *block_table_find(
		const struct block_table *blocks, int32_t runtime, int64_t address);

/* Says that a block will be looked for soon: memory is slow. */
void block_table_expect(const struct block_table *blocks, int32_t runtime, int64_t address);

/* Adds a block that is not there.  False: out of memory. */
bool block_table_put(struct block_table *blocks, const struct live_block *block);

/* Takes out a block that block_table_find() found. */
void block_table_take(struct block_table *blocks, struct live_block *block);

void block_table_finish(struct block_table *blocks);

#endif
