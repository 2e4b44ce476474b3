/* SPDX-License-Identifier: MIT */
/*
 * Where mmap(2) of Linux puts mappings: a model over one reserved area, so that what depends on
 * addresses can be repeated.
 *
 * The kernel looks for room from the top downwards and takes the highest gap that is large enough,
 * at its upper end.  Mappings whose size is a multiple of a huge page begin at one, where a gap has
 * room for that (Linux 6.7 and later); others begin at any page.
 */
#ifndef CSC_PLACEMENT_H
#define CSC_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "memory.h"

struct placement {
	uint64_t page_bytes;

	/* 0: mappings begin at any page, as before Linux 6.7. */
	uint64_t huge_bytes;

	/* By address, none next to another. */
	struct csc_extent *gaps;
	size_t count;
	size_t room;
};

/* Returns CSC_NO_MEMORY if there is none.  Addresses depend on those of the area only by what it is
 * aligned to. */
enum csc_status placement_init(struct placement *placement, struct csc_extent area,
		uint64_t page_bytes, uint64_t huge_bytes);
void placement_finish(struct placement *placement);

/*
 * At a multiple of `alignment`, which may be 0: what is not found so is mapped with as much more,
 * and the ends are given back.  Address 0: there is no room.
 */
struct csc_extent placement_map(
		struct placement *placement, uint64_t size_bytes, uint64_t alignment);

/* Any part of what was mapped. */
void placement_unmap(struct placement *placement, struct csc_extent extent);

/* In place only, as mremap(2) tries first; address 0: not possible. */
struct csc_extent placement_resize(
		struct placement *placement, struct csc_extent extent, uint64_t size_bytes);

#endif
