/* SPDX-License-Identifier: MIT */
/*
 * Where carriers come from: the one seam through which the core gets memory.
 *
 * Addresses are those of the target.  The core reaches target address A at host address
 * `bias + A` (modulo 2^64), so that a target may live at its own addresses (bias 0), at scripted
 * ones or in a window of 4 GiB.
 */
#ifndef CSC_MEMORY_H
#define CSC_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* A piece of target memory. */
struct csc_extent {
	/* 0: there is none. */
	uint64_t address;

	uint64_t size_bytes;
};

/* How far a segment may shrink before it is cut, see csc_memory.mseg_realloc. */
struct csc_shrink {
	/* `asbcst`: a smaller difference than this may be kept, in bytes. */
	uint64_t absolute_bytes;

	/* `rsbcst`: and only if it is below this share of the old size, in percent. */
	uint64_t relative_percent;
};

/* The figures of a heap below the allocators, tp/heap_figures.h: the core passes them on. */
struct heap_figures;
typedef void csc_heap_receiver(void *context, const struct heap_figures *figures);

struct csc_memory {
	/* Weak: handed back to every function. */
	void *context;

	/* What is added to a target address to reach it. */
	uint64_t bias;

	/* Page size of the target, in bytes. */
	uint64_t page_bytes;

	/* Segments exist; false on a target without mmap, whose mseg functions may be NULL. */
	bool has_mseg;

	/* User data is worth copying when a block moves. */
	bool has_contents;

	/*
	 * Segments.  `mseg` is the segment instance of the calling thread.  A powered segment
	 * is aligned to the carrier unit and a power of two; others are page multiples.  The
	 * returned extent may be larger than asked for; address 0: refused, nothing happened.
	 */
	struct csc_extent (*mseg_alloc)(
			void *context, uint32_t mseg, uint64_t size_bytes, bool is_powered);
	void (*mseg_dealloc)(
			void *context, uint32_t mseg, struct csc_extent extent, bool is_powered);
	/* Never powered.  On refusal the old extent stays as it is. */
	struct csc_extent (*mseg_realloc)(void *context, uint32_t mseg, struct csc_extent extent,
			uint64_t size_bytes, struct csc_shrink shrink);
	/* Number of live segments of the instance. */
	uint64_t (*mseg_segments)(void *context, uint32_t mseg);

	/*
	 * Segments for literals and native code, which lie in an area of their own, never cached:
	 * for multi-block carriers multiples of the carrier unit, aligned to it; for single-block
	 * carriers multiples of a page, alignment 0.  NULL: there is no such area.  A refused
	 * realloc leaves the old extent as it is.
	 */
	struct csc_extent (*area_alloc)(void *context, uint64_t size_bytes, uint64_t alignment);
	struct csc_extent (*area_realloc)(
			void *context, struct csc_extent extent, uint64_t size_bytes);
	void (*area_dealloc)(void *context, struct csc_extent extent);

	/* malloc (alignment 0) or posix_memalign; address 0: refused. */
	struct csc_extent (*sys_alloc)(
			void *context, uint32_t mseg, uint64_t size_bytes, uint64_t alignment);
	void (*sys_free)(void *context, struct csc_extent extent);
	struct csc_extent (*sys_realloc)(void *context, uint32_t mseg, struct csc_extent extent,
			uint64_t size_bytes);

	/* Calls `receive` with the figures of the heap from which sys_alloc takes; NULL: nobody
	 * knows. */
	void (*heap_state)(void *context, csc_heap_receiver *receive, void *receiver);
};

/* Members of a csc_memory whose functions are named after its target: linux_mseg_alloc() ... */
#define CSC_MEMORY_MSEG(target)                                                   \
	.mseg_alloc = target##_mseg_alloc, .mseg_dealloc = target##_mseg_dealloc, \
	.mseg_realloc = target##_mseg_realloc, .mseg_segments = target##_mseg_segments
#define CSC_MEMORY_SYS(target)                                          \
	.sys_alloc = target##_sys_alloc, .sys_free = target##_sys_free, \
	.sys_realloc = target##_sys_realloc

/* The headers of a single-block carrier and of its block are no larger, in bytes. */
#define CSC_SINGLE_HEADERS_MAX UINT64_C(64)

/* What a target must keep of a single-block carrier when it moves to another size, in bytes. */
static inline uint64_t csc_memory_kept(
		const struct csc_memory *memory, uint64_t old_bytes, uint64_t now_bytes)
{
	uint64_t kept = old_bytes < now_bytes ? old_bytes : now_bytes;

	return memory->has_contents || kept < CSC_SINGLE_HEADERS_MAX ? kept
								     : CSC_SINGLE_HEADERS_MAX;
}

#endif
