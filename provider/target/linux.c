/* SPDX-License-Identifier: MIT */
/* The memory of this machine. */
#include "linux.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "arena.h"
#include "placement.h"
#include "super.h"

/* Of this kind of machine, in bytes. */
#define HUGE_BYTES (UINT64_C(1) << 21)

/* Addresses of a super carrier; `start` NULL: there is none. */
struct reservation {
	struct super super;
	void *start;
	uint64_t size_bytes;
};

struct linux_target {
	struct linux_options options;
	struct csc_memory memory;
	struct segment *segments;

	/* Shared by all threads. */
	pthread_mutex_t super_lock;
	struct reservation super;

	/* Literals and native code. */
	struct reservation area;

	/* Under the same lock: instead of mmap(2); `placed` is where, and may not be open. */
	struct placement placement;
	struct arena placed;
};

static struct csc_extent extent_of(void *address, uint64_t size_bytes)
{
	return (struct csc_extent){
		.address = address ? (uint64_t)(uintptr_t)address : 0,
		.size_bytes = size_bytes,
	};
}

static void *address_of(struct csc_extent extent)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of the target are numbers. */
	return (void *)(uintptr_t)extent.address;
}

/* Maps so that the address is a multiple of `alignment`, which may be 0. */
static struct csc_extent os_map(uint64_t size_bytes, uint64_t alignment)
{
	const int protection = PROT_READ | PROT_WRITE;
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	char *found = mmap(NULL, size_bytes, protection, flags, -1, 0);
	uint64_t excess;

	if (found == MAP_FAILED) {
		return extent_of(NULL, 0);
	}
	if (!alignment || !((uintptr_t)found & (alignment - 1))) {
		return extent_of(found, size_bytes);
	}
	munmap(found, size_bytes);
	if (size_bytes + alignment < size_bytes) {
		return extent_of(NULL, 0);
	}
	found = mmap(NULL, size_bytes + alignment, protection, flags, -1, 0);
	if (found == MAP_FAILED) {
		return extent_of(NULL, 0);
	}
	excess = (alignment - ((uintptr_t)found & (alignment - 1))) & (alignment - 1);
	if (excess) {
		munmap(found, excess);
	}
	if (excess < alignment) {
		munmap(found + excess + size_bytes, alignment - excess);
	}
	return extent_of(found + excess, size_bytes);
}

static bool is_within(const void *start, uint64_t size_bytes, struct csc_extent extent)
{
	uint64_t first = (uint64_t)(uintptr_t)start;

	return start && extent.address >= first && extent.address - first < size_bytes;
}

static bool is_in(const struct reservation *reservation, struct csc_extent extent)
{
	return is_within(reservation->start, reservation->size_bytes, extent);
}

static bool is_placed(const struct linux_target *target, struct csc_extent extent)
{
	return is_within(target->placed.start, target->placed.size_bytes, extent);
}

static struct csc_extent reservation_alloc(struct linux_target *target,
		struct reservation *reservation, uint64_t size_bytes, bool is_aligned)
{
	struct csc_extent extent = { 0 };

	if (reservation->start) {
		pthread_mutex_lock(&target->super_lock);
		extent = super_alloc(&reservation->super, size_bytes, is_aligned);
		pthread_mutex_unlock(&target->super_lock);
	}
	return extent;
}

static void reservation_free(struct linux_target *target, struct reservation *reservation,
		struct csc_extent extent)
{
	/* Reserved, not committed: the pages go, the addresses stay. */
	madvise(address_of(extent), extent.size_bytes, MADV_DONTNEED);
	pthread_mutex_lock(&target->super_lock);
	super_free(&reservation->super, extent);
	pthread_mutex_unlock(&target->super_lock);
}

/* In place; address 0: not possible. */
static struct csc_extent reservation_resize(struct linux_target *target,
		struct reservation *reservation, struct csc_extent extent, uint64_t size_bytes)
{
	struct csc_extent now;

	pthread_mutex_lock(&target->super_lock);
	now = super_realloc(&reservation->super, extent, size_bytes);
	pthread_mutex_unlock(&target->super_lock);
	return now;
}

