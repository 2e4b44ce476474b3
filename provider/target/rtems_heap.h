/* SPDX-License-Identifier: MIT */
/*
 * The heap of RTEMS ("score heap") with the C library's calls on top: which block an address gets,
 * what the list of free blocks looks like afterwards, and the figures of the shell command
 * `malloc`.
 *
 * Everything that the target keeps in its memory lies in that memory, with the target's words:
 *
 *	block + 0   size of the block before, if that one is free
 *	block + W   size of this block; bit 0: the block before is in use
 *	block + 2W  user memory; of a free block: next and previous free block
 *
 * The user of a block may also write into the first word of the block behind it.
 * Source: SOURCES.md 15.
 */
#ifndef CSC_RTEMS_HEAP_H
#define CSC_RTEMS_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "diag.h"
#include "heap_figures.h"

struct rtems_area {
	/* Target address of the area's first byte, and its length. */
	uint64_t base;
	uint64_t size_bytes;

	/* 4 or 8. */
	uint32_t word_bytes;

	/* Blocks are multiples of this and lie at multiples: a power of two, at least a word. */
	uint32_t page_bytes;
};

/*
 * Counters, as the heap itself keeps them.  Differs: all have 64 bits; on 32-bit targets all but
 * the first two wrap at 2^32, see rtems_heap_counters().
 */
struct rtems_counters {
	uint64_t allocated_bytes;
	uint64_t freed_bytes;
	uint64_t size_bytes;
	uint64_t free_bytes;
	uint64_t min_free_bytes;
	uint64_t free_blocks;
	uint64_t max_free_blocks;
	uint64_t used_blocks;
	/* Blocks looked at: most in one search, and sum over searches that found one. */
	uint64_t max_search;
	uint64_t searches;
	uint64_t allocs;
	uint64_t failed_allocs;
	uint64_t frees;
	uint64_t resizes;
};

struct rtems_heap {
	struct rtems_area area;

	/* Host address of target address 0, modulo 2^64. */
	uint64_t bias;

	/* Sizes in bytes: a header, and the least that a block can have. */
	uint64_t header;
	uint64_t least;

	/* The first block, and the header that ends the heap. */
	uint64_t first;
	uint64_t last;

	/* Of the list of free blocks; 0: empty. */
	uint64_t head;
	uint64_t tail;

	struct rtems_counters counters;
};

/* What a walk over all blocks finds; sizes have headers included. */
struct rtems_walk {
	uint64_t free_blocks;
	uint64_t free_largest;
	uint64_t free_bytes;
	uint64_t used_blocks;
	uint64_t used_largest;
	uint64_t used_bytes;
};

/* What a request for memory came to. */
enum rtems_result {
	RTEMS_DONE,
	/* Not counted: size 0, an alignment that is none, or a size beyond the address space. */
	RTEMS_REFUSED,
	/* There is no such block; counted. */
	RTEMS_FAILED,
};

/*
 * Makes one free block of the area, whose memory is at host address `bias + base`.  Returns
 * CSC_ERROR if the area is too small for a block, its page size is none, or it ends beyond the
 * target's addresses.
 */
enum csc_status rtems_heap_init(
		struct rtems_heap *heap, const struct rtems_area *area, uint64_t bias);

/* The C library's calls; addresses are those of user memory. */
enum rtems_result rtems_malloc(struct rtems_heap *heap, uint64_t bytes, uint64_t *ret_user);
enum rtems_result rtems_memalign(
		struct rtems_heap *heap, uint64_t alignment, uint64_t bytes, uint64_t *ret_user);
void rtems_free(struct rtems_heap *heap, uint64_t user);

/*
 * `user` 0 is a malloc, `bytes` 0 a free (`*ret_user` is 0).  When it fails, the block stays as it
 * is.
 */
enum rtems_result rtems_realloc(
		struct rtems_heap *heap, uint64_t user, uint64_t bytes, uint64_t *ret_user);

/* Walks all blocks by address: the six figures that are not counters. */
void rtems_heap_walk(const struct rtems_heap *heap, struct rtems_walk *ret_walk);

/* The counters as the target's own words hold them. */
void rtems_heap_counters(const struct rtems_heap *heap, struct rtems_counters *ret_counters);

/* The next free block in list order, from `block` 0 on; 0: there is none. */
uint64_t rtems_heap_next_free(const struct rtems_heap *heap, uint64_t block);

/* The next block by address, from `block` 0 on; 0: there is none. */
uint64_t rtems_heap_next_block(const struct rtems_heap *heap, uint64_t block);

/* Of a block, header included; and whether it is in use. */
uint64_t rtems_block_bytes(const struct rtems_heap *heap, uint64_t block);
bool rtems_block_is_used(const struct rtems_heap *heap, uint64_t block);

/* The largest request that would be granted now; alignment 0: by malloc.  0: none. */
uint64_t rtems_heap_largest(const struct rtems_heap *heap, uint64_t alignment);

/*
 * Bytes in free blocks that stand before a block aligned to `unit` and are smaller than a unit:
 * what lies stranded between aligned blocks.
 */
uint64_t rtems_heap_hole_bytes(const struct rtems_heap *heap, uint64_t unit);

/* All figures of tp/heap_figures.h; `unit`: what carriers are aligned to, in bytes. */
void rtems_heap_figures(
		const struct rtems_heap *heap, uint64_t unit, struct heap_figures *ret_figures);

/* NULL: all is well; otherwise what is wrong with the blocks, the list or the counters. */
const char *rtems_heap_problem(const struct rtems_heap *heap);

#endif
