/* SPDX-License-Identifier: MIT */
/* A super carrier. */
#include "super.h"

#include <stdlib.h>
#include <string.h>

/* Size of a descriptor, in bytes, and how many there are at least. */
#define DESCRIPTOR_BYTES 64
#define DESCRIPTORS_MIN 100

static uint64_t round_up(uint64_t value, uint64_t step)
{
	return (value + step - 1) & ~(step - 1);
}

enum csc_status super_init(struct super *super, struct csc_extent area, uint64_t unit_bytes,
		uint64_t page_bytes, uint64_t descriptors)
{
	uint64_t count = descriptors < DESCRIPTORS_MIN ? DESCRIPTORS_MIN : descriptors;
	uint64_t bottom = round_up(area.address + count * DESCRIPTOR_BYTES, unit_bytes);
	uint64_t top = (area.address + area.size_bytes) & ~(page_bytes - 1);

	if (bottom < area.address || bottom >= top) {
		return CSC_ERROR;
	}
	*super = (struct super){
		.unit_bytes = unit_bytes,
		.page_bytes = page_bytes,
		.bottom = bottom,
		.aligned_top = bottom,
		.unaligned_bottom = top,
		.top = top,
		.descriptors = (size_t)((bottom - area.address) / DESCRIPTOR_BYTES),
	};
	return CSC_OK;
}

void super_finish(struct super *super)
{
	free(super->aligned.extents);
	free(super->unaligned.extents);
	super->aligned = (struct super_list){ 0 };
	super->unaligned = (struct super_list){ 0 };
}

static void list_remove(struct super_list *list, size_t index)
{
	list->count--;
	memmove(&list->extents[index], &list->extents[index + 1],
			(list->count - index) * sizeof(*list->extents));
}

/* Inserts by address and merges with neighbours; without memory the segment is lost. */
static enum csc_status list_insert(struct super_list *list, struct csc_extent extent)
{
	size_t index = 0;

	while (index < list->count && list->extents[index].address < extent.address) {
		index++;
	}
	if (index > 0) {
		struct csc_extent *before = &list->extents[index - 1];

		if (before->address + before->size_bytes == extent.address) {
			extent.address = before->address;
			extent.size_bytes += before->size_bytes;
			list_remove(list, --index);
		}
	}
	if (index < list->count &&
			extent.address + extent.size_bytes == list->extents[index].address) {
		extent.size_bytes += list->extents[index].size_bytes;
		list_remove(list, index);
	}
	if (list->count == list->room) {
		size_t room = list->room ? list->room * 2 : 64;
		void *moved = realloc(list->extents, room * sizeof(*list->extents));

		if (!moved) {
			return CSC_NO_MEMORY;
		}
		list->extents = moved;
		list->room = room;
	}
	memmove(&list->extents[index + 1], &list->extents[index],
			(list->count - index) * sizeof(*list->extents));
	list->extents[index] = extent;
	list->count++;
	return CSC_OK;
}

/* Enters a free segment where it lies; one that touches the gap widens it. */
static void super_enter(struct super *super, struct csc_extent extent)
{
	if (!extent.size_bytes) {
		return;
	}
	if (extent.address < super->aligned_top) {
		struct super_list *list = &super->aligned;

		if (list_insert(list, extent) != CSC_OK) {
			return;
		}
		extent = list->extents[list->count - 1];
		if (extent.address + extent.size_bytes == super->aligned_top) {
			super->aligned_top = extent.address;
			list->count--;
		}
		return;
	}
	if (list_insert(&super->unaligned, extent) != CSC_OK) {
		return;
	}
	extent = super->unaligned.extents[0];
	if (extent.address == super->unaligned_bottom) {
		super->unaligned_bottom += extent.size_bytes;
		list_remove(&super->unaligned, 0);
	}
}

/* Cuts `size_bytes` at `address` out of a free segment of a list. */
static struct csc_extent super_cut(struct super *super, struct super_list *list, size_t index,
		uint64_t address, uint64_t size_bytes)
{
	struct csc_extent whole = list->extents[index];
	struct csc_extent taken = { .address = address, .size_bytes = size_bytes };
	uint64_t end = whole.address + whole.size_bytes;

	list_remove(list, index);
	super_enter(super,
			(struct csc_extent){
					.address = whole.address,
					.size_bytes = address - whole.address,
			});
	super_enter(super,
			(struct csc_extent){
					.address = address + size_bytes,
					.size_bytes = end - address - size_bytes,
			});
	return taken;
}

static struct csc_extent super_alloc_unaligned(struct super *super, uint64_t bytes)
{
	struct super_list *list = &super->unaligned;
	size_t best = list->count;
	uint64_t wide = round_up(bytes, super->unit_bytes);

