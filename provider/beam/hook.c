/* SPDX-License-Identifier: MIT */
/* The functions, and what they emit. */
#include "hook.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "carrierscope_tp.h"

#include "block_header.h"
#include "current_process.h"
#include "sampled_set.h"
#include "self_test.h"

/* Whether some session listens to an event. */
#define IS_WANTED(event) (CMM_LOAD_SHARED(lttng_ust_tracepoint_carrierscope___##event.state) != 0)

/* After hook_stop(): counts are read so often, and are settled when so many readings are equal. */
enum { SETTLED_PAUSE_NS = 10000000, SETTLED_EQUAL = 4, SETTLED_MOST = 50 };

/* Threads beyond the first have their counts together in the last place. */
#define COUNTERS 256

/* The most that is left at once, how far apart floors are, and after how many they repeat. */
#define MOST_LEFT (INT64_C(1) << 40)
#define FLOOR_STEP (2 * MOST_LEFT)
#define FLOORS (UINT32_C(1) << 21)

struct counter {
	struct hook_counts counts;
} __attribute__((aligned(64)));

static struct hook {
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
	struct counter counters[COUNTERS];
} hook;

/*
 * What a thread remembers.  `left`: hook.floor, and on top of it the bytes or blocks until the next
 * draw; below the floor a draw is due.  Each start sets the floor above whatever threads have left
 * of earlier ones, and a new thread has 0: the same comparison finds threads that do not know of
 * the start.
 */
static _Thread_local struct {
	int64_t left;
	/* The next draw takes a sample; else its distance was longer than MOST_LEFT. */
	bool is_hit;
	uint32_t generation;
	uint32_t counter;
	uint16_t instance;
	uint64_t random;
	/* Its scheduler's data; NULL: it is no scheduler, or processes cannot be read. */
	const void *scheduler;
	struct process_memo process;
} self __attribute__((tls_model("initial-exec")));

/* Numbers that need not be good, but different for each thread: xorshift64*, in (0, 1]. */
static double draw(void)
{
	self.random ^= self.random >> 12;
	self.random ^= self.random << 25;
	self.random ^= self.random >> 27;
	return ((double)(self.random * UINT64_C(0x2545F4914F6CDD1D) >> 11) + 1.0) * 0x1p-53;
}

/*
 * Puts the next draw behind FROM.  The distance to a sample is exponential by bytes, geometric by
 * count; what is longer than MOST_LEFT is drawn anew there, since draws have no memory.  Whole
 * bytes are as good as parts of them: a block of s bytes is hit if the distance is less than s.
 */
static void draw_next(int64_t from)
{
	double every = (double)hook.options.sample_every;
	double distance = hook.options.sample_by == SAMPLE_BYTES
			? -log(draw()) * every
			: log(draw()) / log1p(-1.0 / every);

	self.is_hit = distance < (double)MOST_LEFT;
	self.left = from + (self.is_hit ? (int64_t)distance : MOST_LEFT);
}

static __attribute__((noinline)) void meet_hook(void)
{
	int error = errno;
	uint32_t number = __atomic_fetch_add(&hook.counter_count, 1, __ATOMIC_RELAXED);
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	self.counter = number < COUNTERS ? number : COUNTERS - 1;
	self.instance = emulator_thread_instance(hook.emulator);
	self.scheduler = emulator_thread_is_scheduler() ? current_process_scheduler() : NULL;
	self.random = (uint64_t)now.tv_nsec * 2654435761U + (uint64_t)(uintptr_t)&self + number + 1;
	(void)draw();
	if (hook.options.sample_by != SAMPLE_NONE) {
		draw_next(hook.floor);
	}
	self.generation = hook.generation;
	errno = error;
}

