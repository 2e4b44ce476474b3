/* SPDX-License-Identifier: MIT */
/* Segments and their cache. */
#include "segment.h"

#include <stddef.h>

#define NO_SLOT (-1)

void segment_init(struct segment *segment, const struct segment_options *options,
		const struct segment_pages *pages)
{
	*segment = (struct segment){
		.options = *options,
		.pages = *pages,
		.vacant = NO_SLOT,
		.unpowered = NO_SLOT,
	};
	if (segment->options.slots > SEGMENT_SLOTS_MAX) {
		segment->options.slots = SEGMENT_SLOTS_MAX;
	}
	for (int32_t i = 0; i < (int32_t)segment->options.slots; i++) {
		segment->slots[i].next = segment->vacant;
		segment->vacant = i;
	}
	for (int i = 0; i < SEGMENT_POWERS; i++) {
		segment->powered[i] = NO_SLOT;
	}
}

/* Rounds up; 0: too large. */
static uint64_t segment_round(const struct segment *segment, uint64_t bytes, bool is_powered)
{
	uint64_t step = is_powered ? segment->options.unit_bytes : segment->options.page_bytes;
	uint64_t rounded = (bytes + step - 1) / step * step;

	if (rounded < bytes) {
		return 0;
	}
	if (is_powered) {
		uint64_t power = step;

		while (power && power < rounded) {
			power <<= 1;
		}
		rounded = power;
	}
	return rounded;
}

/* Index of the list for segments of this power of two. */
static int segment_power(uint64_t bytes)
{
	return 63 - __builtin_clzll(bytes);
}

static void segment_unmap(struct segment *segment, struct csc_extent extent)
{
	segment->counters.destroy++;
	segment->pages.unmap(segment->pages.context, extent);
}

static void segment_count(struct segment *segment, uint64_t bytes)
{
	struct segment_counters *counters = &segment->counters;

	counters->segments++;
	counters->segments_bytes += bytes;
	if (counters->segments > counters->segments_max) {
		counters->segments_max = counters->segments;
	}
	if (counters->segments_bytes > counters->segments_bytes_max) {
		counters->segments_bytes_max = counters->segments_bytes;
	}
	if (counters->segments > counters->watermark) {
		counters->watermark = counters->segments;
	}
}

/* Takes a slot out of the list; the slot is vacant then. */
static struct csc_extent segment_pick(struct segment *segment, int32_t *link)
{
	int32_t slot = *link;
	struct csc_extent extent = segment->slots[slot].extent;

	*link = segment->slots[slot].next;
	segment->slots[slot].next = segment->vacant;
	segment->vacant = slot;
	segment->counters.cached--;
	return extent;
}

/* The link to the oldest element of a list that is not empty. */
static int32_t *segment_oldest(struct segment *segment, int32_t *list)
{
	while (segment->slots[*list].next != NO_SLOT) {
		list = &segment->slots[*list].next;
	}
	return list;
}

/* The smallest list of powers that is not empty; NULL: all are. */
static int32_t *segment_smallest(struct segment *segment)
{
	for (int i = 0; i < SEGMENT_POWERS; i++) {
		if (segment->powered[i] != NO_SLOT) {
			return &segment->powered[i];
		}
	}
	return NULL;
}

static struct csc_extent segment_take_powered(struct segment *segment, uint64_t bytes)
{
	for (int i = segment_power(bytes); i < SEGMENT_POWERS; i++) {
		if (segment->powered[i] != NO_SLOT) {
			struct csc_extent extent = segment_pick(segment, &segment->powered[i]);

			if (extent.size_bytes > bytes) {
				segment_unmap(segment,
						(struct csc_extent){
								.address = extent.address + bytes,
								.size_bytes = extent.size_bytes -
										bytes,
						});
				extent.size_bytes = bytes;
			}
			return extent;
		}
	}
	return (struct csc_extent){ 0 };
}

static struct csc_extent segment_take_unpowered(struct segment *segment, uint64_t bytes)
{
	const struct segment_options *options = &segment->options;
	int32_t *best = NULL;
	uint64_t best_excess = 0;

	for (int32_t *link = &segment->unpowered; *link != NO_SLOT;
			link = &segment->slots[*link].next) {
		uint64_t has = segment->slots[*link].extent.size_bytes;

		if (has < bytes) {
			continue;
		}

		uint64_t excess = has - bytes;
		if (100 * excess < options->relative_bad_fit * bytes &&
				excess < options->absolute_bad_fit) {
			return segment_pick(segment, link);
		}
		if (!best || excess < best_excess) {
			best = link;
			best_excess = excess;
		}
	}
	if (!best) {
		return (struct csc_extent){ 0 };
	}
	if (!best_excess) {
		return segment_pick(segment, best);
	}

