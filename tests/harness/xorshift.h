/*
 * SPDX-License-Identifier: MIT
 *
 * Random numbers for property tests: the same seed gives the same test.
 */
#ifndef CSC_TEST_XORSHIFT_H
#define CSC_TEST_XORSHIFT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* xorshift64; `seed` is its state and never 0. */
static inline uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* The seed of a test, which it prints: CSC_TEST_SEED, or always the same. */
static inline uint64_t first_seed(void)
{
	const char *text = getenv("CSC_TEST_SEED"); // NOLINT(concurrency-mt-unsafe)
	uint64_t seed = text ? strtoull(text, NULL, 0) : UINT64_C(0x9e3779b97f4a7c15);

	(void)printf("seed: CSC_TEST_SEED=%#llx\n", (unsigned long long)seed);
	return seed;
}

#endif
