/* SPDX-License-Identifier: MIT */
/*
 * The heap of RTEMS: first fit in the order of the list of free blocks.
 *
 * Unaligned blocks are cut from the low end of a free block, aligned ones from its high end.  What
 * is freed goes to the head of the list unless it melts into a neighbour, whose place it takes.
 */
#include "rtems_heap.h"

#include <stddef.h>
#include <string.h>

#define PREV_USED UINT64_C(1)

static uint64_t up(uint64_t value, uint64_t step)
{
	return (value + step - 1) & ~(step - 1);
}

static uint64_t down(uint64_t value, uint64_t step)
{
	return value & ~(step - 1);
}

static bool is_power(uint64_t value)
{
	return value && !(value & (value - 1));
}

static void *host(const struct rtems_heap *heap, uint64_t address)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of the target are numbers. */
	return (void *)(uintptr_t)(heap->bias + address);
}

static uint64_t get(const struct rtems_heap *heap, uint64_t address)
{
	uint64_t wide;
	uint32_t narrow;

	if (heap->area.word_bytes == 8) {
		memcpy(&wide, host(heap, address), sizeof(wide));
		return wide;
	}
	memcpy(&narrow, host(heap, address), sizeof(narrow));
	return narrow;
}

static void put(const struct rtems_heap *heap, uint64_t address, uint64_t value)
{
	uint32_t narrow = (uint32_t)value;

	if (heap->area.word_bytes == 8) {
		memcpy(host(heap, address), &value, sizeof(value));
	} else {
		memcpy(host(heap, address), &narrow, sizeof(narrow));
	}
}

static uint64_t word_max(const struct rtems_heap *heap)
{
	return heap->area.word_bytes == 8 ? UINT64_MAX : UINT32_MAX;
}

static uint64_t head_of(const struct rtems_heap *heap, uint64_t block)
{
	return get(heap, block + heap->area.word_bytes);
}

uint64_t rtems_block_bytes(const struct rtems_heap *heap, uint64_t block)
{
	return head_of(heap, block) & ~PREV_USED;
}

static bool is_prev_used(const struct rtems_heap *heap, uint64_t block)
{
	return head_of(heap, block) & PREV_USED;
}

static uint64_t end_of(const struct rtems_heap *heap, uint64_t block)
{
	return block + rtems_block_bytes(heap, block);
}

bool rtems_block_is_used(const struct rtems_heap *heap, uint64_t block)
{
	return block == heap->last || is_prev_used(heap, end_of(heap, block));
}

static void set_head(const struct rtems_heap *heap, uint64_t block, uint64_t bytes, uint64_t flag)
{
	put(heap, block + heap->area.word_bytes, bytes | flag);
}

/* Marks this block as used in the next one. */
static void mark_used(const struct rtems_heap *heap, uint64_t block)
{
	uint64_t next = end_of(heap, block);

	put(heap, next + heap->area.word_bytes, head_of(heap, next) | PREV_USED);
}

/* Marks this block as free in the next one, with its size. */
static void mark_free(const struct rtems_heap *heap, uint64_t block)
{
	uint64_t next = end_of(heap, block);

	put(heap, next, rtems_block_bytes(heap, block));
	put(heap, next + heap->area.word_bytes, head_of(heap, next) & ~PREV_USED);
}

static uint64_t next_of(const struct rtems_heap *heap, uint64_t block)
{
	return get(heap, block + heap->header);
}

static uint64_t prev_of(const struct rtems_heap *heap, uint64_t block)
{
	return get(heap, block + heap->header + heap->area.word_bytes);
}

static void set_next(struct rtems_heap *heap, uint64_t block, uint64_t next)
{
	if (block) {
		put(heap, block + heap->header, next);
	} else {
		heap->head = next;
	}
}

static void set_prev(struct rtems_heap *heap, uint64_t block, uint64_t prev)
{
	if (block) {
		put(heap, block + heap->header + heap->area.word_bytes, prev);
	} else {
		heap->tail = prev;
	}
}

/* Enters a free block behind `anchor`; 0: at the head. */
static void list_insert(struct rtems_heap *heap, uint64_t block, uint64_t anchor)
{
	uint64_t next = anchor ? next_of(heap, anchor) : heap->head;

	set_next(heap, block, next);
	set_prev(heap, block, anchor);
	set_next(heap, anchor, block);
	set_prev(heap, next, block);
}

/* Returns what stood before it: the anchor of whatever takes its place. */
static uint64_t list_remove(struct rtems_heap *heap, uint64_t block)
{
	uint64_t next = next_of(heap, block);
	uint64_t prev = prev_of(heap, block);

	set_next(heap, prev, next);
	set_prev(heap, next, prev);
	return prev;
}

enum csc_status rtems_heap_init(
		struct rtems_heap *heap, const struct rtems_area *area, uint64_t bias)
{
	uint64_t header = UINT64_C(2) * area->word_bytes;
	uint64_t least;
	uint64_t offset;
	uint64_t bytes;

