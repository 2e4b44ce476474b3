/* SPDX-License-Identifier: MIT */
/* The address space of one run. */
#include "address_space.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena.h"
#include "linux.h"
#include "rtems.h"
#include "super.h"

/* What is reserved for segments and for sys_alloc, or at least; nothing of it is committed. */
#define SPACE_SEGMENTS_BYTES (UINT64_C(1) << 38)
#define SPACE_MALLOC_BYTES (UINT64_C(1) << 36)
#define SPACE_LEAST_BYTES (UINT64_C(1) << 28)
/* Free pieces that such an area can have. */
#define SPACE_DESCRIPTORS (UINT64_C(1) << 18)

/* From so many bytes on malloc(3) maps: mallopt(3), M_MMAP_THRESHOLD. */
#define SPACE_MAPPED_BYTES (UINT64_C(1) << 17)

struct address_space {
	/* One of the two. */
	struct linux_target *target;
	struct rtems_target *board;

	/* Weak: of the target. */
	const struct csc_memory *below;
	/* What the core sees. */
	struct csc_memory memory;

	/* Where sys_alloc takes from. */
	struct super area;
	void *reservation;
	uint64_t reservation_bytes;
	bool has_mapped_malloc;
	uint64_t page_bytes;

	/* Segment instance 0 and sys_alloc are used by all threads. */
	pthread_mutex_t lock;

	/* UINT64_MAX: no limit. */
	uint64_t limit_bytes;
	/* Atomic. */
	uint64_t bytes;
	uint64_t peak_bytes;
};

void *address_space_at(const struct address_space *space, uint64_t address)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of the target are numbers. */
	return (void *)(uintptr_t)(space->memory.bias + address);
}