static void copy_extent(
		const struct linux_target *target, struct csc_extent from, struct csc_extent to)
{
	__builtin_memcpy(address_of(to), address_of(from),
			csc_memory_kept(&target->memory, from.size_bytes, to.size_bytes));
}

struct csc_extent linux_target_map(
		struct linux_target *target, uint64_t size_bytes, uint64_t alignment)
{
	struct csc_extent extent;

	pthread_mutex_lock(&target->super_lock);
	extent = placement_map(&target->placement, size_bytes, alignment);
	pthread_mutex_unlock(&target->super_lock);
	return extent;
}

static struct csc_extent linux_map(void *context, uint64_t size_bytes, uint64_t alignment)
{
	struct linux_target *target = context;
	struct csc_extent extent =
			reservation_alloc(target, &target->super, size_bytes, alignment != 0);

	if (extent.address || (target->super.start && target->options.has_super_only)) {
		return extent;
	}
	return target->placed.start ? linux_target_map(target, size_bytes, alignment)
				    : os_map(size_bytes, alignment);
}

/* With contents new pages are zero, as those of mmap(2) are. */
static void forget_placed(struct linux_target *target, uint64_t address, uint64_t size_bytes)
{
	if (target->options.without_contents) {
		arena_forget(&target->placed, address, size_bytes);
	} else {
		/* NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of the target. */
		madvise((void *)(uintptr_t)address, size_bytes, MADV_DONTNEED);
	}
}

static void linux_unmap(void *context, struct csc_extent extent)
{
	struct linux_target *target = context;

	if (is_in(&target->super, extent)) {
		reservation_free(target, &target->super, extent);
	} else if (is_placed(target, extent)) {
		forget_placed(target, extent.address, extent.size_bytes);
		pthread_mutex_lock(&target->super_lock);
		placement_unmap(&target->placement, extent);
		pthread_mutex_unlock(&target->super_lock);
	} else {
		munmap(address_of(extent), extent.size_bytes);
	}
}

/* What becomes smaller gives its pages back; the addresses stay reserved. */
static struct csc_extent placed_resize(
		struct linux_target *target, struct csc_extent extent, uint64_t size_bytes)
{
	struct csc_extent now;

	if (size_bytes < extent.size_bytes) {
		uint64_t page = target->options.segment.page_bytes;
		uint64_t kept = (size_bytes + page - 1) & ~(page - 1);

		if (kept < extent.size_bytes) {
			forget_placed(target, extent.address + kept, extent.size_bytes - kept);
		}
	}
	pthread_mutex_lock(&target->super_lock);
	now = placement_resize(&target->placement, extent, size_bytes);
	pthread_mutex_unlock(&target->super_lock);
	return now;
}

void linux_target_unmap(struct linux_target *target, struct csc_extent extent)
{
	linux_unmap(target, extent);
}

struct csc_extent linux_target_resize(
		struct linux_target *target, struct csc_extent extent, uint64_t size_bytes)
{
	return placed_resize(target, extent, size_bytes);
}

/* In place, or else elsewhere. */
static struct csc_extent reserved_resize(
		struct linux_target *target, struct csc_extent extent, uint64_t size_bytes)
{
	struct csc_extent now = is_placed(target, extent)
			? placed_resize(target, extent, size_bytes)
			: reservation_resize(target, &target->super, extent, size_bytes);

	if (now.address) {
		return now;
	}
	now = linux_map(target, size_bytes, 0);
	if (now.address) {
		copy_extent(target, extent, now);
		linux_unmap(target, extent);
	}
	return now;
}

static struct csc_extent linux_remap(void *context, struct csc_extent extent, uint64_t size_bytes)
{
	struct linux_target *target = context;
	void *moved;

	if (is_in(&target->super, extent) || is_placed(target, extent)) {
		return reserved_resize(target, extent, size_bytes);
	}
	moved = mremap(address_of(extent), extent.size_bytes, size_bytes, MREMAP_MAYMOVE);
	return moved == MAP_FAILED ? extent_of(NULL, 0) : extent_of(moved, size_bytes);
}