	*heap = (struct rtems_heap){ .area = *area, .bias = bias, .header = header };
	if ((area->word_bytes != 4 && area->word_bytes != 8) || !is_power(area->page_bytes) ||
			area->page_bytes < area->word_bytes || !area->base ||
			area->base > word_max(heap) - header - area->page_bytes ||
			area->size_bytes > word_max(heap) - area->base) {
		return CSC_ERROR;
	}
	least = up(2 * header, area->page_bytes);
	offset = up(area->base + header, area->page_bytes) - header - area->base;
	if (area->size_bytes < header + offset) {
		return CSC_ERROR;
	}
	bytes = down(area->size_bytes - header - offset, area->page_bytes);
	if (bytes < least) {
		return CSC_ERROR;
	}
	heap->least = least;
	heap->first = area->base + offset;
	heap->last = heap->first + bytes;
	heap->counters = (struct rtems_counters){
		.size_bytes = bytes,
		.free_bytes = bytes,
		.min_free_bytes = bytes,
		.free_blocks = 1,
		.max_free_blocks = 1,
	};
	set_head(heap, heap->first, bytes, PREV_USED);
	set_head(heap, heap->last, 0, 0);
	mark_free(heap, heap->first);
	list_insert(heap, heap->first, 0);
	return CSC_OK;
}

/*
 * Leaves `bytes` of user memory in a block that is in use already; what is beyond becomes a free
 * block behind `anchor`, if it is large enough for one.
 */
static void split(struct rtems_heap *heap, uint64_t block, uint64_t bytes, uint64_t anchor)
{
	uint64_t user_least = heap->least - heap->header;
	uint64_t used = (bytes > user_least ? bytes : user_least) + heap->header;
	uint64_t whole = rtems_block_bytes(heap, block);
	uint64_t rest;

	/* Sic: compared before it is rounded, and the borrowed word does not count. */
	if (whole < used || whole - used < heap->least) {
		mark_used(heap, block);
		return;
	}
	used = up(used, heap->area.page_bytes);
	rest = block + used;
	set_head(heap, block, used, head_of(heap, block) & PREV_USED);
	set_head(heap, rest, whole - used, PREV_USED);
	mark_free(heap, rest);
	list_insert(heap, rest, anchor);
	heap->counters.free_blocks++;
	heap->counters.free_bytes += whole - used;
}

static void note_least_free(struct rtems_heap *heap)
{
	if (heap->counters.free_bytes < heap->counters.min_free_bytes) {
		heap->counters.min_free_bytes = heap->counters.free_bytes;
	}
}

/* Where aligned user memory would begin in a free block; 0: it does not fit. */
static uint64_t place(
		const struct rtems_heap *heap, uint64_t block, uint64_t bytes, uint64_t alignment)
{
	uint64_t end = end_of(heap, block);
	uint64_t user = down(end + heap->area.word_bytes - bytes, alignment);
	uint64_t high = end - heap->least + heap->header + heap->area.page_bytes - 1;
	uint64_t gap;

	if (user > high) {
		user = down(high, alignment);
	}
	if (user < block + heap->header) {
		return 0;
	}
	gap = down(user, heap->area.page_bytes) - heap->header - block;
	return !gap || gap >= heap->least ? user : 0;
}

/* Takes a block with user memory at `user` out of a free block; returns it. */
static uint64_t take(struct rtems_heap *heap, uint64_t block, uint64_t user, uint64_t bytes)
{
	uint64_t offset = user - block - heap->header;
	uint64_t whole = rtems_block_bytes(heap, block);
	uint64_t anchor = list_remove(heap, block);
	uint64_t taken = block;

	heap->counters.free_blocks--;
	heap->counters.used_blocks++;
	heap->counters.free_bytes -= whole;
	if (offset < heap->area.page_bytes) {
		split(heap, block, bytes + offset, anchor);
	} else {
		uint64_t front;

		taken = down(user, heap->area.page_bytes) - heap->header;
		front = taken - block;
		set_head(heap, block, front, head_of(heap, block) & PREV_USED);
		set_head(heap, taken, whole - front, 0);
		put(heap, taken, front);
		list_insert(heap, block, anchor);
		heap->counters.free_blocks++;
		heap->counters.free_bytes += front;
		split(heap, taken, bytes + (user - taken - heap->header), block);
	}
	note_least_free(heap);
	return taken;
}

/* `alignment` 0: none. */
static enum rtems_result allocate(
		struct rtems_heap *heap, uint64_t bytes, uint64_t alignment, uint64_t *ret_user)
{
	uint64_t floor = bytes + heap->header - heap->area.word_bytes;
	uint64_t count = 0;
	uint64_t user = 0;
	uint64_t block;

