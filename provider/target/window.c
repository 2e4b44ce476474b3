/* SPDX-License-Identifier: MIT */
/* The memory of a small target. */
#include "window.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "super.h"

struct window {
	struct window_options options;
	struct csc_memory memory;
	struct super super;
	void *host;
	uint64_t out_bytes;
	uint64_t segments;
};

static uint64_t window_round(const struct window *window, uint64_t bytes)
{
	return (bytes + window->options.page_bytes - 1) & ~(window->options.page_bytes - 1);
}

static void *window_host(const struct window *window, uint64_t address)
{
	return (char *)window->host + (address - window->options.first);
}

static struct csc_extent window_get(struct window *window, uint64_t size_bytes, bool is_aligned)
{
	uint64_t bytes = window_round(window, size_bytes);
	struct csc_extent extent = { 0 };

	if (bytes < size_bytes || bytes > window->options.limit_bytes - window->out_bytes) {
		return extent;
	}
	extent = super_alloc(&window->super, bytes, is_aligned);
	if (extent.address) {
		window->out_bytes += bytes;
		extent.size_bytes = size_bytes;
	}
	return extent;
}

static void window_put(struct window *window, struct csc_extent extent)
{
	extent.size_bytes = window_round(window, extent.size_bytes);
	window->out_bytes -= extent.size_bytes;
	madvise(window_host(window, extent.address), extent.size_bytes, MADV_DONTNEED);
	super_free(&window->super, extent);
}

static struct csc_extent window_mseg_alloc(
		void *context, uint32_t mseg, uint64_t size_bytes, bool is_powered)
{
	struct window *window = context;
	uint64_t bytes = window_round(window, size_bytes);
	struct csc_extent extent;

	(void)mseg;
	if (is_powered) {
		bytes = window->options.unit_bytes;
		while (bytes && bytes < size_bytes) {
			bytes <<= 1;
		}
	}
	extent = window_get(window, bytes, is_powered);
	window->segments += extent.address != 0;
	return extent;
}

static void window_mseg_dealloc(
		void *context, uint32_t mseg, struct csc_extent extent, bool is_powered)
{
	struct window *window = context;

	(void)mseg;
	(void)is_powered;
	window->segments--;
	window_put(window, extent);
}

/* Moves what is kept to another place of the new size. */
static struct csc_extent window_move(
		struct window *window, struct csc_extent extent, uint64_t size_bytes)
{
	struct csc_extent now = window_get(window, size_bytes, false);

	if (now.address) {
		uint64_t kept = size_bytes < extent.size_bytes ? size_bytes : extent.size_bytes;

		memcpy(window_host(window, now.address), window_host(window, extent.address), kept);
		window_put(window, extent);
	}
	return now;
}

static struct csc_extent window_mseg_realloc(void *context, uint32_t mseg, struct csc_extent extent,
		uint64_t size_bytes, struct csc_shrink shrink)
{
	struct window *window = context;
	uint64_t bytes = window_round(window, size_bytes);

	(void)mseg;
	if (bytes < extent.size_bytes) {
		uint64_t gain = extent.size_bytes - bytes;

		if (gain < shrink.absolute_bytes &&
				100 * gain < shrink.relative_percent * extent.size_bytes) {
			return extent;
		}
		window_put(window,
				(struct csc_extent){
						.address = extent.address + bytes,
						.size_bytes = gain,
				});
		return (struct csc_extent){ .address = extent.address, .size_bytes = bytes };
	}
	return bytes == extent.size_bytes ? extent : window_move(window, extent, bytes);
}

static uint64_t window_mseg_segments(void *context, uint32_t mseg)
{
	struct window *window = context;

	(void)mseg;
	return window->segments;
}

static struct csc_extent window_sys_alloc(
		void *context, uint32_t mseg, uint64_t size_bytes, uint64_t alignment)
{
	(void)mseg;
	return window_get(context, size_bytes, alignment != 0);
}

static void window_sys_free(void *context, struct csc_extent extent)
{
	window_put(context, extent);
}

static struct csc_extent window_sys_realloc(
		void *context, uint32_t mseg, struct csc_extent extent, uint64_t size_bytes)
{
	(void)mseg;
	return window_move(context, extent, size_bytes);
}

struct window *window_create(const struct window_options *options)
{
	uint64_t bytes = options->end - options->first;
	struct csc_extent area = { .address = options->first, .size_bytes = bytes };
	struct window *window = calloc(1, sizeof(*window));

	if (!window) {
		return NULL;
	}
	window->options = *options;
	window->host = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (window->host == MAP_FAILED) {
		free(window);
		return NULL;
	}
	if (super_init(&window->super, area, options->unit_bytes, options->page_bytes, 65536) !=
			CSC_OK) {
		window_destroy(window);
		return NULL;
	}
	window->memory = (struct csc_memory){
		.context = window,
		.bias = (uint64_t)(uintptr_t)window->host - options->first,
		.page_bytes = options->page_bytes,
		.has_mseg = options->has_mseg,
		.has_contents = true,
		CSC_MEMORY_MSEG(window),
		CSC_MEMORY_SYS(window),
	};
	return window;
}

void window_destroy(struct window *window)
{
	if (!window) {
		return;
	}
	munmap(window->host, window->options.end - window->options.first);
	super_finish(&window->super);
	free(window);
}

const struct csc_memory *window_memory(struct window *window)
{
	return &window->memory;
}
