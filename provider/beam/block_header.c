/* SPDX-License-Identifier: MIT */
/* Whether headers are as they are taken to be. */
#include "block_header.h"

#include <dlfcn.h>
#include <string.h>

#include <erl_nif.h>

/* A block may be as much larger than needed as a smallest block, and have a tag of two words. */
#define SLACK_BYTES (64 + 2 * sizeof(uint64_t))

/* How alloc_util frees: without threads, with a lock, by instances. */
static const char *const free_names[] = {
	"erts_alcu_free",
	"erts_alcu_free_ts",
	"erts_alcu_free_thr_pref",
	"erts_alcu_free_thr_spec",
};

static const struct emulator_entry *named(const struct emulator *emulator, const char *name)
{
	for (size_t i = 1; i < emulator->entry_count; i++) {
		if (strcmp(emulator->allocator_names[i], name) == 0) {
			return &emulator->entries[i];
		}
	}
	return NULL;
}

/* Whether the function is one of those; false in *RET_IS_KNOWN: they are hidden. */
static bool is_exported_free(emulator_free *function, bool *ret_is_known)
{
	bool is_one = false;

	*ret_is_known = false;
	for (size_t i = 0; i < sizeof(free_names) / sizeof(free_names[0]); i++) {
		const void *known = dlsym(RTLD_DEFAULT, free_names[i]);

		*ret_is_known = *ret_is_known || known;
		is_one = is_one || (known && memcmp(&known, &function, sizeof(known)) == 0);
	}
	return is_one;
}

/*
 * Where they are hidden, the function that frees the blocks that are tried is known, unless it is
 * that of sys_alloc.
 */
static bool is_served(const struct emulator *emulator, const struct emulator_entry *entry)
{
	const struct emulator_entry *tried = named(emulator, "driver_alloc");
	const struct emulator_entry *system = named(emulator, "sys_alloc");
	bool is_known;

	if (is_exported_free(entry->free, &is_known)) {
		return true;
	}
	return !is_known && tried && system && entry->free == tried->free &&
			entry->free != system->free;
}

/* Not inlined: a compiler that sees enif_alloc() takes what is before its block for nobody's. */
static __attribute__((noinline)) bool fits(const void *block, size_t asked_bytes)
{
	uint64_t word = *((const uint64_t *)block - 1);
	uint64_t room_bytes = block_header_room_bytes(block);

	return ((word & 1) == 0 || (word & HEADER_FLAGS) == HEADER_FLAGS) &&
			room_bytes >= asked_bytes && room_bytes <= asked_bytes + 7 + SLACK_BYTES;
}

/* One size after another, the last of which has a carrier of its own unless that is forbidden. */
static bool is_as_taken(void)
{
	static const size_t sizes[] = { 1, 56, 57, 100, 1013, 3192, 20011, 700001 };
	bool is_good = true;

	for (size_t i = 0; is_good && i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		void *block = enif_alloc(sizes[i]);

		is_good = block && fits(block, sizes[i]);
		if (block) {
			enif_free(block);
		}
	}
	return is_good;
}

uint32_t block_header_find(const struct emulator *emulator)
{
	const struct emulator_entry *tried = named(emulator, "driver_alloc");
	uint32_t served = 0;

	for (size_t i = 1; i < emulator->entry_count; i++) {
		if (is_served(emulator, &emulator->entries[i])) {
			served |= UINT32_C(1) << i;
		}
	}
	/* Blocks of enif_alloc() are driver_alloc's; with +MRe false they are malloc's. */
	return tried && is_served(emulator, tried) && is_as_taken() ? served : 0;
}
