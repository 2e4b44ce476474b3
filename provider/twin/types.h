/* SPDX-License-Identifier: MIT */
/*
 * Which types of memory a generation of the runtime knows, and the sizes of those that have one.
 * Source: facts/allocator-core.md 9, 10.
 */
#ifndef CSC_TYPES_H
#define CSC_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "block_type.h"
#include "options.h"

/* Which generations know a type. */
enum type_release {
	TYPE_ALL,
	TYPE_24RC0,
	TYPE_LATER,
};

/* A type whose objects all have the same size. */
struct fixed_type {
	const char *name;
	uint64_t size_bytes;
	enum type_release release;
};

/* Types of all generations are numbered from 1 to this, those of block_type.h first. */
uint32_t memory_type_count(void);

/* Static; NULL: the generation knows no such type. */
const struct csc_block_type *memory_type_at(
		uint32_t number, const struct csc_generation *generation);

/* 0: the generation knows no type with this description. */
uint32_t memory_type_find(const char *description, const struct csc_generation *generation);

/* CSC_ALLOCATORS: none of ours, the runtime calls malloc(3). */
static inline enum csc_allocator memory_type_allocator(const struct csc_block_type *type)
{
	return type->is_sys ? CSC_ALLOCATORS : type->allocator;
}

/*
 * Size of an object on a target, in bytes.  Differs: with words of 4 bytes it is assumed to be half
 * of that with words of 8; no such runtime was measured.
 */
static inline uint64_t fixed_type_bytes(const struct fixed_type *type, uint32_t word_bytes)
{
	return word_bytes == 8 ? type->size_bytes : (type->size_bytes / 2 + 3) & ~UINT64_C(3);
}

/* The fixed-size types of a generation, in the runtime's order; returns their number. */
uint32_t fixed_types_of(const struct csc_generation *generation,
		const struct fixed_type *ret_types[CSC_FIX_TYPES_MAX]);

#endif
