/* SPDX-License-Identifier: MIT */
/*
 * The memory of this machine: segments by mmap(2) with the runtime's cache, sys_alloc by malloc(3)
 * and posix_memalign(3), and on request a super carrier.
 * Source: SOURCES.md 6.
 */
#ifndef CSC_LINUX_H
#define CSC_LINUX_H

#include <stdbool.h>
#include <stdint.h>

#include "memory.h"
#include "segment.h"

struct linux_options {
	/* Segment instances: one for each scheduler and one for all other threads. */
	uint32_t mseg_count;
	struct segment_options segment;

	/* Nobody reads what is in blocks. */
	bool without_contents;

	/* `+MMscs` in bytes; 0: no super carrier.  `+MMsco`: nothing outside of it. */
	uint64_t super_bytes;
	bool has_super_only;

	/*
	 * Segments outside of it lie where mmap(2) would put them within so many bytes of addresses
	 * (placement.h); 0: mmap(2) itself is asked.
	 */
	uint64_t placed_bytes;

	/* `+MMscrfsd`: descriptors for free segments; takes part of the super carrier. */
	uint64_t super_descriptors;

	/*
	 * `+MIscs`: what literals have, in bytes, descriptors included; 0 with a limit: nothing.
	 * Without a limit the area is as large as the system makes it.
	 * Differs: native code (24rc0) has an area of its own there, here it shares this one.
	 */
	bool has_area_limit;
	uint64_t area_bytes;
	uint64_t area_descriptors;
};

struct linux_target;

/* NULL: no memory, or the super carrier cannot be reserved. */
struct linux_target *linux_target_create(const struct linux_options *options);
/* Gives back the caches and the super carrier; carriers must be gone. */
void linux_target_destroy(struct linux_target *target);

const struct csc_memory *linux_target_memory(struct linux_target *target);

/*
 * What malloc(3) maps by itself, among the segments, never in a super carrier.  Only with
 * `placed_bytes`.  Address 0: there is no room, or, when resized, none behind it.
 */
struct csc_extent linux_target_map(
		struct linux_target *target, uint64_t size_bytes, uint64_t alignment);
void linux_target_unmap(struct linux_target *target, struct csc_extent extent);
struct csc_extent linux_target_resize(
		struct linux_target *target, struct csc_extent extent, uint64_t size_bytes);

/* One second has passed for the segment cache of an instance. */
void linux_target_tick(struct linux_target *target, uint32_t mseg);

/* Bytes that the segment caches of all instances keep. */
uint64_t linux_target_cached_bytes(const struct linux_target *target);

/* The figures of a segment instance. */
const struct segment_counters *linux_target_counters(
		const struct linux_target *target, uint32_t mseg);

#endif
