/* SPDX-License-Identifier: MIT */
/*
 * Functions of ours before those of the allocators of a running emulator.
 *
 * They are called on every thread that allocates: schedulers, dirty ones, the aux thread, threads
 * of drivers.  Without a session that listens they read one word and jump on.  They take no lock,
 * call no hooked allocator, keep errno, and write an event into LTTng's ring buffer; in its default
 * mode that discards what finds no room, and counts it.
 *
 * The image of this library stays mapped until the process ends, since a thread may be inside of a
 * function here at any time (link option -z nodelete).
 *
 * Every block is a record in a ring of its thread, of which another thread makes batches (rings/);
 * where that cannot be, and where a session listens to single events alone, an event.
 *
 * Order.  An allocation is recorded after the call and a free before it, so that the thread that
 * gets the address next records it later.  A realloc is recorded once, after the call: where a
 * block moves, another thread may have got the old address in between, and have recorded it
 * already; between schedulers that takes a block that one of them frees and the other one's
 * instance hands out within the same call.  Counts are right in any case.
 *
 * Samples.  Every thread draws for itself.  By bytes: hits are a Poisson process over the bytes
 * that are allocated, `every` apart in the mean, as the heap profilers of tcmalloc and Go do it; a
 * block of s bytes is recorded if a hit falls into it, which has the probability
 *
 *     p(s) = 1 - exp(-s / every)
 *
 * By count: every block has p = 1 / every.  A sampled block carries the weight 1 / p.  The sum of
 * weights over sampled blocks of any kind has the number of all such blocks as its mean (Horvitz
 * and Thompson), the sum of weight * size their bytes, and the sum of weight * (weight - 1) is the
 * estimate of the variance of the first.  The free of a sampled block is recorded, of others never:
 * a listener adds at sample_alloc and takes off, at sample_free of the same address, what it added.
 * A block that is resized is one that is freed and one that is drawn anew.  Blocks from before the
 * hook are not in a sample.
 */
#ifndef CSC_BEAM_HOOK_H
#define CSC_BEAM_HOOK_H

#include "emulator.h"

enum sample_by {
	SAMPLE_NONE,
	SAMPLE_BYTES,
	SAMPLE_COUNT,
};

struct hook_options {
	/* Bit n: allocator n. */
	uint32_t allocators;

	/* Bit n % 64 of word n / 64: type number n; only if type_count is not 0. */
	uint16_t type_count;
	uint64_t types[EMULATOR_TYPES / 64];

	/* Smaller requests are not recorded; 0: all are. */
	uint64_t min_bytes;

	/* Mean distance of samples, in bytes or blocks, at least 2. */
	enum sample_by sample_by;
	uint64_t sample_every;

	/* Samples name the stack of the process that allocates, where it can be read. */
	bool has_stacks;

	/* Samples fire probes for profilers of the machine, also where no session listens. */
	bool has_probes;

	/* Every block is an event of its own, also where rings could be used. */
	bool wants_single;
};

/* Of events since hook_prepare() that some session had enabled. */
struct hook_counts {
	uint64_t allocs;
	uint64_t frees;
	uint64_t reallocs;
	uint64_t failures;
	uint64_t untracked;

	/* Of these, records that found no room in a ring. */
	uint64_t lost;
};

/*
 * Tries the functions on the calling thread's own blocks: they must see what was done.  False: the
 * sentence says why nothing may be hooked.  One caller at a time, for all of these.
 */
bool hook_prepare(const struct emulator *emulator, const struct hook_options *options,
		struct diag *diag);

/* Puts the functions before the chosen allocators, after hook_prepare(). */
void hook_start(void);

/* Puts the allocators' own functions back; threads may be in ours for a moment still. */
void hook_stop(void);

bool hook_is_on(void);
const struct hook_options *hook_options(void);
void hook_counts(struct hook_counts *ret_counts);

/* Whether blocks are records of rings, and in words how, or why not, at the latest start. */
bool hook_has_rings(void);
const char *hook_events_why(void);

/*
 * After hook_stop(): waits until threads that were in our functions have left them and counted what
 * they emitted, as far as that shows in counts that no longer change: 40 ms, at most half a second.
 * Then rings are drained.
 */
void hook_settle(void);

/* Bytes of its own variables. */
size_t hook_bytes(void);

#endif
