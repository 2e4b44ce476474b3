/* SPDX-License-Identifier: MIT */
/*
 * The address space of one run: the memory of this machine (linux.h), counted and limited.
 *
 * Segments lie where mmap(2) puts them in a process that maps nothing else (placement.h), so that
 * their order does not depend on what a tracer has put where: the strategies look at addresses.
 */
#ifndef CSC_ADDRESS_SPACE_H
#define CSC_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "board.h"
#include "diag.h"
#include "memory.h"
#include "options.h"

struct address_space;

/* Where the twin reaches an address of the space. */
void *address_space_at(const struct address_space *space, uint64_t address);

/* Bytes of carriers: now and at the highest. */
struct address_space_figures {
	uint64_t bytes;
	uint64_t peak_bytes;
};

/*
 * NULL: `diag` says why.  `limit_bytes`: carriers that would exceed it are refused; 0: no
 * limit.  `options` must be settled.  `has_mapped_malloc`: what sys_alloc takes from malloc(3) lies
 * where that puts it, 128 KiB and more among the segments, as the main carriers of a node do, and
 * only what is smaller below all of them.  `without_contents`: nobody reads what is in blocks,
 * which is not copied when they move.
 */
struct address_space *address_space_create(const struct csc_options *options, uint64_t limit_bytes,
		bool has_mapped_malloc, bool without_contents, struct diag *diag);

/*
 * The same on a board, whose system has come up.  `unit_bytes`: what carriers are aligned to.
 */
struct address_space *address_space_create_board(const struct board *board, uint64_t unit_bytes,
		uint64_t limit_bytes, struct diag *diag);

/* Gives back what was reserved; segments outside of it that are left end with the process. */
void address_space_destroy(struct address_space *space);

/* Gives back the pages that a space without contents has left for the next one. */
void address_space_trim(void);

const struct csc_memory *address_space_memory(struct address_space *space);

/*
 * Memory beside that of carriers, from malloc: block 0 is a new one, 0 bytes free one.  Returns 0
 * when there is none, and when there is nothing to return.  `is_runtime`: the runtime asks, which
 * tries again when it could have segments in its cache.
 */
uint64_t address_space_plain(
		struct address_space *space, uint64_t block, uint64_t bytes, bool is_runtime);

/* The heap of a board; NULL: the space is none. */
const struct rtems_heap *address_space_heap(const struct address_space *space);

/* One second has passed for the segment cache of an instance. */
void address_space_tick(struct address_space *space, uint32_t mseg);

/* Bytes that segment caches keep; 0 on a board, which has none. */
uint64_t address_space_cached_bytes(const struct address_space *space);

/* Weak: bytes of carriers, now; atomic. */
const uint64_t *address_space_bytes(const struct address_space *space);

void address_space_figures(
		const struct address_space *space, struct address_space_figures *ret_figures);

#endif
