/* SPDX-License-Identifier: MIT */
/* The batches of threads, and until when all of them are emitted. */
#include "block_batches.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <lttng/ust-clock.h>

#include "carrierscope_tp.h"

enum { OLD_NS = 10 * 1000 * 1000 };

/* A batch that a thread fills. */
struct ring {
	/* Of all rings, the latest first. */
	struct ring *next;
	uint32_t number;
	uint32_t thread;
	uint64_t ordinal;

	/* Atomic: no record that it has, or will have, is older. */
	uint64_t bound_ns;
	struct batch_writer writer;
};

/* Atomic.  They live as long as the process. */
static struct ring *rings;
static uint32_t ring_count;
static _Thread_local struct ring *own_ring;

/* LTTng's clock, which may be another one than its default. */
static lttng_ust_clock_read64_function now_ns;

/* LTTng's functions that say what it is, from a library of its own that is not linked directly. */
typedef int get_read64(lttng_ust_clock_read64_function *read64);
typedef int get_freq(lttng_ust_clock_freq_function *freq);

bool block_batches_open(void)
{
	get_read64 *read64 =
			(get_read64 *)dlsym(RTLD_DEFAULT, "lttng_ust_trace_clock_get_read64_cb");
	get_freq *freq = (get_freq *)dlsym(RTLD_DEFAULT, "lttng_ust_trace_clock_get_freq_cb");
	lttng_ust_clock_freq_function frequency;

	return read64 && freq && read64(&now_ns) == 0 && freq(&frequency) == 0 &&
			frequency() == 1000000000;
}

/* No record that is emitted after this one is older, but those of `ring`, whose batch ends at
 * `end_ns`. */
static uint64_t horizon_of(const struct ring *ring, uint64_t end_ns)
{
	uint64_t horizon_ns = end_ns;

	for (struct ring *other = __atomic_load_n(&rings, __ATOMIC_SEQ_CST); other;
			other = other->next) {
		uint64_t bound_ns = __atomic_load_n(&other->bound_ns, __ATOMIC_SEQ_CST);

		if (other != ring && bound_ns < horizon_ns) {
			horizon_ns = bound_ns;
		}
	}
	return horizon_ns;
}

static void emit(struct ring *ring, uint64_t horizon_ns)
{
	struct batch_writer *writer = &ring->writer;
	const char *payload;

	(void)batch_end(writer, &payload);
	lttng_ust_tracepoint(carrierscope, block_batch, payload, ring->number, ring->thread,
			ring->ordinal, writer->first_ns, writer->state.time_ns, horizon_ns,
			writer->record_count, 0);
	ring->ordinal++;
	batch_begin(writer);
}

/* Emits the batch of a thread: of this one, or of one that is outside of the core. */
static void settle(struct ring *ring)
{
	uint64_t end_ns = ring->writer.state.time_ns;

	emit(ring, horizon_of(ring, end_ns));
	__atomic_store_n(&ring->bound_ns, end_ns, __ATOMIC_SEQ_CST);
}

static struct ring *find_ring(void)
{
	struct ring *ring = own_ring;

	if (ring) {
		return ring;
	}
	ring = calloc(1, sizeof(*ring));
	if (!ring) {
		return NULL;
	}
	ring->number = __atomic_fetch_add(&ring_count, 1, __ATOMIC_RELAXED);
	ring->thread = (uint32_t)gettid();
	ring->bound_ns = now_ns();
	batch_begin(&ring->writer);
	ring->next = __atomic_load_n(&rings, __ATOMIC_SEQ_CST);
	while (!__atomic_compare_exchange_n(
			&rings, &ring->next, ring, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
	}
	own_ring = ring;
	return ring;
}

bool block_batches_add(struct batch_record *record)
{
	struct ring *ring = find_ring();

	if (!ring) {
		return false;
	}
	record->time_ns = now_ns();
	if (!batch_add(&ring->writer, record)) {
		settle(ring);
		(void)batch_add(&ring->writer, record);
	}
	return true;
}

void block_batches_begin(void)
{
	struct ring *ring = find_ring();

	if (ring) {
		block_batches_settle(true);
		ring->writer.first_ns = now_ns();
		ring->writer.state.time_ns = ring->writer.first_ns;
		settle(ring);
	}
}

void block_batches_settle(bool is_all)
{
	uint64_t before_ns = is_all ? UINT64_MAX : now_ns() - OLD_NS;

	for (struct ring *ring = __atomic_load_n(&rings, __ATOMIC_SEQ_CST); ring;
			ring = ring->next) {
		if (ring->writer.record_count > 0 && ring->writer.first_ns < before_ns) {
			settle(ring);
		}
	}
}

void block_batches_end(void)
{
	struct ring *ring = find_ring();

	block_batches_settle(true);
	if (ring) {
		emit(ring, UINT64_MAX);
	}
}
