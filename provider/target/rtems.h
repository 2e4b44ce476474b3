/* SPDX-License-Identifier: MIT */
/*
 * The memory of a board: carriers from the heap of RTEMS at the board's own addresses.
 *
 * mmap fails or is not there.  A request that fails is tried once more, as the runtime does it
 * when it has emptied its segment cache.
 * Source: SOURCES.md 12, 15, 16.2.
 */
#ifndef CSC_RTEMS_H
#define CSC_RTEMS_H

#include <stdbool.h>
#include <stdint.h>

#include "memory.h"
#include "rtems_heap.h"

struct rtems_options {
	struct rtems_area area;

	/* Of aligned carriers, in bytes. */
	uint64_t unit_bytes;

	/* mmap is there and fails; otherwise the runtime was built without it. */
	bool has_mseg;
};

struct rtems_target;

/*
 * NULL: there is no memory for the area, or no heap can be made of it.  The area is mapped at its
 * own address if that is vacant in this process, and elsewhere if not: csc_memory.bias.
 */
struct rtems_target *rtems_target_create(const struct rtems_options *options);
void rtems_target_destroy(struct rtems_target *target);

const struct csc_memory *rtems_target_memory(struct rtems_target *target);

/* The heap itself, for who takes from it beside the runtime. */
struct rtems_heap *rtems_target_heap(struct rtems_target *target);

#endif
