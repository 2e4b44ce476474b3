/*
 * SPDX-License-Identifier: MIT
 *
 * generate MODE COUNT [SEED]: emits COUNT events of MODE (carrier or block)
 * through LTTng-UST, from two threads.  Each thread's events depend on the seed
 * alone; how the two mix does not.  Recorded by record.sh.
 */
#include "stream.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Shares as in case mixed-60-short, with a little for the allocators it leaves alone. */
const struct bench_allocator bench_allocators[BENCH_ALLOCATORS] = {
	{ "temp_alloc", 10 },
	{ "sl_alloc", 15 },
	{ "std_alloc", 10 },
	{ "ll_alloc", 10 },
	{ "eheap_alloc", 700 },
	{ "binary_alloc", 200 },
	{ "ets_alloc", 25 },
	{ "driver_alloc", 10 },
	{ "fix_alloc", 10 },
	{ "literal_alloc", 5 },
	{ "exec_alloc", 5 },
};

struct mode {
	const char *name;
	bool (*is_heard)(void);
	bool (*emit)(const struct stream *stream);
};

static const struct mode modes[] = {
	{ "carrier", carrier_stream_is_heard, carrier_stream_emit },
	{ "block", block_stream_is_heard, block_stream_emit },
};

struct worker {
	struct stream stream;

	/* Static. */
	const struct mode *mode;

	pthread_t thread;
	bool is_done;
};

/* One CPU for each thread, if there are as many, so that each fills a stream of its own. */
static void pin(unsigned int index)
{
	cpu_set_t allowed;
	cpu_set_t one;
	unsigned int seen = 0;

	if (sched_getaffinity(0, sizeof(allowed), &allowed)) {
		return;
	}
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &allowed) && seen++ == index) {
			CPU_ZERO(&one);
			CPU_SET(cpu, &one);
			(void)pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
			return;
		}
	}
}

static void *work(void *context)
{
	struct worker *worker = context;
	char name[16];

	(void)snprintf(name, sizeof(name), "%u_scheduler", worker->stream.index + 1);
	(void)pthread_setname_np(pthread_self(), name);
	pin(worker->stream.index);
	worker->is_done = worker->mode->emit(&worker->stream);
	return NULL;
}

/* The session daemon sends a new process within moments what to record. */
static bool wait_heard(const struct mode *mode)
{
	const struct timespec pause = { 0, 10000000 };

	for (unsigned int i = 0; i < 1000; i++) {
		if (mode->is_heard()) {
			return true;
		}
		(void)nanosleep(&pause, NULL);
	}
	return false;
}

static bool number_read(const char *text, uint64_t *ret_number)
{
	char *end = NULL;
	unsigned long long number;

	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || end == text || *end != '\0' || *text == '-') {
		return false;
	}
	*ret_number = number;
	return true;
}

static bool emit_all(const struct mode *mode, uint64_t count, uint64_t seed)
{
	struct worker workers[BENCH_THREADS] = { 0 };
	unsigned int started;
	bool is_done = true;

	for (started = 0; started < BENCH_THREADS; started++) {
		struct worker *worker = &workers[started];
		const uint64_t extra = started < count % BENCH_THREADS ? 1 : 0;

		worker->mode = mode;
		worker->stream.index = started;
		worker->stream.count = count / BENCH_THREADS + extra;
		worker->stream.seed = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (started + 1);
		if (pthread_create(&worker->thread, NULL, work, worker)) {
			is_done = false;
			break;
		}
	}
	while (started-- > 0) {
		(void)pthread_join(workers[started].thread, NULL);
		is_done = is_done && workers[started].is_done;
	}
	return is_done;
}

int main(int argc, char **argv)
{
	const struct mode *mode = NULL;
	uint64_t count = 0;
	uint64_t seed = 1;

	for (size_t i = 0; argc > 2 && i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(argv[1], modes[i].name) == 0) {
			mode = &modes[i];
		}
	}
	if (!mode || argc > 4 || !number_read(argv[2], &count) ||
			(argc == 4 && !number_read(argv[3], &seed))) {
		(void)fprintf(stderr, "usage: generate carrier|block COUNT [SEED]\n");
		return 2;
	}
	if (!wait_heard(mode)) {
		(void)fprintf(stderr, "generate: no session records '%s' events\n", mode->name);
		return 1;
	}
	if (!emit_all(mode, count, seed)) {
		(void)fprintf(stderr, "generate: cannot emit: out of memory or threads\n");
		return 1;
	}
	return 0;
}
