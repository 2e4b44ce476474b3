/* SPDX-License-Identifier: MIT */
/*
 * The set of live blocks that were recorded, when not all are: a free is recorded if and
 * only if its allocation was.
 *
 * Lock-free, of a fixed size, in memory of the system's own: no allocator is called.  A block that
 * finds no place is not recorded at all, and counted.
 */
#ifndef CSC_BEAM_SAMPLED_SET_H
#define CSC_BEAM_SAMPLED_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Bits of a hash that choose a place of the filter.  Every free looks into it: 16 KiB stay in the
 * processor's cache; of 128 KiB each look was a miss, 20 ns on a busy machine.
 */
#define SAMPLED_FILTER_BITS 14

/* How many recorded blocks have each value of a part of the hash; NULL: no set was made. */
extern uint8_t *sampled_filter __attribute__((visibility("hidden")));

/* Makes the set, empty; nobody may be using it.  False: the system gives no memory. */
bool sampled_set_open(void);

/* Where the set lies, and its bytes, most of them never touched; 0: no set was made. */
size_t sampled_set_region(uintptr_t *ret_begin);

/* As many as an address can have. */
#define SAMPLED_MOST_BYTES ((UINT64_C(1) << 48) - 1)

/* What is kept of a block: the place of its stack, and its bytes, as stack_sums.h has them. */
struct sampled_block {
	uint64_t place : 16;
	uint64_t bytes : 48;
};

/*
 * Adds a block that nobody else can name yet.  What is kept of it is for the caller to write, until
 * others can name the block; NULL: there is no place.
 */
struct sampled_block *sampled_set_add(const void *block);

/* Removes a block; false: it is not there. */
bool sampled_set_remove(const void *block, struct sampled_block *ret_kept);

static inline uint64_t sampled_hash(const void *block)
{
	/* Fibonacci hashing: the golden ratio in 64 bits, the upper bits are good. */
	return (uint64_t)(uintptr_t)block * UINT64_C(0x9E3779B97F4A7C15);
}

static inline uint8_t *sampled_filter_of(uint64_t hashed)
{
	return &sampled_filter[hashed >> (64 - SAMPLED_FILTER_BITS)];
}

/*
 * False: it is not there.  Who frees a block has got it from who added it, and sees the count.
 * NULL may be asked for, and is not removed.
 */
static inline bool sampled_set_may_have(const void *block)
{
	return __atomic_load_n(sampled_filter_of(sampled_hash(block)), __ATOMIC_ACQUIRE) != 0;
}

#endif
