/* SPDX-License-Identifier: MIT */
/*
 * What the samples of each stack stand for: made since the hook, and what of it is live.
 *
 * Lock-free, of a fixed size, in memory of the system's own.  A stack has its place in stack_set.h;
 * samples of no stack have STACK_SUMS_NONE.
 */
#ifndef CSC_BEAM_STACK_SUMS_H
#define CSC_BEAM_STACK_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack_set.h"

#define STACK_SUMS_NONE STACKS

struct stack_sum {
	uint64_t samples;
	/* Estimated bytes.  What is freed may leave a little less than nothing, by rounding. */
	double made;
	double live;
	/* Of the estimate of what is live: its variance, in bytes squared. */
	double live_variance;
};

/* A sampled block: its stack's place, its bytes, and how many blocks it stands for. */
struct stack_sample {
	size_t place;
	uint64_t bytes;
	double weight;
};

/* Makes them, all 0; nobody may be using them.  False: the system gives no memory. */
bool stack_sums_open(void);

void stack_sums_add(const struct stack_sample *sample);
void stack_sums_remove(const struct stack_sample *sample);

/* Of a place: each figure at some moment, and 0 where no sums were made. */
struct stack_sum stack_sums_get(size_t place);

/* Where they lie, and their bytes; 0: none were made. */
size_t stack_sums_region(uintptr_t *ret_begin);

#endif
