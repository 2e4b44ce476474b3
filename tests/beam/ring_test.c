/* SPDX-License-Identifier: MIT */
/*
 * Rings without a node: threads write records, a thread makes batches of them, and each record is
 * in exactly one batch, in order, or counted as lost.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <pthread.h>

#include "rings.h"

enum {
	WRITERS = 4,
	RECORDS = 100000,

	/* More threads than there are rings. */
	CROWD = RINGS_MOST + 20,
	WAIT_S = 120,
};

/* What came of a writer's records. */
struct received {
	uint64_t count;
	uint64_t next;
	uint64_t skipped;
	uint64_t lost;
	uint64_t last_ns;
	uint32_t thread;
	uint64_t process;
	uint64_t wrong;
};

static struct {
	pthread_mutex_t mutex;
	struct received of[WRITERS + 1];
	uint64_t batches;
	uint64_t records;
	uint64_t lost;
	uint64_t horizon_ns;
	uint64_t next_ordinal[RINGS_MOST + 1];
	uint64_t late;
	uint64_t gaps;
	uint64_t damaged;
	bool has_ended;
	/* Until when the next batch is held up. */
	bool is_slow;
} trace = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static uint16_t instances[UINT8_MAX + 1];
static uintptr_t session = 1;

static void take_record(const struct ring_batch *batch, const struct batch_record *record)
{
	size_t writer = record->type;
	uint64_t number = record->address >> 3;
	struct received *got = &trace.of[writer <= WRITERS ? writer : WRITERS];

	got->skipped += number - got->next;
	got->wrong += number < got->next || record->time_ns < got->last_ns ||
			record->time_ns < batch->first_ns || record->time_ns > batch->last_ns ||
			record->bytes != number + 1 || record->instance != writer ||
			record->kind != number % 3 ||
			(record->kind == BATCH_REALLOC &&
					record->old_address != record->address + 8);
	if (record->kind != BATCH_FREE) {
		got->wrong += !record->has_process || record->process != number / 7;
	}
	got->next = number + 1;
	got->count++;
	got->last_ns = record->time_ns;
	got->thread = batch->thread;
}

static void take_batch(const struct ring_batch *batch)
{
	struct batch_reader reader;
	struct batch_record record;
	uint32_t count = 0;
	int result;

	trace.batches++;
	trace.records += batch->records;
	trace.lost += batch->lost;
	trace.gaps += batch->ordinal != trace.next_ordinal[batch->ring];
	trace.next_ordinal[batch->ring] = batch->ordinal + 1;
	trace.late += batch->records > 0 && batch->first_ns < trace.horizon_ns;
	trace.has_ended = batch->horizon_ns == UINT64_MAX;
	if (batch->horizon_ns > trace.horizon_ns && !trace.has_ended) {
		trace.horizon_ns = batch->horizon_ns;
	}
	batch_open(&reader, batch->payload, strlen(batch->payload));
	while ((result = batch_next(&reader, &record)) > 0) {
		take_record(batch, &record);
		count++;
	}
	trace.damaged += result < 0 || count != batch->records;
}

static bool emit(const struct ring_batch *batch)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	pthread_mutex_lock(&trace.mutex);
	take_batch(batch);
	pthread_mutex_unlock(&trace.mutex);
	if (trace.is_slow && batch->records > 0) {
		(void)nanosleep(&pause, NULL);
	}
	return true;
}

static uintptr_t listeners(void)
{
	return __atomic_load_n(&session, __ATOMIC_RELAXED);
}

static void start(void)
{
	const struct rings_options options = {
		/* Mapped once for all tests. */
		.slots = 64,
		.emit = emit,
		.listeners = listeners,
		.instances = instances,
	};
	const char *why = NULL;

	for (size_t i = 0; i <= UINT8_MAX; i++) {
		instances[i] = UINT16_MAX;
	}
	memset(trace.of, 0, sizeof(trace.of));
	trace.records = 0;
	trace.lost = 0;
	trace.is_slow = false;
	if (!rings_start(&options, &why)) {
		print_message("SKIPPED: %s\n", why);
		skip();
	}
	assert_non_null(why);
	assert_true(rings_are_on());
}

static void stop(void)
{
	rings_stop();
	assert_false(rings_are_on());
	assert_true(trace.has_ended);
	assert_int_equal(trace.damaged, 0);
	assert_int_equal(trace.gaps, 0);
	assert_int_equal(trace.late, 0);
}