	/* The front goes, the rest stays where it is in the list. */
	struct csc_extent *rest = &segment->slots[*best].extent;
	struct csc_extent front = { .address = rest->address, .size_bytes = bytes };
	rest->address += bytes;
	rest->size_bytes -= bytes;
	return front;
}

struct csc_extent segment_alloc(struct segment *segment, uint64_t size_bytes, bool is_powered)
{
	uint64_t bytes = segment_round(segment, size_bytes, is_powered);
	struct csc_extent extent = { 0 };

	segment->counters.alloc++;
	if (!bytes) {
		return extent;
	}
	if (is_powered) {
		extent = segment_take_powered(segment, bytes);
	} else {
		extent = segment_take_unpowered(segment, bytes);
	}
	if (extent.address) {
		segment->counters.cache_hits++;
	} else {
		extent = segment->pages.map(segment->pages.context, bytes,
				is_powered ? segment->options.unit_bytes : 0);
		segment->counters.create += extent.address != 0;
	}
	if (extent.address) {
		segment_count(segment, extent.size_bytes);
	}
	return extent;
}

/* Drops the segment that is missed least; false: the cache is empty. */
static bool segment_evict(struct segment *segment, bool is_powered_first)
{
	int32_t *powered = segment_smallest(segment);
	int32_t *list = segment->unpowered != NO_SLOT ? &segment->unpowered : powered;

	if (is_powered_first && powered) {
		list = powered;
	}
	if (!list || *list == NO_SLOT) {
		return false;
	}
	segment_unmap(segment, segment_pick(segment, segment_oldest(segment, list)));
	if (segment->counters.watermark > segment->counters.segments) {
		segment->counters.watermark--;
	}
	return true;
}

void segment_dealloc(struct segment *segment, struct csc_extent extent, bool is_powered)
{
	segment->counters.dealloc++;
	segment->counters.segments--;
	segment->counters.segments_bytes -= extent.size_bytes;
	if (segment->vacant == NO_SLOT && !is_powered) {
		segment_evict(segment, false);
	}

	int32_t slot = segment->vacant;
	if (slot == NO_SLOT) {
		segment_unmap(segment, extent);
		return;
	}

	int32_t *list = is_powered ? &segment->powered[segment_power(extent.size_bytes)]
				   : &segment->unpowered;
	segment->vacant = segment->slots[slot].next;
	segment->slots[slot] = (struct segment_slot){ .extent = extent, .next = *list };
	*list = slot;
	segment->counters.cached++;
}

struct csc_extent segment_realloc(struct segment *segment, struct csc_extent extent,
		uint64_t size_bytes, struct csc_shrink shrink)
{
	uint64_t bytes = segment_round(segment, size_bytes, false);
	struct csc_extent now = extent;

	segment->counters.realloc++;
	if (!bytes) {
		return (struct csc_extent){ 0 };
	}
	if (bytes < extent.size_bytes) {
		uint64_t gain = extent.size_bytes - bytes;

		if (gain < shrink.absolute_bytes &&
				100 * gain < shrink.relative_percent * extent.size_bytes) {
			return extent;
		}
	}
	if (bytes != extent.size_bytes) {
		now = segment->pages.remap(segment->pages.context, extent, bytes);
		if (!now.address) {
			return now;
		}
		segment->counters.recreate++;
		segment->counters.segments_bytes += now.size_bytes - extent.size_bytes;
	}
	return now;
}

static uint64_t segment_list_bytes(const struct segment *segment, int32_t head)
{
	uint64_t bytes = 0;

	for (int32_t at = head; at >= 0; at = segment->slots[at].next) {
		bytes += segment->slots[at].extent.size_bytes;
	}
	return bytes;
}

uint64_t segment_cached_bytes(const struct segment *segment)
{
	uint64_t bytes = segment_list_bytes(segment, segment->unpowered);

	for (uint32_t i = 0; i < SEGMENT_POWERS; i++) {
		bytes += segment_list_bytes(segment, segment->powered[i]);
	}
	return bytes;
}

bool segment_tick(struct segment *segment)
{
	segment->counters.check_cache++;
	segment_evict(segment, true);
	return segment->counters.cached > 0;
}

void segment_clear(struct segment *segment)
{
	segment->counters.clear_cache++;
	while (segment_evict(segment, true)) {
	}
}
