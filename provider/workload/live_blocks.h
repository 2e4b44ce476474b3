/* SPDX-License-Identifier: MIT */
/*
 * The blocks that one scheduler holds, by source and by the operation with which they end.  When
 * the machine has no memory for it, the program ends.
 */
#ifndef CSC_LIVE_BLOCKS_H
#define CSC_LIVE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "workload.h"

/* One block that is held. */
struct live_block {
	uint64_t address;
	uint64_t bytes;
	uint64_t stamp;

	/* The operation, or the phase, with which its life ends. */
	uint64_t end;

	uint32_t source;
	/* Where it is in the list of its source and in the queue of ends; UINT32_MAX: in none. */
	uint32_t place;
	uint32_t due;
};

struct index_list {
	uint32_t *items;
	size_t count;
	size_t room;
};

struct live_blocks {
	struct live_block *blocks;
	size_t room;
	size_t count;
	/* Vacant elements of `blocks`. */
	struct index_list vacant;

	struct index_list by_source[WORKLOAD_SOURCES_MAX];
	/* A heap, the next end first. */
	struct index_list due;
};

/* A new element of `blocks` for a block of a source. */
uint32_t live_blocks_add(struct live_blocks *live, uint32_t source);

/* Forgets a block. */
void live_blocks_remove(struct live_blocks *live, uint32_t item);

/* The block joins `due`. */
void live_blocks_set_end(struct live_blocks *live, uint32_t item, uint64_t end);

void live_blocks_finish(struct live_blocks *live);

#endif
