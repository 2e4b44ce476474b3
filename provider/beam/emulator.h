/* SPDX-License-Identifier: MIT */
/*
 * What a stock emulator has of its allocators: the table of functions that every allocation goes
 * through, and the names of allocators, classes and block types.
 *
 * Nothing here is known by a version number.  emulator_find() looks the symbols up, or searches for
 * what they name where they are hidden (finder/finder.h), and checks that sizes and contents fit
 * each other; what does not fit is refused.  Read from the data symbols of a running OTP 25:
 *
 *   erts_allctrs          for each allocator alloc, realloc, free, and an argument of theirs
 *   erts_alc_a2ad         names of allocators, by number; 0 is none
 *   erts_alc_c2cd         names of classes, by number; 0 is none
 *   erts_alc_n2t, n2td    for each block type number its word and its name; 0 is none
 *   erts_allctr_thr_spec  for each allocator its instances, if it has some
 *
 * A type's word is number * 128 + class * 16 + allocator; the functions of the table get it as
 * their first argument.
 */
#ifndef CSC_BEAM_EMULATOR_H
#define CSC_BEAM_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"

#define EMULATOR_ALLOCATORS 16
#define EMULATOR_CLASSES 8
/* As many as a type_id of our events may be named by a filter. */
#define EMULATOR_TYPES 1024

typedef void *emulator_alloc(uintptr_t type, void *extra, uintptr_t bytes);
typedef void *emulator_realloc(uintptr_t type, void *extra, void *block, uintptr_t bytes);
typedef void emulator_free(uintptr_t type, void *extra, void *block);

/* One allocator, as the emulator has it. */
struct emulator_entry {
	emulator_alloc *alloc;
	emulator_realloc *realloc;
	emulator_free *free;
	void *extra;
};

/* Instances of one allocator. */
struct emulator_set {
	int is_enabled;
	int is_preferred;
	int allocator;
	int count;
	void **instances;
};

/* How the table of functions was found. */
struct emulator_evidence {
	/* By its shape, as symbols are hidden; else they are exported, and nothing else is asked.
	 */
	bool is_found;

	/* Exported functions whose code calls through it, sets of instances that it points to. */
	size_t functions;
	size_t sets;

	/* The symbol table of the emulator's file has it there, too. */
	bool has_symbol;
};

struct emulator {
	/* By number; 0 is none. */
	struct emulator_entry *entries;
	size_t entry_count;
	const char *const *allocator_names;
	const char *const *class_names;
	size_t class_count;
	const uint32_t *type_words;
	const char *const *type_names;
	size_t type_count;

	/* For each allocator its instances; NULL: no allocator has more than one. */
	const struct emulator_set *specs;

	/* Instances of each allocator, the global one included: 1 or more. */
	uint16_t instances[EMULATOR_ALLOCATORS];
	uint16_t instances_max;
	uint16_t schedulers;
	uint16_t dirty_instances;

	/* Bytes; 0: the emulator does not say. */
	uint64_t unit_bytes;

	struct emulator_evidence evidence;
};

static inline size_t type_allocator(uintptr_t word)
{
	return word & 15;
}

static inline size_t type_number(uintptr_t word)
{
	return word >> 7;
}

/* Finds and checks; false: the sentence says what is not as expected, and nothing may be hooked. */
bool emulator_find(struct emulator *ret_emulator, struct diag *diag);

/* How the table was found, as words that a report shows. */
#define EMULATOR_WAY_BYTES 96
void emulator_print_way(const struct emulator_evidence *evidence, char text[EMULATOR_WAY_BYTES]);

/* Whether nobody else has replaced the functions of an allocator. */
bool emulator_is_own(const struct emulator *emulator, size_t allocator);

/*
 * Puts functions before an allocator, or its own ones back.  Single stores of a word: whoever comes
 * between uses some old and some new ones.  In this order no block is recorded whose free is not:
 * frees are heard first and last.
 */
void emulator_put(struct emulator_entry *entry, const struct emulator_entry *functions);
void emulator_put_back(struct emulator_entry *entry, const struct emulator_entry *functions);

/* Whether the calling thread is a scheduler, a dirty one included: by its name. */
bool emulator_thread_is_scheduler(void);

/* The instance that serves the calling thread in allocators with instances; 0: the global one. */
uint16_t emulator_thread_instance(const struct emulator *emulator);

#endif
