/*
 * SPDX-License-Identifier: MIT
 *
 * The live blocks of all processes, by address.  Memory grows with their number:
 * 24 bytes a slot, at most half of the slots in use.
 */
#ifndef CSC_LIVE_BLOCKS_H
#define CSC_LIVE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `address` 0 is an empty slot. */
struct live_block {
	int64_t address;
	int64_t size;

	/* Number of the process, and whatever the caller sorts its blocks by. */
	int32_t runtime;
	int32_t group;
};

/* Open addressing.  All zeroes is an empty one. */
struct live_blocks {
	struct live_block *slots;
	size_t count;

	/* A power of two, or 0. */
	size_t slot_count;
};

/* Makes room for one more block; false: out of memory, and nothing has changed. */
bool live_blocks_reserve(struct live_blocks *blocks);

/* Adds a block that is not there; the address is not 0 and room was made. */
void live_blocks_add(struct live_blocks *blocks, const struct live_block *block);

/* Takes a block out; false: it was not there. */
bool live_blocks_take(struct live_blocks *blocks, int32_t runtime, int64_t address,
		struct live_block *ret_block);

void live_blocks_finish(struct live_blocks *blocks);

#endif
