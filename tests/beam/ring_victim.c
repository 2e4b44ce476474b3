/* SPDX-License-Identifier: MIT */
/*
 * ring_victim COUNTS STOP before|after SLOTS: threads write records into rings, until the process
 * kills itself at batch STOP: before it is emitted, or after that and before the ring knows.  Each
 * thread says in the file COUNTS how many it has written.  Prints what rings_start() says.  Where
 * STOP is more than FEW_BATCHES, recording ends and begins again after AGAIN records of each
 * thread.
 *
 * Record n of a thread: of four, two blocks are made, the second is resized, the first is freed.
 * A thread with large rings waits where a record would be dropped.  A block of record n has the
 * address (thread << 32 | n) << 4.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pthread.h>
#include <sched.h>

#include "carrierscope_tp.h"
#include "rings.h"

enum { WRITERS = 3, BYTES = 100, ALMOST = 8, FEW_BATCHES = 9, AGAIN = 3000 };

static struct {
	pthread_mutex_t mutex;
	unsigned long batches;
	unsigned long stop;
	bool is_before;
} plan = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static volatile uint64_t *counts;
static pthread_barrier_t gate;
static pthread_barrier_t again;
static bool ends_once;
static uint16_t instances[UINT8_MAX + 1];

/* One at a time: nobody else is killed within an event. */
static bool emit(const struct ring_batch *batch)
{
	bool is_last;

	pthread_mutex_lock(&plan.mutex);
	is_last = batch->records > 0 && ++plan.batches == plan.stop;
	if (is_last && plan.is_before) {
		(void)kill(getpid(), SIGKILL);
	}
	lttng_ust_tracepoint(carrierscope, block_batch, batch->payload, batch->ring, batch->thread,
			batch->ordinal, batch->first_ns, batch->last_ns, batch->horizon_ns,
			batch->records, batch->lost);
	if (is_last) {
		(void)kill(getpid(), SIGKILL);
	}
	pthread_mutex_unlock(&plan.mutex);
	return true;
}

static uintptr_t listeners(void)
{
	return 1;
}

/* The next record may be dropped. */
static bool is_almost_full(const struct ring *ring)
{
	return ring_own_head(ring) - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) >
			ring->own.mask - ALMOST;
}

static void *write_records(void *argument)
{
	uint64_t thread = (uint64_t)(uintptr_t)argument;
	struct ring *ring = rings_claim(NULL, 1);
	bool is_slow = ring && ring->own.mask >= RING_FIRST_SLOTS - 1;

	(void)pthread_barrier_wait(&gate);
	if (!ring) {
		return NULL;
	}
	for (uint64_t n = 0;; n++) {
		static const enum slot_kind kinds[] = { SLOT_ALLOC, SLOT_ALLOC, SLOT_REALLOC,
			SLOT_FREE };
		enum slot_kind kind = kinds[n % 4];
		const struct ring_record record = {
			.address = (thread << 32 | (kind == SLOT_FREE ? n - 3 : n)) << 4,
			.old = (thread << 32 | (n - 1)) << 4,
			.bytes = BYTES,
			.process = n / 1000 + 1,
			.type = 5 << 7 | 1,
			.kind = (uint8_t)kind,
		};

		if (n == AGAIN && ends_once) {
			(void)pthread_barrier_wait(&again);
			(void)pthread_barrier_wait(&again);
		}
		/* Others drain it and were interrupted. */
		while (is_slow && is_almost_full(ring)) {
			(void)sched_yield();
		}
		if (!ring_try(ring, record)) {
			ring_put(ring, record);
		}
		counts[thread] = n + 1;
	}
}

int main(int argc, char **argv)
{
	const char *why = NULL;
	pthread_t thread;
	int file;

	if (argc != 5 || (file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600)) < 0 ||
			ftruncate(file, 4096) != 0) {
		return 2;
	}
	counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (counts == MAP_FAILED) {
		return 2;
	}
	plan.stop = strtoul(argv[2], NULL, 10);
	plan.is_before = strcmp(argv[3], "before") == 0;
	memset(instances, 1, sizeof(instances));
	const struct rings_options options = { .slots = strtoull(argv[4], NULL, 10),
		.emit = emit,
		.listeners = listeners,
		.instances = instances };

	if (!rings_start(&options, &why)) {
		printf("SKIPPED: %s\n", why);
		return 77;
	}
	printf("%s\n", why);
	(void)fflush(stdout);
	(void)pthread_barrier_init(&gate, NULL, WRITERS);
	(void)pthread_barrier_init(&again, NULL, WRITERS + 1);
	ends_once = plan.stop > FEW_BATCHES && options.slots > RING_FIRST_SLOTS;
	for (uintptr_t i = 1; i <= WRITERS; i++) {
		if (pthread_create(&thread, NULL, write_records, (void *)i) != 0) {
			return 2;
		}
	}
	if (ends_once) {
		(void)pthread_barrier_wait(&again);
		rings_stop();
		if (!rings_start(&options, &why)) {
			return 2;
		}
		(void)pthread_barrier_wait(&again);
	}
	(void)pthread_join(thread, NULL);
	return 2;
}
