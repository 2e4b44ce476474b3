/* SPDX-License-Identifier: MIT */
/* The random variables of a workload: how they are written, and drawing from them. */
#ifndef CSC_WORKLOAD_RANDOM_H
#define CSC_WORKLOAD_RANDOM_H

#include "workload.h"
#include "workload_text.h"

/* A stream of random numbers that depends on nothing but its seed. */
struct chance {
	uint64_t state;
};

void chance_init(struct chance *chance, uint64_t seed, uint64_t stream);
uint64_t chance_next(struct chance *chance);
/* From 0 to `count` - 1. */
uint64_t chance_below(struct chance *chance, uint64_t count);
/* In [0, 1). */
double chance_real(struct chance *chance);

/* Reads the kind and its numbers from the third word on. */
enum csc_status workload_size_take(struct workload_size *size, const struct words *words);
enum csc_status workload_life_take(struct workload_life *life, const struct words *words);

/* In bytes. */
uint64_t workload_size_draw(const struct workload_size *size, struct chance *chance);

/* In operations; for lives that are measured in them. */
uint64_t workload_life_draw(const struct workload_life *life, struct chance *chance);

/* The next larger size of a process heap, in bytes, for one of `bytes`; 0: none up to `size`. */
uint64_t workload_heap_next(const struct workload_size *size, uint64_t bytes);

#endif
