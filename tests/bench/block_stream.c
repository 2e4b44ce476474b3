/*
 * SPDX-License-Identifier: MIT
 *
 * Block events: log-normal sizes, a fixed number of live blocks, each free with
 * the size and type of its allocation.  Addresses look like those of mmap'ed
 * carriers, are never used, and are reused in last-in-first-out order by size.
 */
#include "stream.h"

#include <math.h>
#include <stdlib.h>

#include "carrierscope_tp.h"

#include "random.h"

#define LIVE_BLOCKS (100000 / BENCH_THREADS)
#define GRANULE_BYTES 16
#define SIZE_MAX_BYTES 16384
#define CLASSES (SIZE_MAX_BYTES / GRANULE_BYTES + 1)
#define SIZES 65536
#define TYPES 120
#define FIRST_ADDRESS UINT64_C(0x7f3a40000000)

struct block {
	/* 0: none. */
	uint64_t address;

	uint32_t size_bytes;
	uint16_t type_id;
	uint16_t instance;
};

struct heap {
	struct random random;
	uint64_t left;
	uint64_t top_address;
	uint32_t sizes[SIZES];
	struct block live[LIVE_BLOCKS];

	/* One stack of free addresses for each class of sizes; never more than were live. */
	uint64_t *free_addresses[CLASSES];
	uint32_t free_counts[CLASSES];
	uint32_t free_rooms[CLASSES];
};

bool block_stream_is_heard(void)
{
	return lttng_ust_tracepoint_enabled(carrierscope, block_alloc) &&
			lttng_ust_tracepoint_enabled(carrierscope, block_free);
}

/* mu = ln 128, sigma = 1, so that half of all blocks are below 128 bytes. */
static uint32_t size_draw(struct random *random)
{
	const double radius = sqrt(-2.0 * log(random_unit(random)));
	const double normal = radius * cos(2.0 * 3.14159265358979323846 * random_unit(random));
	const double size_bytes = exp(log(128.0) + normal);

	if (size_bytes < 16.0) {
		return 16;
	}
	return size_bytes > SIZE_MAX_BYTES ? SIZE_MAX_BYTES : (uint32_t)size_bytes;
}

/* The same type has always the same allocator. */
static uint8_t allocator_of(uint16_t type_id)
{
	return (uint8_t)(type_id % BENCH_ALLOCATORS);
}

static uint32_t class_of(uint32_t size_bytes)
{
	return (size_bytes + GRANULE_BYTES - 1) / GRANULE_BYTES;
}

static uint64_t address_take(struct heap *heap, uint32_t size_bytes)
{
	const uint32_t class = class_of(size_bytes);
	uint64_t address = heap->top_address;

	if (heap->free_counts[class] > 0) {
		return heap->free_addresses[class][--heap->free_counts[class]];
	}
	/* Each block has a word in front of it, as in OTP. */
	heap->top_address += (uint64_t)(class + 1) * GRANULE_BYTES;
	return address + 8;
}

static bool address_give(struct heap *heap, const struct block *block)
{
	const uint32_t class = class_of(block->size_bytes);

	if (heap->free_counts[class] == heap->free_rooms[class]) {
		const uint32_t room = heap->free_rooms[class] ? 2 * heap->free_rooms[class] : 16;
		uint64_t *addresses =
				realloc(heap->free_addresses[class], room * sizeof(*addresses));

		if (!addresses) {
			return false;
		}
		heap->free_addresses[class] = addresses;
		heap->free_rooms[class] = room;
	}
	heap->free_addresses[class][heap->free_counts[class]++] = block->address;
	return true;
}

static void block_make(struct heap *heap, struct block *block, unsigned int index)
{
	/* The smaller of two draws: a few types make most blocks. */
	const uint16_t one = (uint16_t)random_below(&heap->random, TYPES);
	const uint16_t other = (uint16_t)random_below(&heap->random, TYPES);

	block->size_bytes = heap->sizes[random_below(&heap->random, SIZES)];
	block->type_id = one < other ? one : other;
	block->instance = (uint16_t)(index + 1 + BENCH_THREADS * random_below(&heap->random, 4));
	block->address = address_take(heap, block->size_bytes);
	lttng_ust_tracepoint(carrierscope, block_alloc, block->address, block->size_bytes,
			block->type_id, allocator_of(block->type_id), block->instance);
	heap->left--;
}

static bool block_drop(struct heap *heap, struct block *block)
{
	lttng_ust_tracepoint(carrierscope, block_free, block->address, block->size_bytes,
			block->type_id, allocator_of(block->type_id), block->instance);
	heap->left--;
	if (!address_give(heap, block)) {
		return false;
	}
	block->address = 0;
	return true;
}

static void heap_destroy(struct heap *heap)
{
	for (unsigned int class = 0; class < CLASSES; class ++) {
		free(heap->free_addresses[class]);
	}
	free(heap);
}

bool block_stream_emit(const struct stream *stream)
{
	struct heap *heap = calloc(1, sizeof(*heap));
	bool is_done = true;

	if (!heap) {
		return false;
	}
	heap->random.state = stream->seed;
	heap->left = stream->count;
	heap->top_address = FIRST_ADDRESS + ((uint64_t)stream->index << 36);
	for (unsigned int i = 0; i < SIZES; i++) {
		heap->sizes[i] = size_draw(&heap->random);
	}
	for (unsigned int i = 0; i < LIVE_BLOCKS && heap->left > 0; i++) {
		block_make(heap, &heap->live[i], stream->index);
	}
	while (heap->left > 0 && is_done) {
		struct block *block = &heap->live[random_below(&heap->random, LIVE_BLOCKS)];

		is_done = block_drop(heap, block);
		if (is_done && heap->left > 0) {
			block_make(heap, block, stream->index);
		}
	}
	heap_destroy(heap);
	return is_done;
}