static struct csc_extent linux_mseg_alloc(
		void *context, uint32_t mseg, uint64_t size_bytes, bool is_powered)
{
	struct linux_target *target = context;

	return segment_alloc(&target->segments[mseg], size_bytes, is_powered);
}

static void linux_mseg_dealloc(
		void *context, uint32_t mseg, struct csc_extent extent, bool is_powered)
{
	struct linux_target *target = context;

	segment_dealloc(&target->segments[mseg], extent, is_powered);
}

static struct csc_extent linux_mseg_realloc(void *context, uint32_t mseg, struct csc_extent extent,
		uint64_t size_bytes, struct csc_shrink shrink)
{
	struct linux_target *target = context;

	return segment_realloc(&target->segments[mseg], extent, size_bytes, shrink);
}

static uint64_t linux_mseg_segments(void *context, uint32_t mseg)
{
	struct linux_target *target = context;

	return target->segments[mseg].counters.segments;
}

static struct csc_extent linux_area_alloc(void *context, uint64_t size_bytes, uint64_t alignment)
{
	struct linux_target *target = context;

	if (!target->options.has_area_limit) {
		return os_map(size_bytes, alignment);
	}
	return reservation_alloc(target, &target->area, size_bytes, alignment != 0);
}

static void linux_area_dealloc(void *context, struct csc_extent extent)
{
	struct linux_target *target = context;

	if (is_in(&target->area, extent)) {
		reservation_free(target, &target->area, extent);
	} else {
		munmap(address_of(extent), extent.size_bytes);
	}
}

static struct csc_extent linux_area_realloc(
		void *context, struct csc_extent extent, uint64_t size_bytes)
{
	struct linux_target *target = context;
	struct csc_extent now = { 0 };

	if (is_in(&target->area, extent)) {
		now = reservation_resize(target, &target->area, extent, size_bytes);
	}
	if (!now.address) {
		now = linux_area_alloc(context, size_bytes, 0);
		if (now.address) {
			copy_extent(target, extent, now);
			linux_area_dealloc(context, extent);
		}
	}
	return now;
}

static void *sys_try(uint64_t size_bytes, uint64_t alignment)
{
	void *found = NULL;

	if (!alignment) {
		return malloc(size_bytes);
	}
	return posix_memalign(&found, alignment, size_bytes) == 0 ? found : NULL;
}

/* A failing malloc empties the caches of the instance and of instance 0 before it gives up. */
static void sys_make_room(struct linux_target *target, uint32_t mseg)
{
	segment_clear(&target->segments[mseg]);
	if (mseg) {
		segment_clear(&target->segments[0]);
	}
}

static struct csc_extent linux_sys_alloc(
		void *context, uint32_t mseg, uint64_t size_bytes, uint64_t alignment)
{
	void *found = sys_try(size_bytes, alignment);

	if (!found) {
		sys_make_room(context, mseg);
		found = sys_try(size_bytes, alignment);
	}
	return extent_of(found, size_bytes);
}

static void linux_sys_free(void *context, struct csc_extent extent)
{
	(void)context;
	free(address_of(extent));
}

static struct csc_extent linux_sys_realloc(
		void *context, uint32_t mseg, struct csc_extent extent, uint64_t size_bytes)
{
	void *found = realloc(address_of(extent), size_bytes);

	if (!found) {
		sys_make_room(context, mseg);
		found = realloc(address_of(extent), size_bytes);
	}
	return extent_of(found, size_bytes);
}

/* Reserves a super carrier, whose first part is for descriptors. */
static enum csc_status reservation_open(struct reservation *reservation,
		const struct segment_options *options, uint64_t size_bytes, uint64_t descriptors)
{
	struct csc_extent extent;

	if (!size_bytes) {
		return CSC_OK;
	}
	extent = os_map(size_bytes, options->unit_bytes);
	if (!extent.address) {
		return CSC_ERROR;
	}
	reservation->start = address_of(extent);
	reservation->size_bytes = extent.size_bytes;
	return super_init(&reservation->super, extent, options->unit_bytes, options->page_bytes,
			descriptors);
}

