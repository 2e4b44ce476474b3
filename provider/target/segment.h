/* SPDX-License-Identifier: MIT */
/*
 * Segments: memory.h's mseg functions over pages, with the cache of the runtime's mseg_alloc.
 *
 * There is one instance for each thread that allocates.  Released segments are kept in a few
 * slots and handed out again when they fit well enough.
 * Source: SOURCES.md 6.2, 6.3.
 */
#ifndef CSC_SEGMENT_H
#define CSC_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "memory.h"

/* The runtime's own limit on `+MMmcs`. */
#define SEGMENT_SLOTS_MAX 30
/* Lists of powers of two. */
#define SEGMENT_POWERS 64

/* Where segments come from in turn.  An extent of address 0 is a refusal without effect. */
struct segment_pages {
	/* Weak. */
	void *context;

	struct csc_extent (*map)(void *context, uint64_t size_bytes, uint64_t alignment);
	void (*unmap)(void *context, struct csc_extent extent);
	/* Smaller sizes never fail. */
	struct csc_extent (*remap)(void *context, struct csc_extent extent, uint64_t size_bytes);
};

struct segment_options {
	uint64_t page_bytes;

	/* Alignment of powered segments. */
	uint64_t unit_bytes;

	/* `+MMmcs`, `+MMrmcbf` in percent, `+MMamcbf` in bytes. */
	uint32_t slots;
	uint64_t relative_bad_fit;
	uint64_t absolute_bad_fit;
};

/* A cached segment in a list, newest first. */
struct segment_slot {
	struct csc_extent extent;
	/* Index of an older one; -1: none. */
	int32_t next;
};

/* What mseg_alloc counts, and the figures of its status. */
struct segment_counters {
	uint64_t alloc;
	uint64_t dealloc;
	uint64_t realloc;
	uint64_t create;
	uint64_t destroy;
	uint64_t recreate;
	uint64_t clear_cache;
	uint64_t check_cache;
	uint64_t cache_hits;
	uint64_t segments;
	uint64_t segments_bytes;
	uint64_t segments_max;
	uint64_t segments_bytes_max;
	uint64_t watermark;
	uint64_t cached;
};

struct segment {
	struct segment_options options;
	struct segment_pages pages;
	struct segment_counters counters;

	struct segment_slot slots[SEGMENT_SLOTS_MAX];
	/* Heads of lists; -1: empty. */
	int32_t vacant;
	int32_t unpowered;
	int32_t powered[SEGMENT_POWERS];
};

void segment_init(struct segment *segment, const struct segment_options *options,
		const struct segment_pages *pages);

struct csc_extent segment_alloc(struct segment *segment, uint64_t size_bytes, bool is_powered);
void segment_dealloc(struct segment *segment, struct csc_extent extent, bool is_powered);
struct csc_extent segment_realloc(struct segment *segment, struct csc_extent extent,
		uint64_t size_bytes, struct csc_shrink shrink);

/* Bytes of the cached segments. */
uint64_t segment_cached_bytes(const struct segment *segment);

/* Drops one cached segment, as happens once a second; false: there is none left. */
bool segment_tick(struct segment *segment);

/* Drops all cached segments. */
void segment_clear(struct segment *segment);

#endif
