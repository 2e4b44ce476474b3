/* SPDX-License-Identifier: MIT */
/*
 * Every block is recorded: by a record in the thread's ring where a session listens to batches, and
 * else, or where the thread has no ring, by an event of its own.
 */
#include "hook_state.h"

#include <errno.h>

#include "block_header.h"
#include "rings/rings.h"

#define IS_WANTED_MADE(event) (IS_WANTED(event) || IS_WANTED(event##_by_process))

static inline bool packs(void)
{
	return hook.has_rings && IS_WANTED(block_batch);
}

static inline uint64_t free_bytes(uintptr_t type, const void *block)
{
	bool is_readable = (hook.readable >> type_allocator(type) & 1) != 0;

	return is_readable ? block_header_room_bytes(block) : 0;
}

static inline __attribute__((always_inline)) struct ring_record record_of(
		uint8_t kind, uintptr_t type, const void *old, const void *block, uint64_t bytes)
{
	struct ring_record record = {
		.address = (uintptr_t)block,
		.old = (uintptr_t)old,
		.bytes = bytes,
		.process = RING_NO_PROCESS,
		.type = type,
		.kind = kind,
	};

	if (kind != SLOT_FREE && current_process_is_known()) {
		record.process = current_process_read(self.scheduler, &self.process);
	}
	return record;
}

void hook_emit_failure(uintptr_t type, const void *old, uintptr_t bytes)
{
	if (IS_WANTED(alloc_failure)) {
		lttng_ust_do_tracepoint(
				carrierscope, alloc_failure, bytes, (uintptr_t)old, WHOSE(type));
		COUNT(failures);
	}
}

void hook_emit_alloc(uintptr_t type, const void *block, uintptr_t bytes)
{
	if (packs() && self.ring) {
		ring_put(self.ring, record_of(SLOT_ALLOC, type, NULL, block, bytes));
	} else if (IS_WANTED_MADE(block_alloc)) {
		EMIT_MADE(block_alloc, allocs, (uintptr_t)block, bytes, WHOSE(type));
	} else if (packs()) {
		rings_lose();
		COUNT(allocs);
	}
}

void hook_emit_free(uintptr_t type, const void *block)
{
	if (packs() && self.ring) {
		ring_put(self.ring,
				record_of(SLOT_FREE, type, NULL, block, free_bytes(type, block)));
	} else if (IS_WANTED(block_free)) {
		lttng_ust_do_tracepoint(carrierscope, block_free, (uintptr_t)block,
				free_bytes(type, block), WHOSE(type));
		COUNT(frees);
	} else if (packs()) {
		rings_lose();
		COUNT(frees);
	}
}

static void emit_realloc(uintptr_t type, const void *old, const void *block, uintptr_t bytes)
{
	if (packs() && self.ring) {
		ring_put(self.ring, record_of(SLOT_REALLOC, type, old, block, bytes));
	} else if (IS_WANTED_MADE(block_realloc)) {
		EMIT_MADE(block_realloc, reallocs, (uintptr_t)block, (uintptr_t)old, bytes,
				WHOSE(type));
	} else if (packs()) {
		rings_lose();
		COUNT(reallocs);
	}
}

static __attribute__((noinline)) void *after_alloc(uintptr_t type, void *block, uintptr_t bytes)
{
	int error = errno;

	know_self();
	if (is_wanted(type)) {
		if (!block) {
			hook_emit_failure(type, NULL, bytes);
		} else {
			hook_emit_alloc(type, block, bytes);
		}
	}
	errno = error;
	return block;
}

static void *full_alloc(uintptr_t type, void *extra, uintptr_t bytes)
{
	emulator_alloc *original = hook.alloc[type_allocator(type)];
	void *block;

	if (__builtin_expect(!IS_WANTED(block_batch) && !IS_WANTED_MADE(block_alloc), 1)) {
		return original(type, extra, bytes);
	}
	block = original(type, extra, bytes);
	return after_alloc(type, block, bytes);
}

static __attribute__((noinline)) void *after_realloc(
		uintptr_t type, void *old, void *block, uintptr_t bytes)
{
	int error = errno;

	know_self();
	if (is_wanted(type)) {
		if (!block) {
			hook_emit_failure(type, old, bytes);
		} else {
			emit_realloc(type, old, block, bytes);
		}
	}
	errno = error;
	return block;
}

static void *full_realloc(uintptr_t type, void *extra, void *old, uintptr_t bytes)
{
	emulator_realloc *original = hook.realloc[type_allocator(type)];
	void *block;

	if (__builtin_expect(!IS_WANTED(block_batch) && !IS_WANTED_MADE(block_realloc), 1)) {
		return original(type, extra, old, bytes);
	}
	block = original(type, extra, old, bytes);
	return after_realloc(type, old, block, bytes);
}

static __attribute__((noinline)) void before_free(uintptr_t type, void *block)
{
	int error = errno;

	know_self();
	if (block && is_wanted(type)) {
		hook_emit_free(type, block);
	}
	errno = error;
}

static void full_free(uintptr_t type, void *extra, void *block)
{
	if (__builtin_expect(IS_WANTED(block_batch) || IS_WANTED(block_free), 0)) {
		before_free(type, block);
	}
	hook.free[type_allocator(type)](type, extra, block);
}

const struct emulator_entry hook_full = { full_alloc, full_realloc, full_free, NULL };

/*
 * Of every type, and with rings: what is easy is written at once, without a call, and the rest is
 * done as above.
 */

static inline bool has_ring(const void *block)
{
	return block && self.generation == hook.generation && self.ring;
}

static void *packed_alloc(uintptr_t type, void *extra, uintptr_t bytes)
{
	emulator_alloc *original = hook.alloc[type_allocator(type)];
	void *block;

	if (!IS_WANTED(block_batch)) {
		return full_alloc(type, extra, bytes);
	}
	block = original(type, extra, bytes);
	if (has_ring(block) &&
			ring_try(self.ring, record_of(SLOT_ALLOC, type, NULL, block, bytes))) {
		return block;
	}
	return after_alloc(type, block, bytes);
}

static void *packed_realloc(uintptr_t type, void *extra, void *old, uintptr_t bytes)
{
	emulator_realloc *original = hook.realloc[type_allocator(type)];
	void *block;

	if (!IS_WANTED(block_batch)) {
		return full_realloc(type, extra, old, bytes);
	}
	block = original(type, extra, old, bytes);
	if (has_ring(block) &&
			ring_try(self.ring, record_of(SLOT_REALLOC, type, old, block, bytes))) {
		return block;
	}
	return after_realloc(type, old, block, bytes);
}

static void packed_free(uintptr_t type, void *extra, void *block)
{
	if (IS_WANTED(block_batch) && has_ring(block) &&
			ring_try(self.ring,
					record_of(SLOT_FREE, type, NULL, block,
							free_bytes(type, block)))) {
		hook.free[type_allocator(type)](type, extra, block);
		return;
	}
	full_free(type, extra, block);
}

const struct emulator_entry hook_packed = { packed_alloc, packed_realloc, packed_free, NULL };
