/* SPDX-License-Identifier: MIT */
/*
 * Live blocks of a replay, and reading ahead what later steps look at.
 */
#ifndef CSC_AHEAD_H
#define CSC_AHEAD_H

#include <stddef.h>
#include <stdint.h>

#include "decoded_internal.h"

/*
 * A live block; address 0: there is none.  Addresses of a process have 48 bits, as what is asked
 * for has (BYTES_BITS).
 */
struct played {
	uint64_t address : BYTES_BITS;
	uint64_t scheduler : 64 - BYTES_BITS;
	uint64_t bytes : BYTES_BITS;
	uint64_t type : 64 - BYTES_BITS;
};
_Static_assert(sizeof(struct played) == 16, "what player.h says of memory");

struct ahead {
	/* Weak: by slot of the recording. */
	const struct played *blocks;
	/* What is added to an address to reach it. */
	uintptr_t bias;
};

/*
 * So many steps are looked ahead at a time, so that their loads wait for memory together and not
 * one by one.  True loads, as a prefetch does nothing where the address of the page is not known
 * yet: with small pages in a virtual machine that was all of them.
 */
enum { AHEAD_STEPS = 16 };

/* Of larger blocks the end may be in no page yet. */
#define AHEAD_BYTES (UINT64_C(32) << 10)

/* Reads the header of a block and the end of it, behind which is the next header. */
static inline uint64_t ahead_read(const struct ahead *ahead, const struct played *block)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of the target. */
	const uint64_t *memory = (const uint64_t *)(ahead->bias + (uintptr_t)block->address);

	if (!block->address) {
		return 0;
	}
	if (block->bytes == 0 || block->bytes > AHEAD_BYTES) {
		return memory[-1];
	}
	return memory[-1] + memory[(block->bytes - 1) / sizeof(*memory)];
}

/* Reads what later steps look at: entries of blocks, and of those that are known by now the
 * headers. */
static inline void ahead_look(const struct ahead *ahead, const struct decoded *decoded)
{
	const struct packed_step *steps = decoded->now.steps + decoded->at;
	uint64_t sum = 0;

	if (decoded->at % AHEAD_STEPS != 0 ||
			decoded->now.count - decoded->at < (size_t)2 * AHEAD_STEPS) {
		return;
	}
	for (int i = 0; i < AHEAD_STEPS; i++) {
		sum += ahead_read(ahead, &ahead->blocks[steps[i].ended]);
	}
	for (int i = AHEAD_STEPS; i < 2 * AHEAD_STEPS; i++) {
		sum += ahead->blocks[steps[i].ended].bytes;
	}
	/* Nobody wants the sum, but it has to be made. */
	__asm__ volatile("" : : "r"(sum));
}

#endif
