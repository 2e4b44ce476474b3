/* SPDX-License-Identifier: MIT */
/* Where mmap(2) puts mappings. */
#include "placement.h"

#include <stdlib.h>
#include <string.h>

static uint64_t end_of(struct csc_extent extent)
{
	return extent.address + extent.size_bytes;
}

static uint64_t pages(const struct placement *placement, uint64_t bytes)
{
	return (bytes + placement->page_bytes - 1) & ~(placement->page_bytes - 1);
}

enum csc_status placement_init(struct placement *placement, struct csc_extent area,
		uint64_t page_bytes, uint64_t huge_bytes)
{
	*placement = (struct placement){
		.page_bytes = page_bytes,
		.huge_bytes = huge_bytes,
		.gaps = calloc(64, sizeof(*placement->gaps)),
		.count = 1,
		.room = 64,
	};
	if (!placement->gaps) {
		return CSC_NO_MEMORY;
	}
	/* The top of a process is a page somewhere, and no multiple of anything larger. */
	placement->gaps[0] = area;
	placement->gaps[0].size_bytes -= page_bytes;
	return CSC_OK;
}

void placement_finish(struct placement *placement)
{
	free(placement->gaps);
	*placement = (struct placement){ 0 };
}

/* The first gap that does not end before the address. */
static size_t find_gap(const struct placement *placement, uint64_t address)
{
	size_t low = 0;
	size_t high = placement->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (end_of(placement->gaps[middle]) < address) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

static void drop_gap(struct placement *placement, size_t index)
{
	placement->count--;
	memmove(&placement->gaps[index], &placement->gaps[index + 1],
			(placement->count - index) * sizeof(*placement->gaps));
}

/* Without memory what lies there is lost. */
static enum csc_status insert_gap(struct placement *placement, size_t index, struct csc_extent gap)
{
	if (placement->count == placement->room) {
		size_t room = placement->room ? 2 * placement->room : 64;
		struct csc_extent *grown = realloc(placement->gaps, room * sizeof(*grown));

		if (!grown) {
			return CSC_NO_MEMORY;
		}
		placement->gaps = grown;
		placement->room = room;
	}
	memmove(&placement->gaps[index + 1], &placement->gaps[index],
			(placement->count - index) * sizeof(*placement->gaps));
	placement->gaps[index] = gap;
	placement->count++;
	return CSC_OK;
}

/* Takes a part of a gap. */
static struct csc_extent cut(struct placement *placement, size_t index, struct csc_extent part)
{
	struct csc_extent *gap = &placement->gaps[index];
	uint64_t end = end_of(*gap);

	gap->size_bytes = part.address - gap->address;
	if (end > end_of(part)) {
		struct csc_extent above = { end_of(part), end - end_of(part) };

		if (gap->size_bytes == 0) {
			*gap = above;
		} else {
			(void)insert_gap(placement, index + 1, above);
		}
	} else if (gap->size_bytes == 0) {
		drop_gap(placement, index);
	}
	return part;
}

/* The upper end of the highest gap; the number of gaps: there is none. */
static size_t highest(const struct placement *placement, uint64_t size_bytes)
{
	size_t i = placement->count;

	while (i > 0 && placement->gaps[i - 1].size_bytes < size_bytes) {
		i--;
	}
	return i > 0 ? i - 1 : placement->count;
}

/* Where one call of mmap(2) puts it. */
static struct csc_extent map_once(struct placement *placement, uint64_t size_bytes)
{
	uint64_t huge = placement->huge_bytes;
	size_t found;
	uint64_t address;

	if (huge && size_bytes % huge == 0 && size_bytes + huge > size_bytes) {
		found = highest(placement, size_bytes + huge);
		if (found < placement->count) {
			address = end_of(placement->gaps[found]) - size_bytes - huge;
			address = (address | (huge - 1)) + 1;
			return cut(placement, found, (struct csc_extent){ address, size_bytes });
		}
	}
	found = highest(placement, size_bytes);
	if (found == placement->count) {
		return (struct csc_extent){ 0 };
	}
	address = end_of(placement->gaps[found]) - size_bytes;
	return cut(placement, found, (struct csc_extent){ address, size_bytes });
}

struct csc_extent placement_map(
		struct placement *placement, uint64_t size_bytes, uint64_t alignment)
{
	uint64_t bytes = pages(placement, size_bytes);
	struct csc_extent found;
	uint64_t start;

	if (bytes < size_bytes || bytes == 0 || bytes + alignment < bytes) {
		return (struct csc_extent){ 0 };
	}
	found = map_once(placement, bytes);
	if (!found.address || !alignment || (found.address & (alignment - 1)) == 0) {
		found.size_bytes = found.address ? size_bytes : 0;
		return found;
	}
	placement_unmap(placement, found);
	found = map_once(placement, bytes + alignment);
	if (!found.address) {
		return found;
	}
	start = (found.address + alignment - 1) & ~(alignment - 1);
	placement_unmap(placement, (struct csc_extent){ found.address, start - found.address });
	placement_unmap(placement,
			(struct csc_extent){ start + bytes, end_of(found) - start - bytes });
	return (struct csc_extent){ start, size_bytes };
}

void placement_unmap(struct placement *placement, struct csc_extent extent)
{
	size_t at;

	extent.size_bytes = pages(placement, extent.size_bytes);
	if (extent.size_bytes == 0) {
		return;
	}
	at = find_gap(placement, extent.address);
	if (at < placement->count && end_of(placement->gaps[at]) == extent.address) {
		struct csc_extent *gap = &placement->gaps[at];

		gap->size_bytes += extent.size_bytes;
		if (at + 1 < placement->count && end_of(*gap) == gap[1].address) {
			gap->size_bytes += gap[1].size_bytes;
			drop_gap(placement, at + 1);
		}
	} else if (at < placement->count && placement->gaps[at].address == end_of(extent)) {
		placement->gaps[at].address = extent.address;
		placement->gaps[at].size_bytes += extent.size_bytes;
	} else {
		(void)insert_gap(placement, at, extent);
	}
}

struct csc_extent placement_resize(
		struct placement *placement, struct csc_extent extent, uint64_t size_bytes)
{
	uint64_t before = pages(placement, extent.size_bytes);
	uint64_t now = pages(placement, size_bytes);
	size_t at;

	if (now < size_bytes) {
		return (struct csc_extent){ 0 };
	}
	if (now < before) {
		placement_unmap(placement,
				(struct csc_extent){ extent.address + now, before - now });
	} else if (now > before) {
		struct csc_extent more = { extent.address + before, now - before };

		at = find_gap(placement, more.address);
		/* One that ends there is below. */
		at += at < placement->count && end_of(placement->gaps[at]) == more.address;
		if (at >= placement->count || placement->gaps[at].address != more.address ||
				placement->gaps[at].size_bytes < more.size_bytes) {
			return (struct csc_extent){ 0 };
		}
		(void)cut(placement, at, more);
	}
	return (struct csc_extent){ extent.address, size_bytes };
}