static void space_note_peak(struct address_space *space, uint64_t bytes)
{
	uint64_t peak = __atomic_load_n(&space->peak_bytes, __ATOMIC_RELAXED);

	while (bytes > peak &&
			!__atomic_compare_exchange_n(&space->peak_bytes, &peak, bytes, true,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
	}
}

/* Counts `bytes` more, unless that is too much. */
static bool address_space_take(struct address_space *space, uint64_t bytes)
{
	uint64_t now = __atomic_add_fetch(&space->bytes, bytes, __ATOMIC_RELAXED);

	if (now > space->limit_bytes || now < bytes) {
		__atomic_sub_fetch(&space->bytes, bytes, __ATOMIC_RELAXED);
		return false;
	}
	return true;
}

static void address_space_give(struct address_space *space, uint64_t bytes)
{
	__atomic_sub_fetch(&space->bytes, bytes, __ATOMIC_RELAXED);
}

/* What was obtained may differ from what was asked for, and be nothing. */
static void address_space_settle(
		struct address_space *space, uint64_t asked_bytes, uint64_t got_bytes)
{
	uint64_t difference = got_bytes - asked_bytes;

	space_note_peak(space, __atomic_add_fetch(&space->bytes, difference, __ATOMIC_RELAXED));
}

static void address_space_enter(struct address_space *space, uint32_t mseg)
{
	if (!mseg) {
		pthread_mutex_lock(&space->lock);
	}
}

static void address_space_leave(struct address_space *space, uint32_t mseg)
{
	if (!mseg) {
		pthread_mutex_unlock(&space->lock);
	}
}

static struct csc_extent space_mseg_alloc(
		void *context, uint32_t mseg, uint64_t size_bytes, bool is_powered)
{
	struct address_space *space = context;
	struct csc_extent extent = { 0 };

	if (!address_space_take(space, size_bytes)) {
		return extent;
	}
	address_space_enter(space, mseg);
	extent = space->below->mseg_alloc(space->below->context, mseg, size_bytes, is_powered);
	address_space_leave(space, mseg);
	address_space_settle(space, size_bytes, extent.address ? extent.size_bytes : 0);
	return extent;
}

static void space_mseg_dealloc(
		void *context, uint32_t mseg, struct csc_extent extent, bool is_powered)
{
	struct address_space *space = context;

	address_space_enter(space, mseg);
	space->below->mseg_dealloc(space->below->context, mseg, extent, is_powered);
	address_space_leave(space, mseg);
	address_space_give(space, extent.size_bytes);
}

static struct csc_extent space_mseg_realloc(void *context, uint32_t mseg, struct csc_extent extent,
		uint64_t size_bytes, struct csc_shrink shrink)
{
	struct address_space *space = context;
	uint64_t more = size_bytes > extent.size_bytes ? size_bytes - extent.size_bytes : 0;
	struct csc_extent now = { 0 };

	if (!address_space_take(space, more)) {
		return now;
	}
	address_space_enter(space, mseg);
	now = space->below->mseg_realloc(space->below->context, mseg, extent, size_bytes, shrink);
	address_space_leave(space, mseg);
	address_space_settle(space, extent.size_bytes + more,
			now.address ? now.size_bytes : extent.size_bytes);
	return now;
}

static uint64_t space_mseg_segments(void *context, uint32_t mseg)
{
	struct address_space *space = context;
	uint64_t segments;

	address_space_enter(space, mseg);
	segments = space->below->mseg_segments(space->below->context, mseg);
	address_space_leave(space, mseg);
	return segments;
}

static void space_heap_state(void *context, csc_heap_receiver *receive, void *receiver)
{
	struct address_space *space = context;

	pthread_mutex_lock(&space->lock);
	space->below->heap_state(space->below->context, receive, receiver);
	pthread_mutex_unlock(&space->lock);
}

static uint64_t address_space_pages(const struct address_space *space, uint64_t bytes)
{
	return (bytes + space->page_bytes - 1) & ~(space->page_bytes - 1);
}

/* Whether malloc(3) has mapped it. */
static bool is_mapped(const struct address_space *space, struct csc_extent extent)
{
	return space->has_mapped_malloc &&
			extent.address - (uint64_t)(uintptr_t)space->reservation >=
			space->reservation_bytes;
}

/* A piece of the area for sys_alloc. */
static struct csc_extent area_alloc(
		struct address_space *space, uint64_t size_bytes, uint64_t alignment)
{
	struct csc_extent found = { 0 };

	if (space->board) {
		return space->below->sys_alloc(space->below->context, 0, size_bytes, alignment);
	}
	if (space->has_mapped_malloc && size_bytes >= SPACE_MAPPED_BYTES) {
		found = linux_target_map(
				space->target, address_space_pages(space, size_bytes), alignment);
	} else if (size_bytes <= space->reservation_bytes) {
		found = super_alloc(&space->area, address_space_pages(space, size_bytes),
				alignment != 0);
	}
	found.size_bytes = found.address ? size_bytes : 0;
	return found;
}

static void area_free(struct address_space *space, struct csc_extent extent)
{
	if (space->board) {
		space->below->sys_free(space->below->context, extent);
		return;
	}
	extent.size_bytes = address_space_pages(space, extent.size_bytes);
	if (is_mapped(space, extent)) {
		linux_target_unmap(space->target, extent);
		return;
	}
	madvise(address_space_at(space, extent.address), extent.size_bytes, MADV_DONTNEED);
	super_free(&space->area, extent);
}

static struct csc_extent area_realloc(
		struct address_space *space, struct csc_extent extent, uint64_t size_bytes)
{
	struct csc_extent now = extent;

	if (space->board) {
		return space->below->sys_realloc(space->below->context, 0, extent, size_bytes);
	}
	now.size_bytes = address_space_pages(space, now.size_bytes);
	now = is_mapped(space, extent)
			? linux_target_resize(space->target, now,
					  address_space_pages(space, size_bytes))
			: super_realloc(&space->area, now, address_space_pages(space, size_bytes));
	if (!now.address) {
		uint64_t kept = csc_memory_kept(&space->memory, extent.size_bytes, size_bytes);

		now = area_alloc(space, size_bytes, 0);
		if (now.address) {
			memcpy(address_space_at(space, now.address),
					address_space_at(space, extent.address), kept);
			area_free(space, extent);
		}
	}
	now.size_bytes = now.address ? size_bytes : 0;
	return now;
}

static struct csc_extent space_sys_alloc(
		void *context, uint32_t mseg, uint64_t size_bytes, uint64_t alignment)
{
	struct address_space *space = context;
	struct csc_extent extent = { 0 };

	(void)mseg;
	if (!address_space_take(space, size_bytes)) {
		return extent;
	}
	pthread_mutex_lock(&space->lock);
	extent = area_alloc(space, size_bytes, alignment);
	pthread_mutex_unlock(&space->lock);
	address_space_settle(space, size_bytes, extent.address ? extent.size_bytes : 0);
	return extent;
}

static void space_sys_free(void *context, struct csc_extent extent)
{
	struct address_space *space = context;

	pthread_mutex_lock(&space->lock);
	area_free(space, extent);
	pthread_mutex_unlock(&space->lock);
	address_space_give(space, extent.size_bytes);
}

static struct csc_extent space_sys_realloc(
		void *context, uint32_t mseg, struct csc_extent extent, uint64_t size_bytes)
{
	struct address_space *space = context;
	uint64_t more = size_bytes > extent.size_bytes ? size_bytes - extent.size_bytes : 0;
	struct csc_extent now = { 0 };

	(void)mseg;
	if (!address_space_take(space, more)) {
		return now;
	}
	pthread_mutex_lock(&space->lock);
	now = area_realloc(space, extent, size_bytes);
	pthread_mutex_unlock(&space->lock);
	address_space_settle(space, extent.size_bytes + more,
			now.address ? now.size_bytes : extent.size_bytes);
	return now;
}

static struct csc_extent space_area_alloc(void *context, uint64_t size_bytes, uint64_t alignment)
{
	struct address_space *space = context;
	struct csc_extent extent;

	if (!address_space_take(space, size_bytes)) {
		return (struct csc_extent){ 0 };
	}
	pthread_mutex_lock(&space->lock);
	extent = space->below->area_alloc(space->below->context, size_bytes, alignment);
	pthread_mutex_unlock(&space->lock);
	address_space_settle(space, size_bytes, extent.address ? extent.size_bytes : 0);
	return extent;
}

static void space_area_dealloc(void *context, struct csc_extent extent)
{
	struct address_space *space = context;

	pthread_mutex_lock(&space->lock);
	space->below->area_dealloc(space->below->context, extent);
	pthread_mutex_unlock(&space->lock);
	address_space_give(space, extent.size_bytes);
}

static struct csc_extent space_area_realloc(
		void *context, struct csc_extent extent, uint64_t size_bytes)
{
	struct address_space *space = context;
	uint64_t more = size_bytes > extent.size_bytes ? size_bytes - extent.size_bytes : 0;
	struct csc_extent now;

	if (!address_space_take(space, more)) {
		return (struct csc_extent){ 0 };
	}
	pthread_mutex_lock(&space->lock);
	now = space->below->area_realloc(space->below->context, extent, size_bytes);
	pthread_mutex_unlock(&space->lock);
	address_space_settle(space, extent.size_bytes + more,
			now.address ? now.size_bytes : extent.size_bytes);
	return now;
}

/* Reserves the area for sys_alloc; returns CSC_ERROR if it cannot be had. */
static enum csc_status address_space_reserve(struct address_space *space, uint64_t unit_bytes)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	uint64_t bytes = SPACE_MALLOC_BYTES;
	void *found = MAP_FAILED;

	while (found == MAP_FAILED && bytes >= SPACE_LEAST_BYTES) {
		found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
		bytes /= found == MAP_FAILED ? 2 : 1;
	}
	if (found == MAP_FAILED) {
		return CSC_ERROR;
	}
	space->reservation = found;
	space->reservation_bytes = bytes;
	return super_init(&space->area, (struct csc_extent){ (uint64_t)(uintptr_t)found, bytes },
			unit_bytes, space->page_bytes, SPACE_DESCRIPTORS);
}

