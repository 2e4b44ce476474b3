/*
 * SPDX-License-Identifier: MIT
 *
 * A hash table with linear probing, without tombstones.
 */
#include "block_table.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 1024 };

static size_t home_of(const struct block_table *blocks, int32_t runtime, int64_t address)
{
	uint64_t hash = ((uint64_t)address ^ ((uint64_t)(uint32_t)runtime << 48)) *
			UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(hash >> 20) & (blocks->slot_count - 1);
}

/* The slot of a block, or the empty one where it would go. */
static size_t slot_of(const struct block_table *blocks, int32_t runtime, int64_t address)
{
	size_t slot = home_of(blocks, runtime, address);

	while (blocks->slots[slot].address != 0 &&
			(blocks->slots[slot].address != address ||
					blocks->slots[slot].runtime != runtime)) {
		slot = (slot + 1) & (blocks->slot_count - 1);
	}

	return slot;
}

static bool grow(struct block_table *blocks)
{
	struct block_table grown = {
		.slot_count = blocks->slot_count ? blocks->slot_count * 2 : FIRST_SLOTS,
		.count = blocks->count,
	};

	grown.slots = calloc(grown.slot_count, sizeof(*grown.slots));
	if (!grown.slots) {
		return false;
	}

	for (size_t i = 0; i < blocks->slot_count; i++) {
		const struct live_block *block = &blocks->slots[i];

		if (block->address != 0) {
			grown.slots[slot_of(&grown, block->runtime, block->address)] = *block;
		}
	}

	free(blocks->slots);
	*blocks = grown;
	return true;
}

struct live_block *block_table_find(
		const struct block_table *blocks, int32_t runtime, int64_t address)
{
	struct live_block *block;

	if (blocks->count == 0) {
		return NULL;
	}

	block = &blocks->slots[slot_of(blocks, runtime, address)];
	return block->address != 0 ? block : NULL;
}

void block_table_expect(const struct block_table *blocks, int32_t runtime, int64_t address)
{
	if (blocks->slot_count > 0) {
		const struct live_block *home = &blocks->slots[home_of(blocks, runtime, address)];

		__builtin_prefetch(home);
		/* A slot may lie in two lines. */
		__builtin_prefetch(&home->displaced);
	}
}

bool block_table_put(struct block_table *blocks, const struct live_block *block)
{
	if ((blocks->count + 1) * 4 > blocks->slot_count * 3 && !grow(blocks)) {
		return false;
	}

	blocks->slots[slot_of(blocks, block->runtime, block->address)] = *block;
	blocks->count++;
	return true;
}

/* Empties the slot and closes the gap behind it. */
void block_table_take(struct block_table *blocks, struct live_block *block)
{
	size_t mask = blocks->slot_count - 1;
	size_t slot = (size_t)(block - blocks->slots);
	size_t next = (slot + 1) & mask;

	while (blocks->slots[next].address != 0) {
		const struct live_block *mover = &blocks->slots[next];
		size_t home = home_of(blocks, mover->runtime, mover->address);

		if (((next - home) & mask) >= ((next - slot) & mask)) {
			blocks->slots[slot] = *mover;
			slot = next;
		}
		next = (next + 1) & mask;
	}

	blocks->slots[slot].address = 0;
	blocks->count--;
}

void block_table_finish(struct block_table *blocks)
{
	free(blocks->slots);
	*blocks = (struct block_table){ 0 };
}
