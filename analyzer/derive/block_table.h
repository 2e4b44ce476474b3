/*
 * SPDX-License-Identifier: MIT
 *
 * The blocks that are live, by process and address: 56 bytes for each, and 8 bytes for
 * each slot of a table of their numbers, of which three quarters at most are taken.
 * 67 to 78 bytes for each live block; growing copies the table of numbers alone.
 */
#ifndef CSC_BLOCK_TABLE_H
#define CSC_BLOCK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A live block; `address` 0 is a free place. */
struct live_block {
	int64_t address;

	/* block_event.id of the row that made it; of a free place: the number of the next. */
	int64_t id;

	/* When it was first allocated, reallocations not counted; ns. */
	int64_t born_ns;

	/* Bytes asked for. */
	int64_t size;

	/* Who made it, as the row says (block_row.process). */
	int64_t process;

	/* Numbers from 0: of the process, of the account (block_accounts.h), of the thread (-1). */
	int32_t runtime;
	uint32_t account;
	int32_t thread;

	/* Another block was live here when it was made: 1 + its account; 0: none. */
	uint32_t displaced;
};

/* All zeroes is an empty table. */
struct block_table {
	/*
	 * Open addressing; a power of two.  A slot is 0, or 1 + the number of a block in its
	 * lower half and the block's hash in its upper half.
	 */
	uint64_t *slots;
	size_t slot_count;
	size_t count;

	/* Where the last search ended; SIZE_MAX: not known. */
	size_t last_slot;

	/* Blocks by number, in parts that stay where they are; the first free place, 1 + its
	 * number. */
	struct live_block **parts;
	size_t part_count;
	size_t used;
	uint32_t free_place;
};

/* NULL: not live.  Valid until the next put or take. */
struct live_block *block_table_find(struct block_table *blocks, int32_t runtime, int64_t address);

/* Says that a block will be looked for soon, and sooner: memory is slow. */
void block_table_expect(const struct block_table *blocks, int32_t runtime, int64_t address);
void block_table_expect_soon(const struct block_table *blocks, int32_t runtime, int64_t address);

/* Adds the block that was looked for last and is not there.  False: out of memory. */
bool block_table_put(struct block_table *blocks, const struct live_block *block);

/* Takes out the block that block_table_find() found last. */
void block_table_take(struct block_table *blocks, struct live_block *block);

/* The block with a number from 0 to `used` - 1; its address may be 0. */
const struct live_block *block_table_at(const struct block_table *blocks, size_t number);

void block_table_finish(struct block_table *blocks);

#endif