static struct linux_target *space_target(const struct csc_options *options, bool without_contents)
{
	struct linux_options linux = {
		.mseg_count = options->schedulers + 1,
		.segment = {
			.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE),
			.unit_bytes = UINT64_C(1) << options->generation->unit_bits,
			.slots = (uint32_t)options->mcs,
			.relative_bad_fit = options->rmcbf,
			.absolute_bad_fit = options->amcbf,
		},
		.without_contents = without_contents,
		.super_bytes = options->scs,
		.has_super_only = options->scs > 0 && options->sco,
		.super_descriptors = options->scrfsd,
		.placed_bytes = SPACE_SEGMENTS_BYTES,
		.has_area_limit = true,
		.area_bytes = options->literal_scs,
		.area_descriptors = CSC_LITERAL_DESCRIPTORS,
	};
	struct linux_target *target = linux_target_create(&linux);

	while (!target && linux.placed_bytes > SPACE_LEAST_BYTES) {
		linux.placed_bytes /= 2;
		target = linux_target_create(&linux);
	}
	return target;
}

/* What the core sees of sys_alloc; the rest is as it is below. */
static void address_space_cover(struct address_space *space)
{
	space->memory = *space->below;
	space->memory.context = space;
	space->memory.area_alloc = space_area_alloc;
	space->memory.area_realloc = space_area_realloc;
	space->memory.area_dealloc = space_area_dealloc;
	space->memory.sys_alloc = space_sys_alloc;
	space->memory.sys_free = space_sys_free;
	space->memory.sys_realloc = space_sys_realloc;
	if (space->below->heap_state) {
		space->memory.heap_state = space_heap_state;
	}
}

