/* SPDX-License-Identifier: MIT */
/* What can be seen of the heap of RTEMS from outside: figures, and whether they agree. */
#include <stddef.h>

#include "rtems_heap.h"

void rtems_heap_walk(const struct rtems_heap *heap, struct rtems_walk *ret_walk)
{
	struct rtems_walk walk = { 0 };

	for (uint64_t block = rtems_heap_next_block(heap, 0); block;
			block = rtems_heap_next_block(heap, block)) {
		uint64_t bytes = rtems_block_bytes(heap, block);

		if (rtems_block_is_used(heap, block)) {
			walk.used_blocks++;
			walk.used_bytes += bytes;
			walk.used_largest = bytes > walk.used_largest ? bytes : walk.used_largest;
		} else {
			walk.free_blocks++;
			walk.free_bytes += bytes;
			walk.free_largest = bytes > walk.free_largest ? bytes : walk.free_largest;
		}
	}
	*ret_walk = walk;
}

void rtems_heap_counters(const struct rtems_heap *heap, struct rtems_counters *ret_counters)
{
	struct rtems_counters counters = heap->counters;

	if (heap->area.word_bytes == 4) {
		counters.max_search &= UINT32_MAX;
		counters.searches &= UINT32_MAX;
		counters.allocs &= UINT32_MAX;
		counters.failed_allocs &= UINT32_MAX;
		counters.frees &= UINT32_MAX;
		counters.resizes &= UINT32_MAX;
	}
	*ret_counters = counters;
}

/* The largest request that a free block can grant. */
static uint64_t largest_in(const struct rtems_heap *heap, uint64_t block, uint64_t alignment)
{
	uint64_t bytes = rtems_block_bytes(heap, block);
	uint64_t page = heap->area.page_bytes;
	uint64_t low = block + heap->header;
	/* What is cut off the end is at least a block. */
	uint64_t high = block + bytes - heap->least + heap->header + page - 1;
	uint64_t gap;

	if (!alignment) {
		return bytes - heap->header + heap->area.word_bytes;
	}
	/* The lowest aligned address whose front is nothing or a block of its own. */
	low = (low + alignment - 1) & ~(alignment - 1);
	gap = (low & ~(page - 1)) - heap->header - block;
	while (gap && gap < heap->least) {
		low += alignment;
		gap = (low & ~(page - 1)) - heap->header - block;
	}
	return low > high ? 0 : block + bytes - low + heap->area.word_bytes;
}

uint64_t rtems_heap_largest(const struct rtems_heap *heap, uint64_t alignment)
{
	uint64_t largest = 0;

	for (uint64_t block = rtems_heap_next_free(heap, 0); block;
			block = rtems_heap_next_free(heap, block)) {
		uint64_t found = largest_in(heap, block, alignment);

		largest = found > largest ? found : largest;
	}
	return largest;
}

uint64_t rtems_heap_hole_bytes(const struct rtems_heap *heap, uint64_t unit)
{
	uint64_t sum = 0;

	for (uint64_t block = rtems_heap_next_free(heap, 0); block;
			block = rtems_heap_next_free(heap, block)) {
		uint64_t bytes = rtems_block_bytes(heap, block);
		uint64_t behind = block + bytes;

		if (bytes < unit && behind != heap->last &&
				!((behind + heap->header) & (unit - 1))) {
			sum += bytes;
		}
	}
	return sum;
}

const char *rtems_heap_problem(const struct rtems_heap *heap)
{
	const struct rtems_counters *counters = &heap->counters;
	bool is_prev_used = true;
	uint64_t listed = 0;
	struct rtems_walk walk;

	for (uint64_t block = rtems_heap_next_block(heap, 0); block;
			block = rtems_heap_next_block(heap, block)) {
		uint64_t bytes = rtems_block_bytes(heap, block);
		bool is_used = rtems_block_is_used(heap, block);

		if (bytes < heap->least || bytes & (heap->area.page_bytes - 1) ||
				bytes > heap->last - block) {
			return "a block has a size that none can have";
		}
		if (!is_used && !is_prev_used) {
			return "two free blocks touch";
		}
		is_prev_used = is_used;
	}
	rtems_heap_walk(heap, &walk);
	for (uint64_t block = rtems_heap_next_free(heap, 0); block;
			block = rtems_heap_next_free(heap, block)) {
		if (rtems_block_is_used(heap, block) || ++listed > walk.free_blocks) {
			return "the list of free blocks has something else";
		}
	}
	if (listed != walk.free_blocks || listed != counters->free_blocks) {
		return "free blocks are miscounted";
	}
	if (walk.used_blocks != counters->used_blocks ||
			counters->allocs - counters->frees != counters->used_blocks) {
		return "used blocks are miscounted";
	}
	if (walk.free_bytes != counters->free_bytes ||
			walk.free_bytes + walk.used_bytes != counters->size_bytes) {
		return "bytes are miscounted";
	}
	if (counters->min_free_bytes > counters->free_bytes) {
		return "there was never less than there is";
	}
	return NULL;
}

void rtems_heap_figures(
		const struct rtems_heap *heap, uint64_t unit, struct heap_figures *ret_figures)
{
	struct rtems_counters counters;
	struct rtems_walk walk;

	rtems_heap_walk(heap, &walk);
	rtems_heap_counters(heap, &counters);
	*ret_figures = (struct heap_figures){
		.free_blocks = walk.free_blocks,
		.free_largest = walk.free_largest,
		.free_bytes = walk.free_bytes,
		.used_blocks = walk.used_blocks,
		.used_largest = walk.used_largest,
		.used_bytes = walk.used_bytes,
		.size_bytes = counters.size_bytes,
		.min_free_bytes = counters.min_free_bytes,
		.max_free_blocks = counters.max_free_blocks,
		.max_searched = counters.max_search,
		.allocated_bytes = counters.allocated_bytes,
		.freed_bytes = counters.freed_bytes,
		.searches = counters.searches,
		.allocs = counters.allocs,
		.failed_allocs = counters.failed_allocs,
		.frees = counters.frees,
		.resizes = counters.resizes,
		.largest_plain = rtems_heap_largest(heap, 0),
		.largest_carrier = rtems_heap_largest(heap, unit),
		.hole_bytes = rtems_heap_hole_bytes(heap, unit),
	};
}
