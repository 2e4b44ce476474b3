/* SPDX-License-Identifier: MIT */
/* Putting the functions in their places, and what they count. */
#include "hook.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "block_header.h"
#include "hook_state.h"
#include "host_probes.h"
#include "rings/rings.h"
#include "sampled_set.h"
#include "self_test.h"
#include "stack_hook.h"
#include "stack_sums.h"

/* After hook_stop(): counts are read so often, and are settled when so many readings are equal. */
enum { SETTLED_PAUSE_NS = 10000000, SETTLED_EQUAL = 4, SETTLED_MOST = 50 };

/* How far apart floors are, and after how many they repeat. */
#define FLOOR_STEP (2 * HOOK_MOST_LEFT)
#define FLOORS (UINT32_C(1) << 21)

/* What rings were begun with, and how they are used, or why not, in words. */
static uint16_t instances[UINT8_MAX + 1];
static const char *why = "nothing was hooked";
static bool is_flushed;

static bool is_full(const struct hook_options *options)
{
	return options->sample_by == SAMPLE_NONE && options->min_bytes == 0;
}

/* Adds what rings have counted since they are there. */
static void count_rings(struct hook_counts *counts)
{
	uint64_t allocs;
	uint64_t frees;
	uint64_t reallocs;

	rings_count(&allocs, &frees, &reallocs);
	counts->allocs += allocs;
	counts->frees += frees;
	counts->reallocs += reallocs;
	counts->lost += rings_lost();
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
	if (options->has_probes && (!HOST_PROBES || options->sample_by == SAMPLE_NONE)) {
		return DIAG_FALSE(diag,
				"probes are of samples, where this library was built with sys/sdt.h");
	}
	if (!is_free_to_hook(emulator, diag)) {
		return false;
	}
	if (!is_full(options) && !(sampled_set_open() && stack_sums_open())) {
		return DIAG_FALSE(diag, "no memory for the set of sampled blocks");
	}
	memset(hook.counters, 0, sizeof(hook.counters));
	hook.before = (struct hook_counts){ .allocs = 0 };
	count_rings(&hook.before);
	for (size_t i = 1; i < emulator->entry_count; i++) {
		hook.alloc[i] = emulator->entries[i].alloc;
		hook.realloc[i] = emulator->entries[i].realloc;
		hook.free[i] = emulator->entries[i].free;
	}
	hook.emulator = emulator;
	hook.options = *options;
	hook.readable = block_header_find(emulator);
	hook.counter_count = 0;
	hook.has_rings = false;
	stack_hook_prepare(emulator, options->has_stacks);
	hook.floor = FLOOR_STEP * (1 + hook.generation % FLOORS);
	__atomic_store_n(&hook.generation, hook.generation + 1, __ATOMIC_SEQ_CST);
	return self_test_run(emulator, diag);
}

static bool emit_batch(const struct ring_batch *batch)
{
	if (!IS_WANTED(block_batch)) {
		return false;
	}
	lttng_ust_do_tracepoint(carrierscope, block_batch, batch->payload, batch->ring,
			batch->thread, batch->ordinal, batch->first_ns, batch->last_ns,
			batch->horizon_ns, batch->records, batch->lost);
	return true;
}

/* Another number for each session that comes or goes. */
static uintptr_t batch_listeners(void)
{
	return (uintptr_t)CMM_LOAD_SHARED(lttng_ust_tracepoint_carrierscope___block_batch.probes);
}

static void end_rings(void)
{
	rings_flush();
	rings_end();
}

static bool start_rings(void)
{
	const struct rings_options options = {
		.slots = RING_SLOTS,
		.emit = emit_batch,
		.listeners = batch_listeners,
		.instances = instances,
	};

	if (hook.options.sample_by != SAMPLE_NONE) {
		why = "samples are few";
		return false;
	}
	if (hook.options.wants_single) {
		why = "asked for";
		return false;
	}
	memcpy(instances, hook.emulator->instances, sizeof(hook.emulator->instances));
	/* The process ends, hooked: what it did last is recorded.  No destructor: in musl that of
	 * LTTng, which was loaded later, is called before ours. */
	if (!is_flushed) {
		is_flushed = atexit(end_rings) == 0;
	}
	return rings_start(&options, &why);
}

void hook_start(void)
{
	const struct emulator_entry *functions = &hook_some[hook.options.sample_by];

	hook.had_rings = start_rings();
	hook.has_rings = hook.had_rings;
	if (is_full(&hook.options)) {
		functions = hook.has_rings && hook.options.type_count == 0 ? &hook_packed
									   : &hook_full;
	}
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
	count_rings(ret_counts);
	ret_counts->allocs -= hook.before.allocs;
	ret_counts->frees -= hook.before.frees;
	ret_counts->reallocs -= hook.before.reallocs;
	ret_counts->lost -= hook.before.lost;
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
	hook.has_rings = false;
	rings_stop();
}

bool hook_has_rings(void)
{
	return hook.had_rings;
}

const char *hook_events_why(void)
{
	return why;
}
