/* SPDX-License-Identifier: MIT */
/*
 * A ring: what one thread did to blocks, until it is packed.
 *
 * The thread writes a record by plain stores: `begin` says how far it is going to write, then the
 * time is taken, then the slots are filled, and `head` says that they are there.  Whoever drains
 * asks the system for a barrier on all processors at once (membarrier) between taking the time and
 * reading `begin`: a record that is not seen then has a later time.  So the thread itself needs
 * none.
 *
 * One thread at a time drains a ring, under its lock, which nobody ever waits for.
 */
#ifndef CSC_RING_H
#define CSC_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "block_batch.h"
#include "ring_file.h"
#include "ticks.h"

/* Slots of a ring, and where its page and they begin, in bytes: all is less than 1 MiB. */
enum {
	RING_SLOTS = BATCH_WAITING,
	RING_HEAD_BYTES = 1 << 14,
	RING_SLOTS_AT = RING_HEAD_BYTES + RING_PAGE_BYTES,

	/* A ring begins with so many, and has all when its thread fills them. */
	RING_FIRST_SLOTS = 2048,
};

/*
 * What is here a forked child finds empty.  Behind it are the page and the slots, which may lie in
 * a file: a child that is forked reads them and never writes.
 */
struct ring {
	/* Of the thread that has the ring; others read `begin`. */
	struct {
		uint64_t begin;

		/* Records that found no room since the last that did. */
		uint64_t dropped;
		uint64_t process;
		uint64_t mask;

		/* Of each kind of record, also those that were dropped. */
		uint64_t records[3];
	} own __attribute__((aligned(64)));

	/* Up to this slot may be filled without a word; below head where there is something to do.
	 */
	uint64_t soft __attribute__((aligned(64)));

	/* Slots before this one are free. */
	uint64_t tail;

	/* The thread's number in the system; 0: nobody has the ring. */
	uint32_t owner;
	bool is_locked;

	/* Its page and its slots are in the file. */
	bool is_shared;

	/* The thread is to say its name, by an event of its own. */
	bool wants_name;

	/* Under the lock: */
	uint32_t number;
	uint16_t instance;
	uint64_t ordinal;
	uint64_t last_ns;
	uint64_t process;
	uint64_t lost;
	uint64_t said;

	/* Of the drainer: no record that is still in the ring, or comes, is older, in ticks; begin
	 * as it was seen last and when; since when records wait, 0: none does. */
	uint64_t bound;
	uint64_t seen_begin;
	uint64_t seen_ticks;
	uint64_t waiting_ticks;

	struct batch_writer writer;
};

_Static_assert((int)SLOT_ALLOC == (int)BATCH_ALLOC && (int)SLOT_FREE == (int)BATCH_FREE &&
				(int)SLOT_REALLOC == (int)BATCH_REALLOC,
		"kinds are those of a batch");

/* As fields, so that a compiler addresses them directly. */
struct ring_whole {
	struct ring ring __attribute__((aligned(64)));
	struct ring_page page __attribute__((aligned(RING_PAGE_BYTES)));
	struct ring_slot slots[] __attribute__((aligned(RING_PAGE_BYTES)));
};

_Static_assert(offsetof(struct ring_whole, page) == RING_HEAD_BYTES &&
				offsetof(struct ring_whole, slots) == RING_SLOTS_AT,
		"each is where it is mapped");

static inline struct ring_page *ring_page(struct ring *ring)
{
	return &((struct ring_whole *)(void *)ring)->page;
}

static inline uint64_t ring_head(const struct ring *ring, int order)
{
	return __atomic_load_n(&((const struct ring_whole *)(const void *)ring)->page.head, order);
}

/* The same of the ring's own thread, which needs no barrier of x86-64: by `volatile`, as a compiler
 * then has no pointer to it in a register of its own. */
static inline uint64_t ring_own_head(const struct ring *ring)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
	return ((const volatile struct ring_whole *)(const void *)ring)->page.head;
#else
	return ring_head(ring, __ATOMIC_RELAXED);
#endif
}

