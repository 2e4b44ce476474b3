/* SPDX-License-Identifier: MIT */
/*
 * Several threads, each with its own instance, hand blocks to each other: what one allocates
 * another frees or resizes, carriers migrate, and in the end nothing is left.
 *
 * Meant for the thread sanitizer.  CSC_OPS in the environment chooses the length.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "csc.h"
#include "linux.h"
#include "sample.h"
#include "xorshift.h"

#define THREADS 4
#define SLOTS 1024
/* Operations between two rounds of progress. */
#define ROUND 500

struct slot {
	pthread_mutex_t lock;
	uint64_t user;
	uint64_t bytes;
};

struct shared {
	struct linux_target *target;
	struct csc_core core;
	struct csc_instance *table[THREADS + 2];
	struct csc_instance *instances[THREADS + 1];
	pthread_mutex_t locks[THREADS + 2];
	struct slot slots[SLOTS];
	pthread_barrier_t barrier;
	uint64_t rounds;
};

struct worker {
	struct shared *shared;
	uint32_t index;
	pthread_t thread;
	/* Bytes that were not as they had been written. */
	uint64_t damaged;
};

static void lock(void *context, uint32_t id)
{
	pthread_mutex_lock(&((struct shared *)context)->locks[id]);
}

static void unlock(void *context, uint32_t id)
{
	pthread_mutex_unlock(&((struct shared *)context)->locks[id]);
}

static void write_marks(uint64_t user, uint64_t bytes)
{
	memset((void *)(uintptr_t)user, (int)(bytes & 0xFF), bytes);
}

static uint64_t count_damage(uint64_t user, uint64_t bytes, uint64_t mark)
{
	const unsigned char *data = (const unsigned char *)(uintptr_t)user;
	uint64_t damaged = 0;

	for (uint64_t i = 0; i < bytes; i++) {
		damaged += data[i] != (mark & 0xFF);
	}
	return damaged;
}

/* Work on a random slot, most of which belong to all. */
static void work(struct worker *worker, struct csc_instance *instance, uint64_t *state, bool is_low)
{
	struct slot *slot = &worker->shared->slots[next_random(state) % SLOTS];
	uint64_t bytes = next_random(state) % 3000 + (next_random(state) % 64 ? 0 : 70000);
	uint64_t user;
	uint64_t old;

	pthread_mutex_lock(&slot->lock);
	user = slot->user;
	old = slot->bytes;
	slot->user = 0;
	if (!user) {
		if (!is_low || next_random(state) % 8 == 0) {
			slot->user = csc_alloc(instance, bytes);
			slot->bytes = bytes;
			write_marks(slot->user, bytes);
		}
	} else {
		worker->damaged += count_damage(user, old, old);
		if (!is_low && next_random(state) % 4 == 0) {
			slot->user = csc_realloc(instance, user, bytes);
			slot->bytes = bytes;
			worker->damaged += count_damage(slot->user, bytes < old ? bytes : old, old);
			write_marks(slot->user, bytes);
		} else {
			csc_free(instance, user);
		}
	}
	pthread_mutex_unlock(&slot->lock);
}

static void *run(void *argument)
{
	struct worker *worker = argument;
	struct shared *shared = worker->shared;
	uint64_t state = worker->index * 7919 + 88172645463325252;

	for (uint64_t round = 0; round < shared->rounds; round++) {
		for (int i = 0; i < ROUND; i++) {
			work(worker, shared->instances[worker->index], &state, round / 4 % 2);
		}
		/* Everybody stands still: what was queued and fetched before is past. */
		if (pthread_barrier_wait(&shared->barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
			csc_core_progress(&shared->core);
		}
		pthread_barrier_wait(&shared->barrier);
	}
	return NULL;
}

static void start(struct shared *shared, const struct csc_sync *sync, enum csc_strategy strategy)
{
	struct linux_options options = {
		.mseg_count = THREADS + 1,
		.segment = { .page_bytes = 4096,
				.unit_bytes = 16384,
				.slots = 10,
				.relative_bad_fit = 20,
				.absolute_bad_fit = 4194304 },
	};

	shared->target = linux_target_create(&options);
	assert_non_null(shared->target);
	csc_core_init(&shared->core, csc_generation_find("25"), linux_target_memory(shared->target),
			NULL, shared->table, THREADS + 2);
	csc_core_share(&shared->core, sync);
	for (uint32_t i = 0; i <= THREADS; i++) {
		struct csc_instance_config config = sample_config(i, strategy, true);

		config.settings.acul = i ? 85 : 0;
		shared->instances[i] = malloc(csc_instance_bytes());
		assert_true(csc_instance_init(shared->instances[i], &shared->core, &config));
	}
}

static uint64_t finish(struct shared *shared)
{
	uint64_t fetched = 0;
	bool has_more = true;

	for (int i = 0; i < SLOTS; i++) {
		csc_free(shared->instances[0], shared->slots[i].user);
	}
	csc_core_progress(&shared->core);
	while (has_more) {
		has_more = false;
		for (uint32_t i = 0; i <= THREADS; i++) {
			has_more |= csc_instance_drain(shared->instances[i]);
		}
	}
	csc_core_progress(&shared->core);
	for (uint32_t i = 0; i <= THREADS; i++) {
		struct csc_statistics counted;

		csc_instance_release(shared->instances[i]);
		assert_true(csc_instance_is_valid(shared->instances[i]));
		csc_instance_statistics(shared->instances[i], false, &counted);
		assert_int_equal(counted.mbcs.carriers.now, 0);
		assert_int_equal(counted.sbcs.carriers.now, 0);
		assert_int_equal(counted.pool_carriers, 0);
		fetched += counted.pool_counters[CSC_POOL_FETCH];
		free(shared->instances[i]);
	}
	assert_int_equal(linux_target_counters(shared->target, 0)->segments, 0);
	linux_target_destroy(shared->target);
	return fetched;
}

static void test_threads(enum csc_strategy strategy)
{
	const char *text = getenv("CSC_OPS");
	struct shared *shared = calloc(1, sizeof(*shared));
	struct csc_sync sync = { .context = shared, .lock = lock, .unlock = unlock };
	struct worker workers[THREADS];
	uint64_t damaged = 0;

	assert_non_null(shared);
	shared->rounds = (text ? strtoull(text, NULL, 10) : 40000) / ROUND;
	pthread_barrier_init(&shared->barrier, NULL, THREADS);
	for (int i = 0; i < THREADS + 2; i++) {
		pthread_mutex_init(&shared->locks[i], NULL);
	}
	for (int i = 0; i < SLOTS; i++) {
		pthread_mutex_init(&shared->slots[i].lock, NULL);
	}
	start(shared, &sync, strategy);
	for (uint32_t i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){ .shared = shared, .index = i + 1 };
		assert_int_equal(pthread_create(&workers[i].thread, NULL, run, &workers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		damaged += workers[i].damaged;
	}
	assert_int_equal(damaged, 0);
	print_message("%s: %llu carriers fetched\n", csc_strategy_name(strategy),
			(unsigned long long)finish(shared));
	pthread_barrier_destroy(&shared->barrier);
	free(shared);
}

static void test_aoffcbf(void **state)
{
	(void)state;
	test_threads(CSC_AOFFCBF);
}

static void test_ageffcaobf(void **state)
{
	(void)state;
	test_threads(CSC_AGEFFCAOBF);
}

static void test_aoff(void **state)
{
	(void)state;
	test_threads(CSC_AOFF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aoffcbf),
		cmocka_unit_test(test_ageffcaobf),
		cmocka_unit_test(test_aoff),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
