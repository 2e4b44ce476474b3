/*
 * SPDX-License-Identifier: MIT
 *
 * What heap_state tells of a heap.  LTTng takes at most ten arguments an event,
 * so they travel as one.
 */
#ifndef CSC_HEAP_FIGURES_H
#define CSC_HEAP_FIGURES_H

#include <stdint.h>

/* Sizes are bytes and have block headers included, but for the two largest requests. */
struct heap_figures {
	uint64_t free_blocks;
	uint64_t free_largest;
	uint64_t free_bytes;
	uint64_t used_blocks;
	uint64_t used_largest;
	uint64_t used_bytes;
	uint64_t size_bytes;
	uint64_t min_free_bytes;
	uint64_t max_free_blocks;
	uint64_t max_searched;
	uint64_t allocated_bytes;
	uint64_t freed_bytes;
	uint64_t searches;
	uint64_t allocs;
	uint64_t failed_allocs;
	uint64_t frees;
	uint64_t resizes;
	uint64_t largest_plain;
	uint64_t largest_carrier;
	uint64_t hole_bytes;
};

#endif
