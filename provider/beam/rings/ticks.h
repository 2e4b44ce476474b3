/* SPDX-License-Identifier: MIT */
/*
 * What time it is, for a few ns: the processor's counter, where the system's own clock is made of
 * it, and else the system's clock.  Ticks are made ns of CLOCK_MONOTONIC, LTTng's clock, later and
 * by another thread: by one line, which is bent a little every 100 ms towards that clock and has no
 * steps, so that ticks and ns are always in the same order, whoever asks.
 */
#ifndef CSC_RING_TICKS_H
#define CSC_RING_TICKS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "ring_file.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* Changed only while no ring is used. */
extern bool ticks_are_counted __attribute__((visibility("hidden")));

static inline uint64_t ticks_of_clock(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* The counter, where ticks_are_counted: not before what the thread has read until now. */
static inline uint64_t ticks_counted_after(void)
{
#if defined(__x86_64__)
	unsigned int processor;

	return __rdtscp(&processor);
#else
	return 0;
#endif
}

/* The same: not after what the thread writes from now on. */
static inline uint64_t ticks_counted_before(void)
{
#if defined(__x86_64__)
	return __rdtsc();
#else
	return 0;
#endif
}

static inline uint64_t ticks_after(void)
{
	return ticks_are_counted ? ticks_counted_after() : ticks_of_clock();
}

/* Chooses the clock and begins the line, which takes some ms.  Yields what it is, in words. */
const char *ticks_open(void);

/* Keeps a copy of the line there as well from now on; NULL: no more. */
void ticks_copy_line(struct ticks_line *copy);

/* Bends the line if it is time to; one thread at a time. */
void ticks_adjust(void);

/* The piece for ticks that have been, by any thread. */
struct ticks_piece ticks_piece_of(uint64_t ticks);

uint64_t ticks_to_ns(uint64_t ticks);

#endif