struct address_space *address_space_create(const struct csc_options *options, uint64_t limit_bytes,
		bool has_mapped_malloc, bool without_contents, struct diag *diag)
{
	struct address_space *space = calloc(1, sizeof(*space));

	if (!space) {
		(void)DIAG_NO_MEMORY(diag);
		return NULL;
	}
	pthread_mutex_init(&space->lock, NULL);
	space->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	space->limit_bytes = limit_bytes ? limit_bytes : UINT64_MAX;
	space->has_mapped_malloc = has_mapped_malloc;
	space->target = space_target(options, without_contents);
	if (!space->target && (options->scs || options->literal_scs)) {
		/* As the runtime says it, which does not say either which of the two it was. */
		(void)DIAG_FAIL(diag, "erts_mmap: Failed to create super carrier of size %llu MB",
				(unsigned long long)((options->scs ? options->scs
								   : options->literal_scs) >>
						20));
	} else if (!space->target ||
			address_space_reserve(space,
					UINT64_C(1) << options->generation->unit_bits) != CSC_OK) {
		(void)DIAG_FAIL(diag, "cannot reserve addresses for carriers");
	}
	if (diag_is_set(diag)) {
		address_space_destroy(space);
		return NULL;
	}
	space->below = linux_target_memory(space->target);
	address_space_cover(space);
	space->memory.mseg_alloc = space_mseg_alloc;
	space->memory.mseg_dealloc = space_mseg_dealloc;
	space->memory.mseg_realloc = space_mseg_realloc;
	space->memory.mseg_segments = space_mseg_segments;
	return space;
}

struct address_space *address_space_create_board(const struct board *board, uint64_t unit_bytes,
		uint64_t limit_bytes, struct diag *diag)
{
	struct address_space *space = calloc(1, sizeof(*space));
	struct rtems_options options;

	if (!space) {
		(void)DIAG_NO_MEMORY(diag);
		return NULL;
	}
	pthread_mutex_init(&space->lock, NULL);
	space->limit_bytes = limit_bytes ? limit_bytes : UINT64_MAX;
	board_target(board, unit_bytes, &options);
	space->board = rtems_target_create(&options);
	if (!space->board) {
		(void)DIAG_FAIL(diag, "cannot map the heap of board '%s'", board->name);
	}
	if (diag_is_set(diag) ||
			board_start(board, rtems_target_heap(space->board), diag) != CSC_OK) {
		address_space_destroy(space);
		return NULL;
	}
	space->below = rtems_target_memory(space->board);
	address_space_cover(space);
	return space;
}

void address_space_destroy(struct address_space *space)
{
	if (!space) {
		return;
	}
	linux_target_destroy(space->target);
	rtems_target_destroy(space->board);
	if (space->reservation) {
		munmap(space->reservation, space->reservation_bytes);
	}
	super_finish(&space->area);
	pthread_mutex_destroy(&space->lock);
	free(space);
}

void address_space_trim(void)
{
	arena_trim();
}

const struct csc_memory *address_space_memory(struct address_space *space)
{
	return &space->memory;
}

uint64_t address_space_plain(
		struct address_space *space, uint64_t block, uint64_t bytes, bool is_runtime)
{
	struct rtems_heap *heap = space->board ? rtems_target_heap(space->board) : NULL;
	uint64_t found = 0;

	if (!heap) {
		void *user = address_space_at(space, block);

		if (!bytes) {
			free(user);
			return 0;
		}
		return (uint64_t)(uintptr_t)realloc(user, bytes);
	}
	pthread_mutex_lock(&space->lock);
	if (rtems_realloc(heap, block, bytes, &found) != RTEMS_DONE) {
		found = 0;
		if (is_runtime && space->memory.has_mseg &&
				rtems_realloc(heap, block, bytes, &found) != RTEMS_DONE) {
			found = 0;
		}
	}
	pthread_mutex_unlock(&space->lock);
	return found;
}

const struct rtems_heap *address_space_heap(const struct address_space *space)
{
	return space->board ? rtems_target_heap(space->board) : NULL;
}

void address_space_tick(struct address_space *space, uint32_t mseg)
{
	if (!space->target) {
		return;
	}
	address_space_enter(space, mseg);
	linux_target_tick(space->target, mseg);
	address_space_leave(space, mseg);
}

uint64_t address_space_cached_bytes(const struct address_space *space)
{
	return space->target ? linux_target_cached_bytes(space->target) : 0;
}

const uint64_t *address_space_bytes(const struct address_space *space)
{
	return &space->bytes;
}

void address_space_figures(
		const struct address_space *space, struct address_space_figures *ret_figures)
{
	*ret_figures = (struct address_space_figures){
		.bytes = __atomic_load_n(&space->bytes, __ATOMIC_RELAXED),
		.peak_bytes = __atomic_load_n(&space->peak_bytes, __ATOMIC_RELAXED),
	};
}
