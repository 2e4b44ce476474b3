/* SPDX-License-Identifier: MIT */
/* Functions that note what the trying thread does. */
#include "self_test.h"

#include <pthread.h>
#include <string.h>

#include <erl_nif.h>

/* Variables of the library: threads may look at them when the trial is over. */
static struct trial {
	struct emulator_entry original[EMULATOR_ALLOCATORS];
	pthread_t thread;
	struct {
		unsigned int calls;
		uintptr_t type;
		const void *block;
		uintptr_t bytes;
	} alloc, realloc, free;
} trial;

#define SEE(call, block_, bytes_)                                  \
	do {                                                       \
		if (pthread_equal(trial.thread, pthread_self())) { \
			trial.call.calls++;                        \
			trial.call.type = type;                    \
			trial.call.block = block_;                 \
			trial.call.bytes = bytes_;                 \
		}                                                  \
	} while (0)

static void *try_alloc(uintptr_t type, void *extra, uintptr_t bytes)
{
	void *block = trial.original[type_allocator(type)].alloc(type, extra, bytes);

	SEE(alloc, block, bytes);
	return block;
}

static void *try_realloc(uintptr_t type, void *extra, void *old, uintptr_t bytes)
{
	void *block = trial.original[type_allocator(type)].realloc(type, extra, old, bytes);

	SEE(realloc, block, bytes);
	return block;
}

static void try_free(uintptr_t type, void *extra, void *block)
{
	SEE(free, block, 0);
	trial.original[type_allocator(type)].free(type, extra, block);
}

static const struct emulator_entry trying = { try_alloc, try_realloc, try_free, NULL };

/* The driver allocator's number: what enif_alloc() asks; 0: there is none. */
static size_t find_tried(const struct emulator *emulator)
{
	for (size_t i = 1; i < emulator->entry_count; i++) {
		if (strcmp(emulator->allocator_names[i], "driver_alloc") == 0) {
			return i;
		}
	}
	return 0;
}

/* Sizes that nobody asks for by chance. */
#define TRIED_BYTES 1013
#define TRIED_MORE_BYTES 2027

static bool has_seen(const struct emulator *emulator, size_t allocator, const void *block,
		const void *moved)
{
	uintptr_t type = trial.alloc.type;

	return trial.alloc.calls == 1 && trial.realloc.calls == 1 && trial.free.calls == 1 &&
			type_number(type) < emulator->type_count &&
			emulator->type_words[type_number(type)] == type &&
			type_allocator(type) == allocator && trial.realloc.type == type &&
			trial.free.type == type && trial.alloc.block == block &&
			trial.alloc.bytes == TRIED_BYTES && trial.realloc.block == moved &&
			trial.realloc.bytes == TRIED_MORE_BYTES && trial.free.block == moved;
}

bool self_test_run(const struct emulator *emulator, struct diag *diag)
{
	size_t allocator = find_tried(emulator);
	struct emulator_entry *entry = &emulator->entries[allocator];
	const void *first;
	void *block;
	void *moved;

	if (allocator == 0) {
		return DIAG_FALSE(diag, "the emulator has no 'driver_alloc' to try a hook on");
	}
	memcpy(trial.original, emulator->entries,
			emulator->entry_count * sizeof(trial.original[0]));
	memset(&trial.alloc, 0, sizeof(trial.alloc));
	memset(&trial.realloc, 0, sizeof(trial.realloc));
	memset(&trial.free, 0, sizeof(trial.free));
	trial.thread = pthread_self();
	emulator_put(entry, &trying);
	block = enif_alloc(TRIED_BYTES);
	first = block;
	moved = block ? enif_realloc(block, TRIED_MORE_BYTES) : NULL;
	enif_free(moved ? moved : block);
	emulator_put_back(entry, &trial.original[allocator]);
	if (!moved) {
		return DIAG_FALSE(diag, "no memory to try a hook with");
	}
	if (!has_seen(emulator, allocator, first, moved)) {
		return DIAG_FALSE(diag,
				"a hook that was tried did not see what was allocated, resized and "
				"freed");
	}
	return true;
}
