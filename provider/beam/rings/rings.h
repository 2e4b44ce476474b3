/* SPDX-License-Identifier: MIT */
/*
 * The rings of all threads, and the thread that makes batches of them.
 *
 * A thread takes a ring by itself, when it has something to record for the first time; those of
 * threads that ended are used again.  A ring has less than 1 MiB, a sixteenth of which it begins
 * with, and there are RINGS_MOST of them at most.  They lie in a file of /dev/shm if that has room:
 * who loads the trace of a process that was killed finds there what no batch had (ring_file.h).  A
 * thread whose ring is three quarters full makes batches of it itself; where the ring is being
 * drained just then and is full, records are dropped and counted.
 *
 * A batch says until when all other batches are out: the horizon.  It is the least of what is known
 * of each ring after the round of the drainer that ended last.
 *
 * A child that the process forks finds its rings empty and closed (MADV_WIPEONFORK): it writes
 * nothing.
 */
#ifndef CSC_RINGS_H
#define CSC_RINGS_H

#include "drain.h"

struct rings_options {
	/* A power of two, at least 16. */
	uint64_t slots;
	ring_emit *emit;

	/* Another number for each change of those who listen; 0: nobody does. */
	uintptr_t (*listeners)(void);

	/* Of allocator n, all UINT8_MAX + 1 of them. */
	const uint16_t *instances;
};

/*
 * Looks what the system can do, and begins: there is a thread that drains until rings_stop().
 * False: rings cannot be used here.  In any case *ret_why says, in words, how or why not.  A
 * sentence of errno is not kept.  One caller at a time, for this and rings_stop().
 */
bool rings_start(const struct rings_options *options, const char **ret_why);

/*
 * After nobody writes any more: drains all that was written, says that nothing more comes, and ends
 * the thread.  Nothing if it was not started.
 */
void rings_stop(void);

bool rings_are_on(void);

/* A ring for the calling thread, with the instance that it has; NULL: there is none.  Keeps errno.
 */
struct ring *rings_claim(struct ring *own, uint16_t instance);

/* A record that found no ring and nobody else was told of. */
void rings_lose(void);

/* What was written is to be drained soon.  Does not wait, takes no lock that is held. */
void rings_nudge(void);

/* Waits until what was written before is drained, 0.1 s at most: of use where the process ends. */
void rings_flush(void);

/* The process ends: what is in rings is not asked for. */
void rings_end(void);

/* Records that were dropped since the process began. */
uint64_t rings_lost(void);

/* Records of rings since the process began, those that were dropped as well. */
void rings_count(uint64_t *ret_allocs, uint64_t *ret_frees, uint64_t *ret_reallocs);

/* Where ring `number` is mapped, from 0 on: its bytes; 0: there is no such ring. */
size_t rings_region(uint32_t number, uintptr_t *ret_begin);

#endif
