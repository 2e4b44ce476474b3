/*
 * SPDX-License-Identifier: MIT
 *
 * What one thread of the generator emits.  Each mode is one function, which
 * emits exactly count events and knows nothing of the other thread.
 */
#ifndef CSC_BENCH_STREAM_H
#define CSC_BENCH_STREAM_H

#include <stdbool.h>
#include <stdint.h>

/* Instances are dealt to the threads, so that each has its own and their counters add up. */
#define BENCH_THREADS 2

struct stream {
	/* 0 to BENCH_THREADS - 1. */
	unsigned int index;

	uint64_t seed;
	uint64_t count;
};

/* OTP's eleven allocators and how often each makes a carrier, in 1/1000. */
struct bench_allocator {
	const char *name;
	unsigned int weight;
};

#define BENCH_ALLOCATORS 11
#define BENCH_INSTANCES 9

extern const struct bench_allocator bench_allocators[BENCH_ALLOCATORS];

/* Whether a session listens to the events of this mode. */
bool carrier_stream_is_heard(void);
bool block_stream_is_heard(void);

/* False if memory ran out. */
bool carrier_stream_emit(const struct stream *stream);
bool block_stream_emit(const struct stream *stream);

#endif