static inline void ring_publish(struct ring *ring, uint64_t head)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	((volatile struct ring_whole *)(void *)ring)->page.head = head;
#else
	__atomic_store_n(&ring_page(ring)->head, head, __ATOMIC_RELEASE);
#endif
}

static inline uint64_t ring_dropped(const struct ring *ring)
{
	return __atomic_load_n(&ring->own.dropped, __ATOMIC_RELAXED);
}

static inline struct ring_slot *ring_slot_at(struct ring *ring, uint64_t at)
{
	return &((struct ring_whole *)(void *)ring)->slots[at & ring->own.mask];
}

/* A record but for its time. */
struct ring_record {
	uint64_t address;
	uint64_t old;
	uint64_t bytes;
	uint64_t process;

	/* As the emulator has it: number * 128 + class * 16 + allocator. */
	uint64_t type;
	uint8_t kind;
};

/* Whether something is to be done before a record at `at`: it is within another, or some were
 * dropped.
 */
static inline bool ring_is_odd(const struct ring *ring, uint64_t at)
{
	return __atomic_load_n(&ring->own.begin, __ATOMIC_RELAXED) != at || ring_dropped(ring) != 0;
}

/* Whether a record needs a slot that says its process. */
static inline bool ring_is_other(const struct ring *ring, const struct ring_record *record)
{
	return record->kind != SLOT_FREE && record->process != ring->own.process;
}

/* Writes a record at `at` where there is room.  False: a handler of a signal wrote one meanwhile;
 * one that comes later sees `begin`, and writes none. */
static inline __attribute__((always_inline)) bool ring_write(struct ring *ring,
		const struct ring_record record, bool is_other, uint64_t at, bool is_counted)
{
	uint64_t end = at + 1U + is_other + (record.kind == SLOT_REALLOC);
	struct ring_slot *slot;
	uint64_t ticks;

	__atomic_store_n(&ring->own.begin, end, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__builtin_expect(ring_own_head(ring) != at, 0)) {
		__atomic_store_n(&ring->own.begin, ring_own_head(ring), __ATOMIC_RELAXED);
		return false;
	}
	ticks = !is_counted			   ? ticks_of_clock()
			: record.kind == SLOT_FREE ? ticks_counted_before()
						   : ticks_counted_after();
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (is_other) {
		slot = ring_slot_at(ring, at++);
		slot->ticks = record.process;
		slot->address = (uint64_t)SLOT_PROCESS << RING_KIND_BIT;
		ring->own.process = record.process;
	}
	if (record.kind == SLOT_REALLOC) {
		slot = ring_slot_at(ring, at++);
		slot->ticks = record.old;
		slot->address = (uint64_t)SLOT_OLD << RING_KIND_BIT;
	}
	slot = ring_slot_at(ring, at);
	slot->ticks = ticks;
	slot->address = record.address | (uint64_t)record.kind << RING_KIND_BIT;
	slot->bytes = record.bytes | record.type << RING_TYPE_BIT;
	ring->own.records[record.kind]++;
	ring_publish(ring, end);
	return true;
}

/*
 * Writes a record into the calling thread's ring, if that is easy: an allocation or a resize after
 * it was done, a free before.  False: it is for ring_put().
 */
static inline __attribute__((always_inline)) bool ring_try(
		struct ring *ring, const struct ring_record record)
{
	bool is_other = ring_is_other(ring, &record);
	uint64_t count = 1U + is_other + (record.kind == SLOT_REALLOC);
	uint64_t at = ring_own_head(ring);

	return __builtin_expect(at + count <= __atomic_load_n(&ring->soft, __ATOMIC_ACQUIRE) &&
					       !ring_is_odd(ring, at) &&
					       record.bytes <= RING_MOST_BYTES && ticks_are_counted,
			       1) &&
			ring_write(ring, record, is_other, at, true);
}

/* The same in any case: drains the ring itself if it has to, and counts the record as lost where
 * there is no room.  Keeps errno. */
void ring_put(struct ring *ring, struct ring_record record) __attribute__((visibility("hidden")));

#endif
