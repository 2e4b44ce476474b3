/* SPDX-License-Identifier: MIT */
/* The memory of a board. */
#include "rtems.h"

#include <stdlib.h>
#include <sys/mman.h>

struct rtems_target {
	struct rtems_options options;
	struct csc_memory memory;
	struct rtems_heap heap;
	void *host;
	uint64_t host_bytes;
};

static struct csc_extent board_mseg_alloc(
		void *context, uint32_t mseg, uint64_t size_bytes, bool is_powered)
{
	(void)context;
	(void)mseg;
	(void)size_bytes;
	(void)is_powered;
	return (struct csc_extent){ 0 };
}

static uint64_t board_mseg_segments(void *context, uint32_t mseg)
{
	(void)context;
	(void)mseg;
	return 0;
}

/* How often a request is made before it is given up. */
static int board_tries(const struct rtems_target *target)
{
	return target->options.has_mseg ? 2 : 1;
}

static struct csc_extent board_sys_alloc(
		void *context, uint32_t mseg, uint64_t size_bytes, uint64_t alignment)
{
	struct rtems_target *target = context;
	enum rtems_result result = RTEMS_FAILED;
	uint64_t user = 0;

	(void)mseg;
	for (int i = 0; result != RTEMS_DONE && i < board_tries(target); i++) {
		result = alignment ? rtems_memalign(&target->heap, alignment, size_bytes, &user)
				   : rtems_malloc(&target->heap, size_bytes, &user);
	}
	return (struct csc_extent){ user, user ? size_bytes : 0 };
}

static void board_sys_free(void *context, struct csc_extent extent)
{
	struct rtems_target *target = context;

	rtems_free(&target->heap, extent.address);
}

static struct csc_extent board_sys_realloc(
		void *context, uint32_t mseg, struct csc_extent extent, uint64_t size_bytes)
{
	struct rtems_target *target = context;
	enum rtems_result result = RTEMS_FAILED;
	uint64_t user = 0;

	(void)mseg;
	for (int i = 0; result != RTEMS_DONE && i < board_tries(target); i++) {
		result = rtems_realloc(&target->heap, extent.address, size_bytes, &user);
	}
	return (struct csc_extent){ user, user ? size_bytes : 0 };
}

static struct csc_extent board_area_alloc(void *context, uint64_t size_bytes, uint64_t alignment)
{
	return board_sys_alloc(context, 0, size_bytes, alignment);
}

static struct csc_extent board_area_realloc(
		void *context, struct csc_extent extent, uint64_t size_bytes)
{
	return board_sys_realloc(context, 0, extent, size_bytes);
}

static void board_heap_state(void *context, csc_heap_receiver *receive, void *receiver)
{
	const struct rtems_target *target = context;
	struct heap_figures figures;

	rtems_heap_figures(&target->heap, target->options.unit_bytes, &figures);
	receive(receiver, &figures);
}

/* Maps whole pages around the area, at its own address if that can be had. */
static enum csc_status board_map(struct rtems_target *target, uint64_t *ret_bias)
{
	const int protection = PROT_READ | PROT_WRITE;
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	const uint64_t page = 4096;
	uint64_t first = target->options.area.base & ~(page - 1);
	uint64_t end = target->options.area.base + target->options.area.size_bytes;
	void *host;

	if (end < first || end > UINT64_MAX - page) {
		return CSC_ERROR;
	}
	target->host_bytes = ((end + page - 1) & ~(page - 1)) - first;
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of the target are numbers. */
	host = mmap((void *)(uintptr_t)first, target->host_bytes, protection,
			flags | MAP_FIXED_NOREPLACE, -1, 0);
	if (host == MAP_FAILED) {
		host = mmap(NULL, target->host_bytes, protection, flags, -1, 0);
	}
	if (host == MAP_FAILED) {
		return CSC_ERROR;
	}
	target->host = host;
	*ret_bias = (uint64_t)(uintptr_t)host - first;
	return CSC_OK;
}

struct rtems_target *rtems_target_create(const struct rtems_options *options)
{
	struct rtems_target *target = calloc(1, sizeof(*target));
	uint64_t bias = 0;

	if (!target) {
		return NULL;
	}
	target->options = *options;
	if (board_map(target, &bias) != CSC_OK ||
			rtems_heap_init(&target->heap, &options->area, bias) != CSC_OK) {
		rtems_target_destroy(target);
		return NULL;
	}
	target->memory = (struct csc_memory){
		.context = target,
		.bias = bias,
		.page_bytes = 4096,
		.has_mseg = options->has_mseg,
		.has_contents = true,
		.mseg_alloc = board_mseg_alloc,
		.mseg_segments = board_mseg_segments,
		.area_alloc = board_area_alloc,
		.area_realloc = board_area_realloc,
		.area_dealloc = board_sys_free,
		CSC_MEMORY_SYS(board),
		.heap_state = board_heap_state,
	};
	return target;
}

void rtems_target_destroy(struct rtems_target *target)
{
	if (!target) {
		return;
	}
	if (target->host) {
		munmap(target->host, target->host_bytes);
	}
	free(target);
}

const struct csc_memory *rtems_target_memory(struct rtems_target *target)
{
	return &target->memory;
}

struct rtems_heap *rtems_target_heap(struct rtems_target *target)
{
	return &target->heap;
}
