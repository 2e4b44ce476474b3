/* SPDX-License-Identifier: MIT */
/*
 * Which types of memory a generation of the runtime knows, and the sizes of those that have one.
 * Source: SOURCES.md 9, 10.
 */
#ifndef CSC_RUNTIME_BLOCK_TYPES_H
#define CSC_RUNTIME_BLOCK_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "block_type.h"
#include "options.h"

/* Which generations know a type. */
enum type_release {
	TYPE_ALL,
	/* 24.0.1 and later. */
	TYPE_LATER,
	TYPE_SINCE_25,
};

/* A type whose objects all have the same size. */
struct fixed_type {
	const char *name;

	/* On 24.0-rc0 and on 25.2.3, with words of 8 bytes; 0: not there. */
	uint64_t bytes_24rc0;
	uint64_t bytes_25;
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
 * Size of an object on a target, in bytes: exact for 24rc0 and 25 with words of 8 bytes.
 * Differs: other releases are assumed to have the sizes of 25.2.3, targets with words of 4 bytes
 * half of it; none of them was measured.
 */
uint64_t fixed_type_bytes(const struct fixed_type *type, const struct csc_generation *generation,
		uint32_t word_bytes);

/* Static: what these sizes are for a user, "exact: ..." or "estimates: ...". */
const char *fixed_types_basis(const struct csc_generation *generation, uint32_t word_bytes);

/* Names and sizes as two lines that are comments for Erlang. */
void fixed_types_print(const struct csc_generation *generation, uint32_t word_bytes, FILE *out);

/* The fixed-size types of a generation, in the runtime's order; returns their number. */
uint32_t fixed_types_of(const struct csc_generation *generation,
		const struct fixed_type *ret_types[CSC_FIX_TYPES_MAX]);

#endif
