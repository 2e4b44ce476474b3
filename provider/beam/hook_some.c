/* SPDX-License-Identifier: MIT */
/* Some blocks are recorded, and kept in the set of sampled blocks. */
#include "hook_state.h"

#include <errno.h>
#include <math.h>

#include "host_probes.h"
#include "sampled_set.h"
#include "stack_hook.h"
#include "stack_sums.h"

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
		hook_meet();
		if (passes_by(bytes, by)) {
			return false;
		}
	}
	if (by == SAMPLE_NONE) {
		return bytes >= hook.options.min_bytes;
	}
	while (self.left < hook.floor) {
		if (self.is_hit) {
			hook_draw_next(hook.floor);
			return true;
		}
		hook_draw_next(self.left);
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
	return by == SAMPLE_NONE ? IS_WANTED(block_batch) || IS_WANTED(block_alloc) ||
					IS_WANTED(block_alloc_by_process)
				 : hook.options.has_probes || IS_WANTED(sample_alloc) ||
					IS_WANTED(sample_alloc_by_process);
}

/* The place of the stack that made it. */
static size_t emit_sample(uintptr_t type, const void *block, uintptr_t bytes)
{
	const struct stack *stack = NULL;

	if (hook.options.has_probes) {
		double weighted = (double)weigh(bytes) * (double)bytes / 1e6;

		HOST_PROBE_ALLOC((uintptr_t)block, bytes, (uint64_t)weighted);
	}
	if (current_process_is_known() && IS_WANTED(sample_alloc_by_process)) {
		uint64_t process = current_process_read(self.scheduler, &self.process);

		stack = stack_hook_take(type, self.scheduler);
		lttng_ust_do_tracepoint(carrierscope, sample_alloc_by_process, (uintptr_t)block,
				bytes, WHOSE(type), weigh(bytes), process, stack ? stack->id : 0);
		COUNT(allocs);
	} else if (IS_WANTED(sample_alloc)) {
		lttng_ust_do_tracepoint(carrierscope, sample_alloc, (uintptr_t)block, bytes,
				WHOSE(type), weigh(bytes));
		COUNT(allocs);
	}
	return stack ? stack_set_place_of(stack) : STACK_SUMS_NONE;
}

static struct stack_sample sample_of(struct sampled_block kept)
{
	return (struct stack_sample){ kept.place, kept.bytes, (double)weigh(kept.bytes) / 1e6 };
}

static void emit_some(uintptr_t type, const void *block, uintptr_t bytes)
{
	struct sampled_block *kept = sampled_set_add(block);

	if (!kept) {
		COUNT(untracked);
	} else if (hook.options.sample_by == SAMPLE_NONE) {
		hook_emit_alloc(type, block, bytes);
	} else {
		struct stack_sample sample;

		*kept = (struct sampled_block){
			emit_sample(type, block, bytes) & UINT16_MAX,
			bytes & SAMPLED_MOST_BYTES,
		};
		sample = sample_of(*kept);
		stack_sums_add(&sample);
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
			hook_emit_failure(type, old, bytes);
		} else {
			emit_some(type, block, bytes);
		}
	}
	errno = error;
}

static __attribute__((noinline)) void before_sampled_free(uintptr_t type, const void *block)
{
	int error = errno;
	struct sampled_block kept;

	know_self();
	if (sampled_set_remove(block, &kept)) {
		struct stack_sample sample;

		if (hook.options.sample_by == SAMPLE_NONE) {
			hook_emit_free(type, block);
			errno = error;
			return;
		}
		sample = sample_of(kept);
		stack_sums_remove(&sample);
		if (hook.options.has_probes) {
			HOST_PROBE_FREE((uintptr_t)block);
		}
		if (IS_WANTED(sample_free)) {
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
	if (!is_new) {
		stack_hook_after_resize(type, old, block, bytes);
	}
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

	stack_hook_before_free(type, old, self.scheduler);
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
	stack_hook_after_resize(asked_type, asked_old, block, asked_bytes);
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
	stack_hook_before_free(type, block, self.scheduler);
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

const struct emulator_entry hook_some[] = {
	[SAMPLE_NONE] = { large_alloc, large_realloc, some_free, NULL },
	[SAMPLE_BYTES] = { bytes_alloc, bytes_realloc, some_free, NULL },
	[SAMPLE_COUNT] = { count_alloc, count_realloc, some_free, NULL },
};
