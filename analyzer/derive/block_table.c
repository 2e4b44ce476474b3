/*
 * SPDX-License-Identifier: MIT
 *
 * A hash table of numbers with linear probing, without tombstones, and what they number.
 */
#include "block_table.h"

#include <assert.h>
#include <stdlib.h>

#include "growing.h"

enum {
	FIRST_SLOTS = 1024,
	PART_BLOCKS = 4096,
	HASH_SHIFT = 32,
};

/* Of 32 bits, in the upper half. */
static uint64_t hash_of(int32_t runtime, int64_t address)
{
	uint64_t hash = ((uint64_t)address ^ ((uint64_t)(uint32_t)runtime << 48)) *
			UINT64_C(0x9e3779b97f4a7c15);

	/* The upper bits of the product depend on all bits of the address. */
	return (hash ^ hash << 20) & ~(uint64_t)UINT32_MAX;
}

static size_t home_of(uint64_t slot, size_t slot_count)
{
	return (size_t)(slot >> HASH_SHIFT) & (slot_count - 1);
}

static struct live_block *block_of(const struct block_table *blocks, uint32_t place)
{
	return &blocks->parts[(place - 1) / PART_BLOCKS][(place - 1) % PART_BLOCKS];
}

/* The slot of a block, or the empty one where it would go. */
static size_t slot_of(const struct block_table *blocks, int32_t runtime, int64_t address)
{
	uint64_t hash = hash_of(runtime, address);
	size_t slot = home_of(hash, blocks->slot_count);

	while (blocks->slots[slot] != 0) {
		if ((blocks->slots[slot] ^ hash) <= UINT32_MAX) {
			const struct live_block *block =
					block_of(blocks, (uint32_t)blocks->slots[slot]);

			if (block->address == address && block->runtime == runtime) {
				break;
			}
		}
		slot = (slot + 1) & (blocks->slot_count - 1);
	}

	return slot;
}

static bool grow(struct block_table *blocks)
{
	size_t slot_count = blocks->slot_count ? blocks->slot_count * 2 : FIRST_SLOTS;
	uint64_t *slots = calloc(slot_count, sizeof(*slots));

	if (!slots) {
		return false;
	}

	for (size_t i = 0; i < blocks->slot_count; i++) {
		size_t slot = home_of(blocks->slots[i], slot_count);

		if (blocks->slots[i] != 0) {
			while (slots[slot] != 0) {
				slot = (slot + 1) & (slot_count - 1);
			}
			slots[slot] = blocks->slots[i];
		}
	}

	free(blocks->slots);
	blocks->slots = slots;
	blocks->slot_count = slot_count;
	blocks->last_slot = SIZE_MAX;
	return true;
}

struct live_block *block_table_find(struct block_table *blocks, int32_t runtime, int64_t address)
{
	if (blocks->slot_count == 0) {
		blocks->last_slot = SIZE_MAX;
		return NULL;
	}

	blocks->last_slot = slot_of(blocks, runtime, address);
	return blocks->slots[blocks->last_slot] != 0
			? block_of(blocks, (uint32_t)blocks->slots[blocks->last_slot])
			: NULL;
}

void block_table_expect(const struct block_table *blocks, int32_t runtime, int64_t address)
{
	if (blocks->slot_count > 0) {
		__builtin_prefetch(&blocks->slots[home_of(
				hash_of(runtime, address), blocks->slot_count)]);
	}
}

void block_table_expect_soon(const struct block_table *blocks, int32_t runtime, int64_t address)
{
	uint64_t hash = hash_of(runtime, address);
	size_t slot;

	if (blocks->slot_count == 0) {
		return;
	}

	slot = home_of(hash, blocks->slot_count);
	while (blocks->slots[slot] != 0) {
		if ((blocks->slots[slot] ^ hash) <= UINT32_MAX) {
			const struct live_block *block =
					block_of(blocks, (uint32_t)blocks->slots[slot]);

			__builtin_prefetch(block);
			/* A block may lie in two lines. */
			__builtin_prefetch(&block->displaced);
			break;
		}
		slot = (slot + 1) & (blocks->slot_count - 1);
	}
}

/* Makes a part of places; there are as many as numbers that fit. */
static bool add_part(struct block_table *blocks)
{
	struct live_block *part;

	if (blocks->used > UINT32_MAX - PART_BLOCKS - 1) {
		return false;
	}

	if (!csc_grow_by_one(&blocks->parts, blocks->part_count, sizeof(struct live_block *))) {
		return false;
	}

	part = calloc(PART_BLOCKS, sizeof(*part));
	if (!part) {
		return false;
	}

	blocks->parts[blocks->part_count++] = part;
	return true;
}

bool block_table_put(struct block_table *blocks, const struct live_block *block)
{
	struct live_block *place;
	uint32_t number = blocks->free_place;

	assert(block->address != 0);
	if ((blocks->count + 1) * 4 > blocks->slot_count * 3 && !grow(blocks)) {
		return false;
	}

	if (number != 0) {
		place = block_of(blocks, number);
		blocks->free_place = (uint32_t)place->id;
	} else {
		if (blocks->used == blocks->part_count * PART_BLOCKS && !add_part(blocks)) {
			return false;
		}
		number = (uint32_t)++blocks->used;
		place = block_of(blocks, number);
	}

	if (blocks->last_slot == SIZE_MAX) {
		blocks->last_slot = slot_of(blocks, block->runtime, block->address);
	}

	*place = *block;
	blocks->slots[blocks->last_slot] = hash_of(block->runtime, block->address) | number;
	blocks->last_slot = SIZE_MAX;
	blocks->count++;
	return true;
}

/* Empties the slot and closes the gap behind it. */
void block_table_take(struct block_table *blocks, struct live_block *block)
{
	size_t mask = blocks->slot_count - 1;
	size_t slot = blocks->last_slot;
	size_t next = (slot + 1) & mask;
	uint32_t number = (uint32_t)blocks->slots[slot];

	/* It was found last, and nothing was put or taken since. */
	assert(block->address != 0 && block_of(blocks, number) == block);
	while (blocks->slots[next] != 0) {
		size_t home = home_of(blocks->slots[next], blocks->slot_count);

		if (((next - home) & mask) >= ((next - slot) & mask)) {
			blocks->slots[slot] = blocks->slots[next];
			slot = next;
		}
		next = (next + 1) & mask;
	}

	blocks->slots[slot] = 0;
	block->address = 0;
	block->id = blocks->free_place;
	blocks->free_place = number;
	blocks->last_slot = SIZE_MAX;
	blocks->count--;
}

const struct live_block *block_table_at(const struct block_table *blocks, size_t number)
{
	return &blocks->parts[number / PART_BLOCKS][number % PART_BLOCKS];
}

void block_table_finish(struct block_table *blocks)
{
	for (size_t i = 0; i < blocks->part_count; i++) {
		free(blocks->parts[i]);
	}

	free(blocks->parts);
	free(blocks->slots);
	*blocks = (struct block_table){ 0 };
}
