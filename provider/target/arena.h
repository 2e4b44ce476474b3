/* SPDX-License-Identifier: MIT */
/*
 * Reserved addresses for the carriers of one replay after the other.
 *
 * The kernel needs a fifth of the time of a replay to make new pages.  So the uppermost part of an
 * arena, where carriers are placed first, keeps its pages: when a carrier is given back, and when
 * the arena is closed, for the next one of this process.  There is one such at most.  A process
 * that is forked gets none of the kept pages.
 *
 * What is in such pages is not zero.
 */
#ifndef CSC_ARENA_H
#define CSC_ARENA_H

#include <stdint.h>

/* So much at the upper end keeps its pages, in bytes. */
#define ARENA_KEPT_BYTES (UINT64_C(512) << 20)

struct arena {
	/* NULL: it is not open. */
	char *start;
	uint64_t size_bytes;
};

/* A closed one of this size; NULL in `start`: there is none. */
struct arena arena_reopen(uint64_t size_bytes);

/* What was reserved, or reopened; it may be given back or be kept. */
void arena_close(struct arena arena);

/* Gives the closed one back, if there is one. */
void arena_trim(void);

/* Nobody needs what is there; whole pages. */
void arena_forget(const struct arena *arena, uint64_t address, uint64_t size_bytes);

#endif