/* Record `number` of a writer: its fields follow from it. */
static void put(struct ring *ring, uint16_t writer, uint64_t number)
{
	const struct ring_record record = {
		.address = number << 3,
		.old = (number << 3) + 8,
		.bytes = number + 1,
		.process = number / 7,
		.type = (uint64_t)writer << 7 | 3,
		.kind = (uint8_t)(number % 3),
	};

	if (!ring_try(ring, record)) {
		ring_put(ring, record);
	}
}

struct writer {
	pthread_t thread;
	struct ring *ring;
	uint32_t id;
	uint16_t number;
};

static void *write_records(void *argument)
{
	struct writer *writer = argument;

	writer->ring = rings_claim(NULL, writer->number);
	writer->id = (uint32_t)gettid();
	for (uint64_t i = 0; writer->ring && i < RECORDS; i++) {
		put(writer->ring, writer->number, i);
	}
	return NULL;
}

/* Each thread's records are in its batches, in order, and what is missing was counted. */
static void test_threads(void **state)
{
	struct writer writers[WRITERS] = { 0 };

	(void)state;
	for (int is_slow = 0; is_slow <= 1; is_slow++) {
		uint64_t lost_before = rings_lost();
		uint64_t skipped = 0;

		start();
		trace.is_slow = is_slow;
		for (size_t i = 0; i < WRITERS; i++) {
			writers[i].number = (uint16_t)i;
			assert_int_equal(pthread_create(&writers[i].thread, NULL, write_records,
							 &writers[i]),
					0);
		}
		for (size_t i = 0; i < WRITERS; i++) {
			assert_int_equal(pthread_join(writers[i].thread, NULL), 0);
		}
		stop();
		for (size_t i = 0; i < WRITERS; i++) {
			const struct received *got = &trace.of[i];

			assert_non_null(writers[i].ring);
			assert_int_equal(got->wrong, 0);
			assert_int_equal(got->thread, writers[i].id);
			assert_true(got->count > 0);
			skipped += got->skipped + RECORDS - got->next;
		}
		assert_int_equal(trace.records + trace.lost, WRITERS * (uint64_t)RECORDS);
		assert_int_equal(trace.lost, skipped);
		assert_int_equal(trace.lost, rings_lost() - lost_before);
		print_message("%llu of %d records were dropped in rings of 64 slots%s\n",
				(unsigned long long)trace.lost, WRITERS * RECORDS,
				is_slow ? ", slowly drained" : "");
	}
}

/* Nobody drains: what has no room is counted, by the batch of the next record that has. */
static void test_full(void **state)
{
	struct ring *ring;

	(void)state;
	start();
	ring = rings_claim(NULL, 0);
	assert_non_null(ring);
	put(ring, 0, 0);
	while (!ring_lock(ring)) {
	}
	for (uint64_t i = 1; i < 1000; i++) {
		put(ring, 0, i);
	}
	ring_unlock(ring);
	put(ring, 0, 1000);
	rings_nudge();
	while (__atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) !=
			ring_head(ring, __ATOMIC_ACQUIRE)) {
	}
	pthread_mutex_lock(&trace.mutex);
	assert_true(trace.lost > 900);
	assert_true(trace.of[0].skipped == trace.lost);
	assert_int_equal(trace.of[0].next, 1001);
	pthread_mutex_unlock(&trace.mutex);

	/* The last ones of a recording. */
	while (!ring_lock(ring)) {
	}
	for (uint64_t i = 1001; i < 2001; i++) {
		put(ring, 0, i);
	}
	ring_unlock(ring);
	stop();
	assert_int_equal(trace.records + trace.lost, 2001);
	assert_int_equal(trace.of[0].skipped + 2001 - trace.of[0].next, trace.lost);
	assert_int_equal(trace.of[0].wrong, 0);
}

static struct ring *signalled;
static uint64_t handled;

static void on_signal(int number)
{
	(void)number;
	put(signalled, WRITERS, handled * 3 + 1);
	handled++;
}

static void *send_signals(void *argument)
{
	const pthread_t *thread = argument;
	const struct timespec pause = { .tv_nsec = 20000 };

	for (int i = 0; i < 20000; i++) {
		(void)pthread_kill(*thread, SIGUSR1);
		(void)nanosleep(&pause, NULL);
	}
	__atomic_store_n(&session, 2, __ATOMIC_RELEASE);
	return NULL;
}

