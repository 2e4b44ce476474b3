/* SPDX-License-Identifier: MIT */
/* Rings are mapped for good: a thread may be inside of one at any time. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rings_state.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

struct ring_reader rings_reader(void)
{
	return (struct ring_reader){
		.emit = rings.options.emit,
		.instances = rings.options.instances,
		.horizon_ns = __atomic_load_n(&rings.horizon_ns, __ATOMIC_ACQUIRE),
	};
}

void *rings_map(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED) {
		return NULL;
	}
	if (madvise(memory, bytes, MADV_WIPEONFORK) != 0) {
		(void)munmap(memory, bytes);
		return NULL;
	}
	return memory;
}

static struct ring *make_ring(uint32_t number)
{
	uint64_t slots = rings.options.slots < RING_FIRST_SLOTS ? rings.options.slots
								: RING_FIRST_SLOTS;
	struct ring *ring = rings_map(rings.bytes);

	if (!ring) {
		return NULL;
	}
	/* 0 is the drainer's own. */
	ring->number = number + 1;
	if (rings.file && !rings_share(ring, slots)) {
		__atomic_fetch_add(&rings.file->unshared, 1, __ATOMIC_RELAXED);
		(void)munmap(ring, rings.bytes);
		ring = rings_map(rings.bytes);
		if (!ring) {
			return NULL;
		}
		ring->number = number + 1;
	}
	ring->own.mask = (ring->is_shared ? slots : rings.options.slots) - 1;
	ring->own.process = RING_NO_PROCESS;
	ring->process = RING_NO_PROCESS;
	ring_page(ring)->mask = ring->own.mask;
	ring_forget(ring, 0);
	ring->bound = ticks_after();
	ring->seen_ticks = ring->bound;
	return ring;
}

/* A ring that nobody has, or a new one. */
static struct ring *find_free(uint32_t owner)
{
	uint32_t count = __atomic_load_n(&rings.count, __ATOMIC_ACQUIRE);
	struct ring *ring;

	for (uint32_t i = 0; i < count && i < RINGS_MOST; i++) {
		uint32_t nobody = 0;

		ring = __atomic_load_n(&rings.list[i], __ATOMIC_ACQUIRE);
		if (ring &&
				__atomic_compare_exchange_n(&ring->owner, &nobody, owner, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
			__atomic_store_n(&ring_page(ring)->intact,
					ring_head(ring, __ATOMIC_RELAXED), __ATOMIC_RELEASE);
			return ring;
		}
	}
	if (count >= RINGS_MOST) {
		return NULL;
	}
	count = __atomic_fetch_add(&rings.count, 1, __ATOMIC_ACQ_REL);
	if (rings.file) {
		__atomic_fetch_add(&rings.file->rings, 1, __ATOMIC_ACQ_REL);
	}
	ring = count < RINGS_MOST ? make_ring(count) : NULL;
	if (ring) {
		ring->owner = owner;
		__atomic_store_n(&rings.list[count], ring, __ATOMIC_RELEASE);
	}
	return ring;
}

struct ring *rings_claim(struct ring *own, uint16_t instance)
{
	int error = errno;
	struct ring *ring = own;