static inline void know_self(void)
{
	if (__builtin_expect(self.generation != hook.generation, 0)) {
		meet_hook();
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

static void emit_failure(uintptr_t type, const void *old, uintptr_t bytes)
{
	if (IS_WANTED(alloc_failure)) {
		lttng_ust_do_tracepoint(
				carrierscope, alloc_failure, bytes, (uintptr_t)old, WHOSE(type));
		COUNT(failures);
	}
}

static void emit_alloc(uintptr_t type, const void *block, uintptr_t bytes)
{
	EMIT_MADE(block_alloc, allocs, (uintptr_t)block, bytes, WHOSE(type));
}

static void emit_free(uintptr_t type, const void *block)
{
	bool is_readable = (hook.readable >> type_allocator(type) & 1) != 0;

	lttng_ust_do_tracepoint(carrierscope, block_free, (uintptr_t)block,
			is_readable ? block_header_room_bytes(block) : 0, WHOSE(type));
	COUNT(frees);
}

/* Every block is recorded: */

static __attribute__((noinline)) void after_alloc(uintptr_t type, void *block, uintptr_t bytes)
{
	int error = errno;

	know_self();
	if (is_wanted(type)) {
		if (!block) {
			emit_failure(type, NULL, bytes);
		} else {
			emit_alloc(type, block, bytes);
		}
	}
	errno = error;
}

static void *full_alloc(uintptr_t type, void *extra, uintptr_t bytes)
{
	emulator_alloc *original = hook.alloc[type_allocator(type)];
	void *block;

	if (__builtin_expect(!IS_WANTED(block_alloc) && !IS_WANTED(block_alloc_by_process), 1)) {
		return original(type, extra, bytes);
	}
	block = original(type, extra, bytes);
	after_alloc(type, block, bytes);
	return block;
}

static __attribute__((noinline)) void after_realloc(
		uintptr_t type, void *old, void *block, uintptr_t bytes)
{
	int error = errno;

	know_self();
	if (is_wanted(type)) {
		if (!block) {
			emit_failure(type, old, bytes);
		} else {
			EMIT_MADE(block_realloc, reallocs, (uintptr_t)block, (uintptr_t)old, bytes,
					WHOSE(type));
		}
	}
	errno = error;
}

static void *full_realloc(uintptr_t type, void *extra, void *old, uintptr_t bytes)
{
	emulator_realloc *original = hook.realloc[type_allocator(type)];
	void *block;

	if (__builtin_expect(
			    !IS_WANTED(block_realloc) && !IS_WANTED(block_realloc_by_process), 1)) {
		return original(type, extra, old, bytes);
	}
	block = original(type, extra, old, bytes);
	after_realloc(type, old, block, bytes);
	return block;
}

static __attribute__((noinline)) void before_free(uintptr_t type, void *block)
{
	int error = errno;

	know_self();
	if (block && is_wanted(type) && IS_WANTED(block_free)) {
		emit_free(type, block);
	}
	errno = error;
}

static void full_free(uintptr_t type, void *extra, void *block)
{
	if (__builtin_expect(IS_WANTED(block_free), 0)) {
		before_free(type, block);
	}
	hook.free[type_allocator(type)](type, extra, block);
}

/* Some blocks are recorded, and kept in the set of sampled blocks: */

/*
 * Whether a block is not sampled: nearly all are, so this is what a sample costs.  All else is
 * asked in draws(): who listens, and whether the thread knows the hook.  What is not wanted is
 * drawn as well and put aside then, which changes nobody's probability: draws have no memory.
 */
static inline bool passes_by(uintptr_t bytes, enum sample_by by)
{
	if (by == SAMPLE_NONE) {
		return bytes < hook.options.min_bytes;
	}
	self.left -= by == SAMPLE_COUNT ? 1 : (int64_t)(bytes + (bytes == 0));
	return self.left >= hook.floor;
}

/* The same, of a block that does not pass by at first sight. */
static bool draws(uintptr_t bytes, enum sample_by by)
{
	if (self.generation != hook.generation) {
		meet_hook();
		if (passes_by(bytes, by)) {
			return false;
		}
	}
	if (by == SAMPLE_NONE) {
		return bytes >= hook.options.min_bytes;
	}
	while (self.left < hook.floor) {
		if (self.is_hit) {
			draw_next(hook.floor);
			return true;
		}
		draw_next(self.left);
	}
	return false;
}

/* A sampled block stands for so many millionths of blocks. */
static uint64_t weigh(uintptr_t bytes)
{
	double size = bytes > 0 ? (double)bytes : 1.0;

	if (hook.options.sample_by == SAMPLE_COUNT) {
		return hook.options.sample_every * 1000000;
	}
	return (uint64_t)(1e6 / -expm1(-size / (double)hook.options.sample_every) + 0.5);
}

static inline bool is_sampled(enum sample_by by)
{
	return by == SAMPLE_NONE ? IS_WANTED(block_alloc) || IS_WANTED(block_alloc_by_process)
				 : IS_WANTED(sample_alloc) || IS_WANTED(sample_alloc_by_process);
}

static void emit_some(uintptr_t type, const void *block, uintptr_t bytes)
{
	if (!sampled_set_add(block)) {
		COUNT(untracked);
	} else if (hook.options.sample_by == SAMPLE_NONE) {
		emit_alloc(type, block, bytes);
	} else {
		EMIT_MADE(sample_alloc, allocs, (uintptr_t)block, bytes, WHOSE(type), weigh(bytes));
	}
}

/* OLD: of a block that was resized, else NULL; BLOCK: NULL if there was no memory. */
static __attribute__((noinline)) void after_drawn(
		uintptr_t type, const void *old, const void *block, uintptr_t bytes)
{
	int error = errno;

	know_self();
	if (is_wanted(type) && is_sampled(hook.options.sample_by)) {
		if (!block) {
			emit_failure(type, old, bytes);
		} else {
			emit_some(type, block, bytes);
		}
	}
	errno = error;
}

static __attribute__((noinline)) void before_sampled_free(uintptr_t type, const void *block)
{
	int error = errno;

	know_self();
	if (sampled_set_remove(block)) {
		if (hook.options.sample_by == SAMPLE_NONE) {
			if (IS_WANTED(block_free)) {
				emit_free(type, block);
			}
		} else if (IS_WANTED(sample_free)) {
			lttng_ust_do_tracepoint(
					carrierscope, sample_free, (uintptr_t)block, WHOSE(type));
			COUNT(frees);
		}
	}
	errno = error;
}

/* A call that does not pass by at first sight.  IS_NEW: OLD means nothing. */
static __attribute__((noinline)) void *perhaps_drawn(
		uintptr_t type, void *extra, void *old, uintptr_t bytes, bool is_new)
{
	int error = errno;
	bool is_drawn = draws(bytes, hook.options.sample_by);
	void *block;

	errno = error;
	block = is_new ? hook.alloc[type_allocator(type)](type, extra, bytes)
		       : hook.realloc[type_allocator(type)](type, extra, old, bytes);
	if (is_drawn || !block) {
		after_drawn(type, is_new ? NULL : old, block, bytes);
	}
	return block;
}

static inline __attribute__((always_inline)) void *some_alloc(
		uintptr_t type, void *extra, uintptr_t bytes, enum sample_by by)
{
	/* What a failure is reported with: two stores, not two registers saved and restored. */
	volatile uintptr_t asked_type;
	volatile uintptr_t asked_bytes;
	void *block;

	if (__builtin_expect(!passes_by(bytes, by), 0)) {
		return perhaps_drawn(type, extra, NULL, bytes, true);
	}
	asked_type = type;
	asked_bytes = bytes;
	block = hook.alloc[type_allocator(type)](type, extra, bytes);
	if (__builtin_expect(!block, 0)) {
		after_drawn(asked_type, NULL, NULL, asked_bytes);
	}
	return block;
}

static __attribute__((noinline)) void *resize_sampled(
		uintptr_t type, void *extra, void *old, uintptr_t bytes)
{
	before_sampled_free(type, old);
	(void)passes_by(bytes, hook.options.sample_by);
	return perhaps_drawn(type, extra, old, bytes, false);
}

/* A block that is resized is one that is freed and one that is drawn anew. */
static inline __attribute__((always_inline)) void *some_realloc(
		uintptr_t type, void *extra, void *old, uintptr_t bytes, enum sample_by by)
{
	volatile uintptr_t asked_type;
	volatile uintptr_t asked_bytes;
	void *volatile asked_old;
	void *block;

	if (__builtin_expect(sampled_set_may_have(old), 0)) {
		return resize_sampled(type, extra, old, bytes);
	}
	if (__builtin_expect(!passes_by(bytes, by), 0)) {
		return perhaps_drawn(type, extra, old, bytes, false);
	}
	asked_type = type;
	asked_old = old;
	asked_bytes = bytes;
	block = hook.realloc[type_allocator(type)](type, extra, old, bytes);
	if (__builtin_expect(!block, 0)) {
		after_drawn(asked_type, asked_old, NULL, asked_bytes);
	}
	return block;
}

static __attribute__((noinline)) void perhaps_sampled_free(uintptr_t type, void *extra, void *block)
{
	before_sampled_free(type, block);
	hook.free[type_allocator(type)](type, extra, block);
}

static void some_free(uintptr_t type, void *extra, void *block)
{
	if (__builtin_expect(sampled_set_may_have(block), 0)) {
		perhaps_sampled_free(type, extra, block);
		return;
	}
	hook.free[type_allocator(type)](type, extra, block);
}

#define DRAWS(name, by)                                                                      \
	static void *name##_alloc(uintptr_t type, void *extra, uintptr_t bytes)              \
	{                                                                                    \
		return some_alloc(type, extra, bytes, by);                                   \
	}                                                                                    \
	static void *name##_realloc(uintptr_t type, void *extra, void *old, uintptr_t bytes) \
	{                                                                                    \
		return some_realloc(type, extra, old, bytes, by);                            \
	}
DRAWS(large, SAMPLE_NONE)
DRAWS(bytes, SAMPLE_BYTES)
DRAWS(count, SAMPLE_COUNT)

static const struct emulator_entry full = { full_alloc, full_realloc, full_free, NULL };
static const struct emulator_entry some[] = {
	[SAMPLE_NONE] = { large_alloc, large_realloc, some_free, NULL },
	[SAMPLE_BYTES] = { bytes_alloc, bytes_realloc, some_free, NULL },
	[SAMPLE_COUNT] = { count_alloc, count_realloc, some_free, NULL },
};

static bool is_full(const struct hook_options *options)
{
	return options->sample_by == SAMPLE_NONE && options->min_bytes == 0;
}

static bool is_free_to_hook(const struct emulator *emulator, struct diag *diag)
{
	for (size_t i = 1; i < emulator->entry_count; i++) {
		if (!emulator_is_own(emulator, i)) {
			return DIAG_FALSE(diag, "'%s' is not served by the emulator itself",
					emulator->allocator_names[i]);
		}
	}
	return true;
}

bool hook_prepare(const struct emulator *emulator, const struct hook_options *options,
		struct diag *diag)
{
	if (hook.is_on) {
		return DIAG_FALSE(diag, "the allocators are hooked already");
	}
	if (!is_free_to_hook(emulator, diag)) {
		return false;
	}
	if (!is_full(options) && !sampled_set_open()) {
		return DIAG_FALSE(diag, "no memory for the set of sampled blocks");
	}
	memset(hook.counters, 0, sizeof(hook.counters));
	for (size_t i = 1; i < emulator->entry_count; i++) {
		hook.alloc[i] = emulator->entries[i].alloc;
		hook.realloc[i] = emulator->entries[i].realloc;
		hook.free[i] = emulator->entries[i].free;
	}
	hook.emulator = emulator;
	hook.options = *options;
	hook.readable = block_header_find(emulator);
	hook.counter_count = 0;
	hook.floor = FLOOR_STEP * (1 + hook.generation % FLOORS);
	__atomic_store_n(&hook.generation, hook.generation + 1, __ATOMIC_SEQ_CST);
	return self_test_run(emulator, diag);
}

void hook_start(void)
{
	const struct emulator_entry *functions =
			is_full(&hook.options) ? &full : &some[hook.options.sample_by];

	for (size_t i = 1; i < hook.emulator->entry_count; i++) {
		if (hook.options.allocators >> i & 1) {
			emulator_put(&hook.emulator->entries[i], functions);
		}
	}
	hook.is_on = true;
}

void hook_stop(void)
{
	if (!hook.is_on) {
		return;
	}
	for (size_t i = 1; i < hook.emulator->entry_count; i++) {
		const struct emulator_entry own = { hook.alloc[i], hook.realloc[i], hook.free[i],
			NULL };

		if (hook.options.allocators >> i & 1) {
			emulator_put_back(&hook.emulator->entries[i], &own);
		}
	}
	hook.is_on = false;
}

size_t hook_bytes(void)
{
	return sizeof(hook);
}

bool hook_is_on(void)
{
	return hook.is_on;
}

const struct hook_options *hook_options(void)
{
	return &hook.options;
}

void hook_counts(struct hook_counts *ret_counts)
{
	*ret_counts = (struct hook_counts){ .allocs = 0 };
	for (size_t i = 0; i < COUNTERS; i++) {
		const struct hook_counts *counts = &hook.counters[i].counts;

		ret_counts->allocs += __atomic_load_n(&counts->allocs, __ATOMIC_RELAXED);
		ret_counts->frees += __atomic_load_n(&counts->frees, __ATOMIC_RELAXED);
		ret_counts->reallocs += __atomic_load_n(&counts->reallocs, __ATOMIC_RELAXED);
		ret_counts->failures += __atomic_load_n(&counts->failures, __ATOMIC_RELAXED);
		ret_counts->untracked += __atomic_load_n(&counts->untracked, __ATOMIC_RELAXED);
	}
}

void hook_settle(void)
{
	const struct timespec pause = { .tv_nsec = SETTLED_PAUSE_NS };
	struct hook_counts before;
	struct hook_counts now;

	hook_counts(&before);
	for (int equal = 0, readings = 0; equal < SETTLED_EQUAL && readings < SETTLED_MOST;
			readings++) {
		(void)nanosleep(&pause, NULL);
		hook_counts(&now);
		equal = memcmp(&now, &before, sizeof(now)) == 0 ? equal + 1 : 0;
		before = now;
	}
}