static void reservation_close(struct reservation *reservation)
{
	if (reservation->start) {
		munmap(reservation->start, reservation->size_bytes);
	}
	super_finish(&reservation->super);
}

/* Reserves where segments are placed; what they are aligned to is the same in every run. */
static enum csc_status placement_open(struct linux_target *target)
{
	const struct linux_options *options = &target->options;
	uint64_t unit = options->segment.unit_bytes;
	struct csc_extent extent;

	if (!options->placed_bytes) {
		return CSC_OK;
	}
	if (options->without_contents && unit <= HUGE_BYTES) {
		target->placed = arena_reopen(options->placed_bytes);
	}
	if (!target->placed.start) {
		extent = os_map(options->placed_bytes, unit > HUGE_BYTES ? unit : HUGE_BYTES);
		target->placed = (struct arena){ address_of(extent), extent.size_bytes };
	}
	if (!target->placed.start) {
		return CSC_ERROR;
	}
	extent = extent_of(target->placed.start, target->placed.size_bytes);
	return placement_init(&target->placement, extent, options->segment.page_bytes, HUGE_BYTES);
}

static enum csc_status linux_reserve(struct linux_target *target)
{
	const struct linux_options *options = &target->options;

	if (placement_open(target) != CSC_OK ||
			reservation_open(&target->super, &options->segment, options->super_bytes,
					options->super_descriptors) != CSC_OK) {
		return CSC_ERROR;
	}
	return reservation_open(&target->area, &options->segment, options->area_bytes,
			options->area_descriptors);
}

struct linux_target *linux_target_create(const struct linux_options *options)
{
	struct linux_target *target = calloc(1, sizeof(*target));
	struct segment_pages pages = {
		.context = target,
		.map = linux_map,
		.unmap = linux_unmap,
		.remap = linux_remap,
	};

	if (!target) {
		return NULL;
	}
	target->options = *options;
	pthread_mutex_init(&target->super_lock, NULL);
	target->segments = calloc(options->mseg_count, sizeof(*target->segments));
	if (!target->segments || linux_reserve(target) != CSC_OK) {
		linux_target_destroy(target);
		return NULL;
	}
	for (uint32_t i = 0; i < options->mseg_count; i++) {
		segment_init(&target->segments[i], &options->segment, &pages);
	}
	target->memory = (struct csc_memory){
		.context = target,
		.page_bytes = options->segment.page_bytes,
		.has_mseg = true,
		.has_contents = !options->without_contents,
		CSC_MEMORY_MSEG(linux),
		.area_alloc = linux_area_alloc,
		.area_realloc = linux_area_realloc,
		.area_dealloc = linux_area_dealloc,
		CSC_MEMORY_SYS(linux),
	};
	return target;
}

void linux_target_destroy(struct linux_target *target)
{
	if (!target) {
		return;
	}
	for (uint32_t i = 0; target->segments && i < target->options.mseg_count; i++) {
		if (target->memory.context) {
			segment_clear(&target->segments[i]);
		}
	}
	reservation_close(&target->super);
	reservation_close(&target->area);
	if (target->options.without_contents && target->options.segment.unit_bytes <= HUGE_BYTES) {
		arena_close(target->placed);
	} else if (target->placed.start) {
		munmap(target->placed.start, target->placed.size_bytes);
	}
	placement_finish(&target->placement);
	pthread_mutex_destroy(&target->super_lock);
	free(target->segments);
	free(target);
}

const struct csc_memory *linux_target_memory(struct linux_target *target)
{
	return &target->memory;
}

void linux_target_tick(struct linux_target *target, uint32_t mseg)
{
	segment_tick(&target->segments[mseg]);
}

uint64_t linux_target_cached_bytes(const struct linux_target *target)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < target->options.mseg_count; i++) {
		bytes += segment_cached_bytes(&target->segments[i]);
	}
	return bytes;
}

const struct segment_counters *linux_target_counters(
		const struct linux_target *target, uint32_t mseg)
{
	return &target->segments[mseg].counters;
}
