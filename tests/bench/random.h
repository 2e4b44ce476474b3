/*
 * SPDX-License-Identifier: MIT
 *
 * Seeded random numbers for the generator: the same seed gives the same events.
 */
#ifndef CSC_BENCH_RANDOM_H
#define CSC_BENCH_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state;
};

/* xorshift64*: fast, and good enough to draw sizes from. */
static inline uint64_t random_next(struct random *random)
{
	random->state ^= random->state >> 12;
	random->state ^= random->state << 25;
	random->state ^= random->state >> 27;
	return random->state * UINT64_C(2685821657736338717);
}

/* 0 to limit - 1; limit is not 0. */
static inline uint32_t random_below(struct random *random, uint32_t limit)
{
	return (uint32_t)(((random_next(random) >> 32) * limit) >> 32);
}

/* Above 0, at most 1. */
static inline double random_unit(struct random *random)
{
	return (double)((random_next(random) >> 11) + 1) / 9007199254740992.0;
}

#endif
