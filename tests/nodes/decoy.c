/* SPDX-License-Identifier: MIT */
/*
 * decoy: an image that is laid out like an emulator that hides its symbols, and searches itself.
 *
 * Prints how the table was found, or why it is refused; exit status 1 if it was found in a wrong
 * place. What is wrong with the image is chosen when it is compiled, by macros DECOY_...
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <erl_nif.h>

#include "emulator.h"

#define EXPORTED __attribute__((visibility("default")))

#define ALLOCATORS 13
#define TYPES 80
#define SCHEDULERS 2

/* In the name of the emulator's own, for the symbol table of the file. */
#ifdef DECOY_SYMBOL_ELSEWHERE
#define TABLE allocators
struct emulator_entry erts_allctrs[ALLOCATORS];
#else
#define TABLE erts_allctrs
#endif
struct emulator_entry TABLE[ALLOCATORS + 1];

/* A second one: of the same shape, or of none, but used by the functions. */
static struct emulator_entry second[ALLOCATORS + 1];
#if defined(DECOY_OTHER_IS_USED)
#define USED second
#else
#define USED TABLE
#endif

static struct emulator_set sets[ALLOCATORS];
#ifdef DECOY_SETS_APART
static struct emulator_set apart[ALLOCATORS];
#endif

#define WORD(n) ((n) << 7 | (1 + (n) % 5) << 4 | (1 + (n) % 12))
#define EIGHT(f, n) \
	f(n), f((n) + 1), f((n) + 2), f((n) + 3), f((n) + 4), f((n) + 5), f((n) + 6), f((n) + 7)
#define MORE(f)                                                                            \
	EIGHT(f, 8), EIGHT(f, 16), EIGHT(f, 24), EIGHT(f, 32), EIGHT(f, 40), EIGHT(f, 48), \
			EIGHT(f, 56), EIGHT(f, 64), EIGHT(f, 72)
#define WORDS                                                                                \
	{                                                                                    \
		0, WORD(1), WORD(2), WORD(3), WORD(4), WORD(5), WORD(6), WORD(7), MORE(WORD) \
	}
const uint32_t words[TYPES] = WORDS;
#ifdef DECOY_TWO_WORDS
const uint32_t more_words[TYPES] = WORDS;
#endif

#ifdef DECOY_MOVED_ANCHOR
#define ANCHOR "no_allocator"
#else
#define ANCHOR "invalid_allocator"
#endif
#define NAMES                                                                             \
	{                                                                                 \
		ANCHOR, "sys_alloc", "temp_alloc", "sl_alloc", "std_alloc", "ll_alloc",   \
				"eheap_alloc", "ets_alloc", "fix_alloc", "literal_alloc", \
				"binary_alloc", "driver_alloc", "test_alloc"              \
	}
const char *const allocator_names[] = NAMES;
#ifdef DECOY_TWO_NAMES
const char *const more_names[] = NAMES;
#endif
const char *const class_names[] = { "invalid_class", "processes", "atom", "binaries", "code",
	"ets" };
#define NAME(n) "type_of_blocks"
const char *const type_names[TYPES] = { "invalid_type", NAME(1), NAME(2), NAME(3), NAME(4), NAME(5),
	NAME(6), NAME(7), MORE(NAME) };

static void *serve(uintptr_t type, void *extra, uintptr_t bytes)
{
	(void)type;
	(void)extra;
	return malloc(bytes);
}

static void *resize(uintptr_t type, void *extra, void *block, uintptr_t bytes)
{
	(void)type;
	(void)extra;
	return realloc(block, bytes);
}

static void release(uintptr_t type, void *extra, void *block)
{
	(void)type;
	(void)extra;
	free(block);
}

/* What is asked of the table. */

#define NIF_TYPE WORD(11 + 12)
#define DRIVER_TYPE WORD(10 + 24)
#define BINARY_TYPE WORD(9 + 36)

#ifdef DECOY_NO_CODE
#define CALL(type, bytes) malloc(bytes)
#define CALL_AGAIN(type, block, bytes) realloc(block, bytes)
#define CALL_BACK(type, block) free(block)
#else
#define CALL(type, bytes) get(type, bytes)
#define CALL_AGAIN(type, block, bytes) get_again(type, block, bytes)
#define CALL_BACK(type, block) get_back(type, block)

static inline void *get(uint32_t type, uintptr_t bytes)
{
	struct emulator_entry *entry = &USED[type & 15];

	return entry->alloc(type, entry->extra, bytes);
}

