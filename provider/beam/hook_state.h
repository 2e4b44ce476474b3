/* SPDX-License-Identifier: MIT */
/* What the files of the hook share, and what a call reads. */
#ifndef CSC_BEAM_HOOK_STATE_H
#define CSC_BEAM_HOOK_STATE_H

#include "hook.h"

#include "carrierscope_tp.h"

#include "current_process.h"
#include "fast_local.h"
#include "rings/ring.h"

#define HOOK_HIDDEN __attribute__((visibility("hidden")))

/* Whether some session listens to an event. */
#define IS_WANTED(event) (CMM_LOAD_SHARED(lttng_ust_tracepoint_carrierscope___##event.state) != 0)

/* Threads beyond the first have their counts together in the last place. */
#define COUNTERS 256

/* The most that a thread has left at once. */
#define HOOK_MOST_LEFT (INT64_C(1) << 40)

struct counter {
	struct hook_counts counts;
} __attribute__((aligned(64)));

extern HOOK_HIDDEN struct hook {
	/* Read by every call: the emulator's own functions by the number of the allocator. */
	emulator_alloc *alloc[EMULATOR_ALLOCATORS];
	emulator_realloc *realloc[EMULATOR_ALLOCATORS];
	emulator_free *free[EMULATOR_ALLOCATORS];
	/* See `left` of a thread. */
	int64_t floor;

	/* Read by calls that emit. */
	struct hook_options options;
	const struct emulator *emulator;
	/* Bit n: blocks of allocator n have a header that can be read. */
	uint32_t readable;
	uint32_t counter_count;
	/* Changes with every start: what threads remember of an earlier one is void. */
	uint32_t generation;
	bool is_on;

	/* Blocks are records of rings, where a session listens to batches. */
	bool has_rings;

	/* At the latest start. */
	bool had_rings;

	/* What rings had counted before. */
	struct hook_counts before;
	struct counter counters[COUNTERS];
} hook;

/*
 * What a thread remembers.  `left`: hook.floor, and on top of it the bytes or blocks until the next
 * draw; below the floor a draw is due.  Each start sets the floor above whatever threads have left
 * of earlier ones, and a new thread has 0: the same comparison finds threads that do not know of
 * the start.
 */
struct hook_self {
	int64_t left;
	/* The next draw takes a sample; else its distance was longer than HOOK_MOST_LEFT. */
	bool is_hit;
	uint32_t generation;
	uint32_t counter;
	uint16_t instance;
	uint64_t random;
	/* Its scheduler's data; NULL: it is no scheduler, or processes cannot be read. */
	const void *scheduler;
	struct process_memo process;
	/* NULL: it has none. */
	struct ring *ring;
};
extern HOOK_HIDDEN _Thread_local struct hook_self self FAST_LOCAL;

/* A thread that does not know of the latest start learns of it.  Keeps errno. */
HOOK_HIDDEN void hook_meet(void);

/* Puts the next draw of a sample behind FROM. */
HOOK_HIDDEN void hook_draw_next(int64_t from);

/* Functions for every block, for every one of all types as records of rings, and for some. */
extern HOOK_HIDDEN const struct emulator_entry hook_full;
extern HOOK_HIDDEN const struct emulator_entry hook_packed;
extern HOOK_HIDDEN const struct emulator_entry hook_some[];

/* Records of blocks, to whoever listens.  Errno may be lost. */
HOOK_HIDDEN void hook_emit_failure(uintptr_t type, const void *old, uintptr_t bytes);
HOOK_HIDDEN void hook_emit_alloc(uintptr_t type, const void *block, uintptr_t bytes);
HOOK_HIDDEN void hook_emit_free(uintptr_t type, const void *block);

static inline void know_self(void)
{
	if (__builtin_expect(self.generation != hook.generation, 0)) {
		hook_meet();
	}
}

/* The last place has more than one thread; the others pay nothing for that. */
#define COUNT(what)                                                                             \
	do {                                                                                    \
		uint64_t *count_ = &hook.counters[self.counter].counts.what;                    \
		if (self.counter == COUNTERS - 1) {                                             \
			__atomic_fetch_add(count_, 1, __ATOMIC_RELAXED);                        \
		} else {                                                                        \
			__atomic_store_n(count_, __atomic_load_n(count_, __ATOMIC_RELAXED) + 1, \
					__ATOMIC_RELAXED);                                      \
		}                                                                               \
	} while (0)

static inline uint16_t instance_of(size_t allocator)
{
	return self.instance < hook.emulator->instances[allocator] ? self.instance : 0;
}

static inline bool is_wanted(uintptr_t type)
{
	size_t number = type_number(type);

	return hook.options.type_count == 0 ||
			(number < EMULATOR_TYPES &&
					(hook.options.types[number / 64] >> number % 64 & 1) != 0);
}

/* The arguments that all events about a block end with. */
#define WHOSE(type)                                                  \
	(uint16_t) type_number(type), (uint8_t)type_allocator(type), \
			instance_of(type_allocator(type))

/*
 * Emits the event with the process that allocates, if that can be read and somebody listens; else,
 * if somebody listens to it, the event without.
 */
#define EMIT_MADE(event, count, ...)                                                           \
	do {                                                                                   \
		if (current_process_is_known() && IS_WANTED(event##_by_process)) {             \
			lttng_ust_do_tracepoint(carrierscope, event##_by_process, __VA_ARGS__, \
					current_process_read(self.scheduler, &self.process));  \
			COUNT(count);                                                          \
		} else if (IS_WANTED(event)) {                                                 \
			lttng_ust_do_tracepoint(carrierscope, event, __VA_ARGS__);             \
			COUNT(count);                                                          \
		}                                                                              \
	} while (0)

#endif