/* A handler that writes while its thread does. */
static void test_signals(void **state)
{
	struct sigaction action = { .sa_handler = on_signal };
	pthread_t self = pthread_self();
	pthread_t sender;
	uint64_t written = 0;

	(void)state;
	start();
	signalled = rings_claim(NULL, 0);
	assert_non_null(signalled);
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	assert_int_equal(pthread_create(&sender, NULL, send_signals, &self), 0);
	while (__atomic_load_n(&session, __ATOMIC_ACQUIRE) != 2) {
		put(signalled, 0, written++);
	}
	assert_int_equal(pthread_join(sender, NULL), 0);
	stop();
	assert_true(handled > 0);
	assert_int_equal(trace.records + trace.lost, written + handled);
}

static void *claim(void *argument)
{
	struct writer *writer = argument;

	writer->ring = rings_claim(NULL, writer->number);
	if (writer->ring) {
		put(writer->ring, 0, 0);
	}
	return NULL;
}

static pthread_barrier_t gate;

static void *claim_and_wait(void *argument)
{
	(void)claim(argument);
	(void)pthread_barrier_wait(&gate);
	(void)pthread_barrier_wait(&gate);
	return NULL;
}

/* There are no more rings than RINGS_MOST, and those of threads that ended are used again. */
static void test_crowd(void **state)
{
	static struct writer crowd[CROWD];
	struct writer one = { .number = 0 };
	const struct timespec pause = { .tv_nsec = 10000000 };
	size_t without = 0;

	(void)state;
	start();
	assert_int_equal(pthread_barrier_init(&gate, NULL, CROWD + 1), 0);
	for (size_t i = 0; i < CROWD; i++) {
		assert_int_equal(pthread_create(&crowd[i].thread, NULL, claim_and_wait, &crowd[i]),
				0);
	}
	(void)pthread_barrier_wait(&gate);
	for (size_t i = 0; i < CROWD; i++) {
		without += !crowd[i].ring;
	}
	(void)pthread_barrier_wait(&gate);
	for (size_t i = 0; i < CROWD; i++) {
		assert_int_equal(pthread_join(crowd[i].thread, NULL), 0);
	}
	assert_true(without >= CROWD - RINGS_MOST);
	assert_true(without < CROWD);
	for (int i = 0; !one.ring && i < WAIT_S * 100; i++) {
		assert_int_equal(pthread_create(&one.thread, NULL, claim, &one), 0);
		assert_int_equal(pthread_join(one.thread, NULL), 0);
		(void)nanosleep(&pause, NULL);
	}
	assert_non_null(one.ring);
	stop();
	assert_int_equal(trace.records + trace.lost, CROWD - without + 1);
}

/* A child writes nothing, and takes nothing away. */
static void test_fork(void **state)
{
	struct ring *ring;
	int status = -1;
	pid_t child;

	(void)state;
	start();
	ring = rings_claim(NULL, 0);
	assert_non_null(ring);
	for (uint64_t i = 0; i < 40; i++) {
		put(ring, 0, i);
	}
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		uint64_t batches = trace.batches;

		for (uint64_t i = 0; i < 1000; i++) {
			put(ring, 0, i);
		}
		_exit(trace.batches == batches && !rings_claim(NULL, 0) && !rings_claim(ring, 0)
						? 0
						: 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	for (uint64_t i = 40; i < 50; i++) {
		put(ring, 0, i);
	}
	stop();
	assert_int_equal(trace.records, 50);
	assert_int_equal(trace.lost, 0);
	assert_int_equal(trace.of[0].wrong, 0);
}

/* Ticks as ns are CLOCK_MONOTONIC, and keep their order while the line is bent. */
static void test_ticks(void **state)
{
	const uint64_t most_ns = 2000000;
	uint64_t last_ns = 0;
	uint64_t end_ns;

	(void)state;
	start();
	end_ns = ticks_of_clock() + 1000000000;
	for (uint64_t before_ns = ticks_of_clock(); before_ns < end_ns;) {
		uint64_t ns = ticks_to_ns(ticks_after());
		uint64_t after_ns = ticks_of_clock();

		assert_true(ns >= last_ns);
		assert_true(ns + most_ns >= before_ns && ns <= after_ns + most_ns);
		last_ns = ns;
		before_ns = after_ns;
	}
	stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_signals),
		cmocka_unit_test(test_fork),
		cmocka_unit_test(test_ticks),
		cmocka_unit_test(test_crowd),
	};

	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	rings_end();
	return failed;
}
