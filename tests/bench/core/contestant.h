/* SPDX-License-Identifier: MIT */
/*
 * Those whose speed is compared: allocators behind two functions each.
 */
#ifndef CSC_BENCH_CONTESTANT_H
#define CSC_BENCH_CONTESTANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "settings.h"

struct contestant {
	/* Static. */
	const char *name;

	/* 0: no memory. */
	uint64_t (*alloc)(void *context, uint64_t bytes);
	void (*free)(void *context, uint64_t block);
	void *context;

	/* What is added to a block's address to reach it. */
	uint64_t bias;
};

/* Contestants at most. */
#define CONTESTANTS 8

/*
 * Sets up everybody who can be had; the first is the one without an allocator, then core, live
 * runtime and core of 4-byte words, then others.  Returns their number; they stay until the
 * process ends.
 */
size_t contestants_prepare(enum csc_strategy strategy, struct contestant *ret_contestants);

#endif