	if (bytes > word_max(heap) - (heap->header - heap->area.word_bytes)) {
		return RTEMS_REFUSED;
	}
	for (block = heap->head; block; block = next_of(heap, block)) {
		count++;
		if (rtems_block_bytes(heap, block) < floor) {
			continue;
		}
		user = alignment ? place(heap, block, bytes, alignment) : block + heap->header;
		if (user) {
			break;
		}
	}
	if (count > heap->counters.max_search) {
		heap->counters.max_search = count;
	}
	if (!user) {
		heap->counters.failed_allocs++;
		return RTEMS_FAILED;
	}
	block = take(heap, block, user, bytes);
	heap->counters.allocs++;
	heap->counters.searches += count;
	heap->counters.allocated_bytes += rtems_block_bytes(heap, block);
	*ret_user = user;
	return RTEMS_DONE;
}

enum rtems_result rtems_malloc(struct rtems_heap *heap, uint64_t bytes, uint64_t *ret_user)
{
	return bytes ? allocate(heap, bytes, 0, ret_user) : RTEMS_REFUSED;
}

enum rtems_result rtems_memalign(
		struct rtems_heap *heap, uint64_t alignment, uint64_t bytes, uint64_t *ret_user)
{
	if (!is_power(alignment) || alignment < heap->area.word_bytes ||
			alignment > word_max(heap)) {
		return RTEMS_REFUSED;
	}
	return allocate(heap, bytes, alignment, ret_user);
}

static uint64_t block_of(const struct rtems_heap *heap, uint64_t user)
{
	return down(user, heap->area.page_bytes) - heap->header;
}

void rtems_free(struct rtems_heap *heap, uint64_t user)
{
	uint64_t block;
	uint64_t bytes;
	uint64_t next;
	bool has_next;

	if (!user) {
		return;
	}
	block = block_of(heap, user);
	bytes = rtems_block_bytes(heap, block);
	next = block + bytes;
	has_next = !rtems_block_is_used(heap, next);
	heap->counters.used_blocks--;
	heap->counters.frees++;
	heap->counters.free_bytes += bytes;
	heap->counters.freed_bytes += bytes;
	if (has_next) {
		bytes += rtems_block_bytes(heap, next);
	}
	if (!is_prev_used(heap, block)) {
		uint64_t prev = block - get(heap, block);

		if (has_next) {
			list_remove(heap, next);
			heap->counters.free_blocks--;
		}
		bytes += rtems_block_bytes(heap, prev);
		set_head(heap, prev, bytes, PREV_USED);
		mark_free(heap, prev);
		return;
	}
	set_head(heap, block, bytes, PREV_USED);
	mark_free(heap, block);
	if (has_next) {
		list_insert(heap, block, list_remove(heap, next));
		return;
	}
	list_insert(heap, block, 0);
	heap->counters.free_blocks++;
	if (heap->counters.free_blocks > heap->counters.max_free_blocks) {
		heap->counters.max_free_blocks = heap->counters.free_blocks;
	}
}

/* In place; false: there is no room, and nothing has happened. */
static bool resize(struct rtems_heap *heap, uint64_t user, uint64_t bytes)
{
	uint64_t block = block_of(heap, user);
	uint64_t whole = rtems_block_bytes(heap, block);
	uint64_t next = block + whole;
	bool has_next = !rtems_block_is_used(heap, next);
	uint64_t next_bytes = has_next ? rtems_block_bytes(heap, next) : 0;

	if (bytes > next - user + heap->area.word_bytes + next_bytes) {
		return false;
	}
	if (has_next) {
		list_remove(heap, next);
		heap->counters.free_blocks--;
		heap->counters.free_bytes -= next_bytes;
		set_head(heap, block, whole + next_bytes, head_of(heap, block) & PREV_USED);
	}
	split(heap, block, bytes + (user - block - heap->header), 0);
	note_least_free(heap);
	heap->counters.resizes++;
	return true;
}

enum rtems_result rtems_realloc(
		struct rtems_heap *heap, uint64_t user, uint64_t bytes, uint64_t *ret_user)
{
	enum rtems_result result;
	uint64_t kept;

	if (!user) {
		return rtems_malloc(heap, bytes, ret_user);
	}
	if (!bytes) {
		rtems_free(heap, user);
		*ret_user = 0;
		return RTEMS_DONE;
	}
	if (resize(heap, user, bytes)) {
		*ret_user = user;
		return RTEMS_DONE;
	}
	result = rtems_malloc(heap, bytes, ret_user);
	if (result == RTEMS_DONE) {
		kept = end_of(heap, block_of(heap, user)) - user + heap->area.word_bytes;
		memcpy(host(heap, *ret_user), host(heap, user), kept < bytes ? kept : bytes);
		rtems_free(heap, user);
	}
	return result;
}

uint64_t rtems_heap_next_free(const struct rtems_heap *heap, uint64_t block)
{
	return block ? next_of(heap, block) : heap->head;
}

uint64_t rtems_heap_next_block(const struct rtems_heap *heap, uint64_t block)
{
	uint64_t next = block ? end_of(heap, block) : heap->first;

	return next == heap->last ? 0 : next;
}
