/* SPDX-License-Identifier: MIT */
/*
 * A super carrier: one reserved area from which all segments are cut.
 *
 *	[ descriptors | aligned segments -> ...  gap  ... <- unaligned segments ]
 *
 * Aligned segments (multiples of the carrier unit) grow upwards from the bottom, unaligned ones
 * (multiples of a page) downwards from the top.  Free segments that touch each other merge; one
 * that touches the gap becomes part of it.
 * Source: SOURCES.md 6.4.
 */
#ifndef CSC_SUPER_H
#define CSC_SUPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "memory.h"

/* Free segments of one area, by address. */
struct super_list {
	struct csc_extent *extents;
	size_t count;
	size_t room;
};

struct super {
	uint64_t unit_bytes;
	uint64_t page_bytes;

	/* Where aligned segments start, where they end, where unaligned ones start, and the end. */
	uint64_t bottom;
	uint64_t aligned_top;
	uint64_t unaligned_bottom;
	uint64_t top;

	struct super_list aligned;
	struct super_list unaligned;

	/* Most free segments that can be recorded. */
	size_t descriptors;
};

/* Returns CSC_ERROR if no room is left behind the descriptors. */
enum csc_status super_init(struct super *super, struct csc_extent area, uint64_t unit_bytes,
		uint64_t page_bytes, uint64_t descriptors);
void super_finish(struct super *super);

/* Address 0: there is no room. */
struct csc_extent super_alloc(struct super *super, uint64_t size_bytes, bool is_aligned);
void super_free(struct super *super, struct csc_extent extent);

/* In place only, of an unaligned segment; address 0: not possible. */
struct csc_extent super_realloc(struct super *super, struct csc_extent extent, uint64_t size_bytes);

#endif