static inline void *get_again(uint32_t type, void *block, uintptr_t bytes)
{
	struct emulator_entry *entry = &USED[type & 15];

	return entry->realloc(type, entry->extra, block, bytes);
}

static inline void get_back(uint32_t type, void *block)
{
	struct emulator_entry *entry = &USED[type & 15];

	entry->free(type, entry->extra, block);
}
#endif

/* A family of functions that take and give blocks of one type. */
#define FAMILY(name, type)                                       \
	EXPORTED void *name##_alloc(size_t bytes)                \
	{                                                        \
		return CALL(type, bytes);                        \
	}                                                        \
	EXPORTED void *name##_realloc(void *block, size_t bytes) \
	{                                                        \
		return CALL_AGAIN(type, block, bytes);           \
	}                                                        \
	EXPORTED void name##_free(void *block)                   \
	{                                                        \
		CALL_BACK(type, block);                          \
	}

FAMILY(enif, NIF_TYPE)
FAMILY(driver, DRIVER_TYPE)

EXPORTED int enif_alloc_binary(size_t bytes, ErlNifBinary *binary)
{
	/* A branch before the call, as emulators have it. */
	binary->data = bytes > SIZE_MAX / 8 ? NULL : CALL(BINARY_TYPE, bytes + 32);
	binary->size = bytes;
	return binary->data != NULL;
}

EXPORTED void *driver_alloc_binary(size_t bytes)
{
	size_t *binary = bytes > SIZE_MAX / 8 ? NULL : CALL(BINARY_TYPE, bytes + 32);

	if (!binary) {
		return NULL;
	}
	binary[0] = bytes;
	return binary;
}

EXPORTED ErlNifEnv *enif_alloc_env(void)
{
	void *env = CALL(NIF_TYPE, 840);

	memset(env, 0, 840);
	return env;
}

static inline __attribute__((always_inline)) void *make(const char *name)
{
	char *lock = CALL(DRIVER_TYPE, 96);

	if (lock) {
		memcpy(lock, name ? name : "", 1);
	}
	return lock;
}

EXPORTED void *erl_drv_mutex_create(char *name)
{
	return make(name);
}

EXPORTED void *erl_drv_cond_create(char *name)
{
	return make(name);
}

EXPORTED void *erl_drv_rwlock_create(char *name)
{
	return make(name);
}

EXPORTED void enif_system_info(ErlNifSysInfo *info, size_t bytes)
{
	memset(info, 0, bytes);
	info->scheduler_threads = SCHEDULERS;
}

static void fill(struct emulator_entry *table, struct emulator_set *its_sets)
{
	for (size_t i = 1; i < ALLOCATORS; i++) {
		table[i] = (struct emulator_entry){ serve, resize, release, NULL };
#ifndef DECOY_NO_SETS
		if (i > 3) {
			its_sets[i] = (struct emulator_set){ 1, 0, (int)i, 1 + SCHEDULERS,
				(void **)its_sets };
			table[i].extra = &its_sets[i];
		}
#else
		(void)its_sets;
#endif
	}
}

int main(void)
{
	struct emulator emulator;
	struct diag diag = { .file = NULL };
	char way[EMULATOR_WAY_BYTES];

	fill(TABLE, sets);
#if defined(DECOY_TWO_TABLES) || defined(DECOY_OTHER_IS_USED)
	fill(second, sets);
#endif
#ifdef DECOY_OTHER_IS_USED
	/* No shape: what stands before it is not 0. */
	second[0] = second[1];
#endif
#ifdef DECOY_OUTSIDE
	memcpy(&TABLE[11].free, &(void *){ (void *)free }, sizeof(void *));
#endif
#ifdef DECOY_SETS_APART
	apart[7] = sets[7];
	TABLE[7].extra = &apart[7];
#endif
#ifdef DECOY_LONGER
	TABLE[ALLOCATORS] = TABLE[1];
#endif
	/* What is not used here must stay. */
	(void)second;
	if (!emulator_find(&emulator, &diag)) {
		(void)puts(diag.text);
		return 0;
	}
	if (emulator.entries != TABLE || emulator.type_words != words ||
			emulator.type_names != type_names ||
			emulator.allocator_names != allocator_names ||
			emulator.class_names != class_names ||
			emulator.instances_max != 1 + (emulator.specs ? SCHEDULERS : 0)) {
		(void)puts("found in a wrong place");
		return 1;
	}
	emulator_print_way(&emulator.evidence, way);
	(void)puts(way);
	return 0;
}
