/* SPDX-License-Identifier: MIT */
/*
 * The memory of a small target: an address space of its own, of at most 4 GiB, in a window of
 * this machine's memory.
 *
 * Segments and what sys_alloc gives come from the same space, the latter from the top; nothing is
 * cached.
 */
#ifndef CSC_WINDOW_H
#define CSC_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "memory.h"

struct window_options {
	/* Target addresses at which the space begins and ends; the first is not 0. */
	uint64_t first;
	uint64_t end;

	uint64_t page_bytes;
	uint64_t unit_bytes;

	/* Bytes that may be handed out at the same time; UINT64_MAX: no limit. */
	uint64_t limit_bytes;

	/* False: the target has no mmap. */
	bool has_mseg;
};

struct window;

/* NULL: no memory. */
struct window *window_create(const struct window_options *options);
void window_destroy(struct window *window);

const struct csc_memory *window_memory(struct window *window);

#endif
