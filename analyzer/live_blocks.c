/*
 * SPDX-License-Identifier: MIT
 *
 * Linear probing; a gap that is left is closed at once.
 */
#include "live_blocks.h"

#include <stdlib.h>

static size_t home_of(const struct live_blocks *blocks, int32_t runtime, int64_t address)
{
	uint64_t hash = ((uint64_t)address ^ ((uint64_t)(uint32_t)runtime << 48)) *
			UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(hash >> 20) & (blocks->slot_count - 1);
}

/* Finds the slot of a block, or the empty one where it would go. */
static size_t slot_of(const struct live_blocks *blocks, int32_t runtime, int64_t address)
{
	size_t slot = home_of(blocks, runtime, address);

	while (blocks->slots[slot].address != 0 &&
			(blocks->slots[slot].address != address ||
					blocks->slots[slot].runtime != runtime)) {
		slot = (slot + 1) & (blocks->slot_count - 1);
	}

	return slot;
}

bool live_blocks_reserve(struct live_blocks *blocks)
{
	struct live_block *old = blocks->slots;
	size_t old_count = blocks->slot_count;
	size_t slot_count = old_count ? old_count * 2 : 1024;
	struct live_block *slots;

	if (blocks->count * 2 < old_count) {
		return true;
	}

	slots = calloc(slot_count, sizeof(*slots));
	if (!slots) {
		return false;
	}

	blocks->slots = slots;
	blocks->slot_count = slot_count;
	for (size_t i = 0; i < old_count; i++) {
		if (old[i].address != 0) {
			slots[slot_of(blocks, old[i].runtime, old[i].address)] = old[i];
		}
	}

	free(old);
	return true;
}

void live_blocks_add(struct live_blocks *blocks, const struct live_block *block)
{
	blocks->slots[slot_of(blocks, block->runtime, block->address)] = *block;
	blocks->count++;
}

/* Empties a slot and closes the gap behind it. */
static void empty_slot(struct live_blocks *blocks, size_t slot)
{
	size_t mask = blocks->slot_count - 1;
	size_t next = (slot + 1) & mask;

	while (blocks->slots[next].address != 0) {
		size_t home = home_of(
				blocks, blocks->slots[next].runtime, blocks->slots[next].address);

		if (((next - home) & mask) >= ((next - slot) & mask)) {
			blocks->slots[slot] = blocks->slots[next];
			slot = next;
		}
		next = (next + 1) & mask;
	}

	blocks->slots[slot].address = 0;
	blocks->count--;
}

bool live_blocks_take(struct live_blocks *blocks, int32_t runtime, int64_t address,
		struct live_block *ret_block)
{
	size_t slot;

	if (blocks->slot_count == 0) {
		return false;
	}

	slot = slot_of(blocks, runtime, address);
	if (blocks->slots[slot].address == 0) {
		return false;
	}

	*ret_block = blocks->slots[slot];
	empty_slot(blocks, slot);
	return true;
}

void live_blocks_finish(struct live_blocks *blocks)
{
	free(blocks->slots);
	*blocks = (struct live_blocks){ 0 };
}
