/*
 * SPDX-License-Identifier: MIT
 *
 * The figures of a heap below the allocators, as event heap_state has them.  One list: the event's
 * fields, what a board prints and what reads it are made of it.  LTTng takes at most ten arguments
 * an event, so they travel as one.
 */
#ifndef CSC_HEAP_FIGURES_H
#define CSC_HEAP_FIGURES_H

#include <stdint.h>

/*
 * What the shell command `malloc` of RTEMS prints, in its order: X(name, line, unit, meaning).
 * Sizes of blocks have headers included.
 */
/* clang-format off */
#define HEAP_PRINTED(X) \
	X(free_blocks, "Number of free blocks:", "count", \
			"Free blocks") \
	X(free_largest, "Largest free block:", "bytes", \
			"Largest free block, header included") \
	X(free_bytes, "Total bytes free:", "bytes", \
			"Sum of free blocks, headers included") \
	X(used_blocks, "Number of used blocks:", "count", \
			"Used blocks") \
	X(used_largest, "Largest used block:", "bytes", \
			"Largest used block, header included") \
	X(used_bytes, "Total bytes used:", "bytes", \
			"Sum of used blocks, headers included") \
	X(size_bytes, "Size of the allocatable area in bytes:", "bytes", \
			"Size of the allocatable area") \
	X(min_free_bytes, "Minimum free size ever in bytes:", "bytes", \
			"Least that was ever free") \
	X(max_free_blocks, "Maximum number of free blocks ever:", "count", \
			"Most free blocks ever, as RTEMS counts it: may be below the number of now") \
	X(max_searched, "Maximum number of blocks searched ever:", "count", \
			"Most blocks looked at for one request") \
	X(allocated_bytes, "Lifetime number of bytes allocated:", "bytes", \
			"Bytes of blocks when they were allocated, sum") \
	X(freed_bytes, "Lifetime number of bytes freed:", "bytes", \
			"Bytes of blocks when they were freed, sum") \
	X(searches, "Total number of searches:", "count", \
			"Blocks looked at for requests that were granted") \
	X(allocs, "Total number of successful allocations:", "count", \
			"Successful allocations") \
	X(failed_allocs, "Total number of failed allocations:", "count", \
			"Failed allocations") \
	X(frees, "Total number of successful frees:", "count", \
			"Successful frees") \
	X(resizes, "Total number of successful resizes:", "count", \
			"Resizes in place")

/* What nothing prints. */
#define HEAP_UNPRINTED(X) \
	X(largest_plain, "", "bytes", \
			"Largest request without alignment that would be granted") \
	X(largest_carrier, "", "bytes", \
			"Largest request aligned to the carrier unit that would be granted") \
	X(hole_bytes, "", "bytes", \
			"Bytes of free blocks smaller than a carrier unit before an aligned block")

#define HEAP_FIGURES(X) HEAP_PRINTED(X) HEAP_UNPRINTED(X)
/* clang-format on */

#define HEAP_MEMBER(name, line, unit, meaning) uint64_t name;
struct heap_figures {
	HEAP_FIGURES(HEAP_MEMBER)
};
#undef HEAP_MEMBER

#endif