	/* Smallest that suffices; of equals the highest. */
	for (size_t i = 0; i < list->count; i++) {
		if (list->extents[i].size_bytes >= bytes &&
				(best == list->count ||
						list->extents[i].size_bytes <=
								list->extents[best].size_bytes)) {
			best = i;
		}
	}
	if (best < list->count) {
		struct csc_extent *found = &list->extents[best];

		return super_cut(super, list, best, found->address + found->size_bytes - bytes,
				bytes);
	}
	if (bytes <= super->unaligned_bottom - super->aligned_top) {
		super->unaligned_bottom -= bytes;
		return (struct csc_extent){ super->unaligned_bottom, bytes };
	}
	list = &super->aligned;
	best = list->count;
	for (size_t i = 0; i < list->count; i++) {
		if (list->extents[i].size_bytes >= wide &&
				(best == list->count ||
						list->extents[i].size_bytes <
								list->extents[best].size_bytes)) {
			best = i;
		}
	}
	if (best < list->count) {
		return super_cut(super, list, best, list->extents[best].address, bytes);
	}
	return (struct csc_extent){ 0 };
}

static struct csc_extent super_alloc_aligned(struct super *super, uint64_t bytes)
{
	struct super_list *list = &super->aligned;
	size_t best = list->count;
	uint64_t best_bytes = 0;
	uint64_t start;

	/* By the size that is left when the start is aligned, then by address. */
	for (size_t i = 0; i < list->count; i++) {
		struct csc_extent *extent = &list->extents[i];
		uint64_t hole = round_up(extent->address, super->unit_bytes) - extent->address;
		uint64_t usable = extent->size_bytes > hole ? extent->size_bytes - hole : 0;

		if (usable >= bytes && (best == list->count || usable < best_bytes)) {
			best = i;
			best_bytes = usable;
		}
	}
	if (best < list->count) {
		start = round_up(list->extents[best].address, super->unit_bytes);
		return super_cut(super, list, best, start, bytes);
	}
	start = round_up(super->aligned_top, super->unit_bytes);
	if (start <= super->unaligned_bottom && bytes <= super->unaligned_bottom - start) {
		struct csc_extent hole = {
			.address = super->aligned_top,
			.size_bytes = start - super->aligned_top,
		};

		super->aligned_top = start + bytes;
		super_enter(super, hole);
		return (struct csc_extent){ start, bytes };
	}
	list = &super->unaligned;
	for (size_t i = 0; i < list->count; i++) {
		struct csc_extent *extent = &list->extents[i];

		start = round_up(extent->address, super->unit_bytes);
		if (start - extent->address < extent->size_bytes &&
				bytes <= extent->size_bytes - (start - extent->address)) {
			return super_cut(super, list, i, start, bytes);
		}
	}
	return (struct csc_extent){ 0 };
}

struct csc_extent super_alloc(struct super *super, uint64_t size_bytes, bool is_aligned)
{
	if (super->aligned.count + super->unaligned.count + 2 > super->descriptors ||
			size_bytes > super->top - super->bottom) {
		return (struct csc_extent){ 0 };
	}
	return is_aligned ? super_alloc_aligned(super, size_bytes)
			  : super_alloc_unaligned(super, size_bytes);
}

void super_free(struct super *super, struct csc_extent extent)
{
	super_enter(super, extent);
}

struct csc_extent super_realloc(struct super *super, struct csc_extent extent, uint64_t size_bytes)
{
	uint64_t end = extent.address + extent.size_bytes;
	bool is_aligned = extent.address < super->aligned_top;
	struct super_list *list = is_aligned ? &super->aligned : &super->unaligned;

	if (size_bytes <= extent.size_bytes) {
		super_enter(super,
				(struct csc_extent){
						.address = extent.address + size_bytes,
						.size_bytes = extent.size_bytes - size_bytes,
				});
		return (struct csc_extent){ extent.address, size_bytes };
	}
	for (size_t i = 0; i < list->count; i++) {
		if (list->extents[i].address == end &&
				list->extents[i].size_bytes >= size_bytes - extent.size_bytes) {
			super_cut(super, list, i, end, size_bytes - extent.size_bytes);
			return (struct csc_extent){ extent.address, size_bytes };
		}
	}
	if (is_aligned && end == super->aligned_top &&
			size_bytes - extent.size_bytes <=
					super->unaligned_bottom - super->aligned_top) {
		super->aligned_top = extent.address + size_bytes;
		return (struct csc_extent){ extent.address, size_bytes };
	}
	return (struct csc_extent){ 0 };
}