	if (!rings.control || rings_are_of_parent()) {
		return NULL;
	}
	if (!ring) {
		ring = find_free((uint32_t)syscall(SYS_gettid));
	}
	if (ring) {
		__atomic_store_n(&ring->instance, instance, __ATOMIC_RELAXED);
		__atomic_store_n(&ring_page(ring)->instance, instance, __ATOMIC_RELAXED);
		__atomic_store_n(&ring_page(ring)->thread,
				__atomic_load_n(&ring->owner, __ATOMIC_RELAXED), __ATOMIC_RELEASE);
		__atomic_store_n(&ring->wants_name, true, __ATOMIC_RELEASE);
		__atomic_store_n(&ring->soft, 0, __ATOMIC_RELEASE);
	}
	errno = error;
	return ring;
}

/* Writes how many records were dropped before the one that comes now. */
static void put_lost(struct ring *ring)
{
	uint64_t at = ring_head(ring, __ATOMIC_RELAXED);
	struct ring_slot *slot = ring_slot_at(ring, at);

	__atomic_store_n(&ring->own.begin, at + 1, __ATOMIC_RELAXED);
	slot->ticks = __atomic_exchange_n(&ring->own.dropped, 0, __ATOMIC_RELAXED);
	slot->address = (uint64_t)SLOT_LOST << RING_KIND_BIT;
	__atomic_store_n(&ring_page(ring)->head, at + 1, __ATOMIC_RELEASE);
}

static bool drop(struct ring *ring)
{
	__atomic_fetch_add(&ring_page(ring)->dropped, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&ring->own.dropped, 1, __ATOMIC_RELAXED);
	return false;
}

/* Under the lock, by the ring's thread: the ring of one that fills it gets all its slots, between
 * two records, as slots change their places. */
static void grow(struct ring *ring, uint64_t at)
{
	__atomic_store_n(&ring->own.begin, at + 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (ring_head(ring, __ATOMIC_RELAXED) == at && ring->tail == at &&
			(rings_reserve(ring, rings.options.slots) || rings_unshare(ring))) {
		__atomic_store_n(&ring_page(ring)->intact, at, __ATOMIC_RELAXED);
		__atomic_store_n(&ring_page(ring)->mask, rings.options.slots - 1, __ATOMIC_RELEASE);
		__atomic_store_n(&ring->own.mask, rings.options.slots - 1, __ATOMIC_RELAXED);
		ring_give_back(ring, at);
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&ring->own.begin, ring_head(ring, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

/* Makes room for `count` slots, by draining the ring if need be.  False: there is none, and the
 * record is counted as lost. */
static bool make_room(struct ring *ring, uint64_t count)
{
	uint64_t at = ring_head(ring, __ATOMIC_RELAXED);

	if (rings_are_of_parent()) {
		return false;
	}
	/* A handler of a signal that came while a record was written. */
	if (__atomic_load_n(&ring->own.begin, __ATOMIC_RELAXED) != at) {
		return drop(ring);
	}
	if (at + count > __atomic_load_n(&ring->soft, __ATOMIC_ACQUIRE) && ring_lock(ring)) {
		struct ring_reader reader = rings_reader();
		bool says_name = __atomic_exchange_n(&ring->wants_name, false, __ATOMIC_ACQ_REL);
		bool is_small = ring->own.mask + 1 < rings.options.slots &&
				at - ring->tail > ring->own.mask / 2;

		ring_drain(ring, &reader);
		if (is_small) {
			grow(ring, at);
		}
		if (says_name) {
			ring_emit_empty(ring, &reader, false);
		}
		ring_unlock(ring);
	}
	at = ring_head(ring, __ATOMIC_RELAXED);
	if (at + count + 1 - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) > ring->own.mask + 1) {
		return drop(ring);
	}
	if (ring_dropped(ring) > 0) {
		put_lost(ring);
	}
	return true;
}

void ring_put(struct ring *ring, struct ring_record record)
{
	int error = errno;
	bool is_other;

	if (record.bytes > RING_MOST_BYTES) {
		record.bytes = RING_MOST_BYTES;
	}
	do {
		is_other = ring_is_other(ring, &record);
		if (!make_room(ring, 1U + is_other + (record.kind == SLOT_REALLOC))) {
			ring->own.records[record.kind]++;
			break;
		}
	} while (!ring_write(ring, record, is_other, ring_head(ring, __ATOMIC_RELAXED),
			ticks_are_counted));
	errno = error;
}

void rings_lose(void)
{
	__atomic_fetch_add(&rings.lost, 1, __ATOMIC_RELAXED);
	if (rings.file && !rings_are_of_parent()) {
		__atomic_fetch_add(&rings.file->lost, 1, __ATOMIC_RELAXED);
	}
}

uint32_t rings_made(void)
{
	uint32_t count = __atomic_load_n(&rings.count, __ATOMIC_ACQUIRE);

	return count < RINGS_MOST ? count : RINGS_MOST;
}

struct ring *rings_at(uint32_t number)
{
	return __atomic_load_n(&rings.list[number], __ATOMIC_ACQUIRE);
}

uint64_t rings_lost(void)
{
	uint64_t lost = __atomic_load_n(&rings.lost, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < rings_made(); i++) {
		struct ring *ring = rings_at(i);

		lost += ring ? __atomic_load_n(&ring_page(ring)->dropped, __ATOMIC_RELAXED) : 0;
	}
	return lost;
}

void rings_count(uint64_t *ret_allocs, uint64_t *ret_frees, uint64_t *ret_reallocs)
{
	uint64_t sums[3] = { 0, 0, 0 };

	for (uint32_t i = 0; i < rings_made(); i++) {
		const struct ring *ring = rings_at(i);

		for (size_t kind = 0; ring && kind < 3; kind++) {
			sums[kind] += __atomic_load_n(&ring->own.records[kind], __ATOMIC_RELAXED);
		}
	}
	*ret_allocs = sums[SLOT_ALLOC];
	*ret_frees = sums[SLOT_FREE];
	*ret_reallocs = sums[SLOT_REALLOC];
}

size_t rings_region(uint32_t number, uintptr_t *ret_begin)
{
	const struct ring *ring = number < rings_made() ? rings_at(number) : NULL;

	if (!ring) {
		return 0;
	}
	*ret_begin = (uintptr_t)ring;
	return rings.bytes;
}
