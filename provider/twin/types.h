/* SPDX-License-Identifier: MIT */
/*
 * The type table: what kinds of memory the runtime asks for, the class each belongs to and the
 * allocator that serves it.
 * Source: facts/allocator-core.md 9, 10.
 */
#ifndef CSC_TYPES_H
#define CSC_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options.h"

enum memory_class {
	TYPE_ATOM,
	TYPE_BINARY,
	TYPE_CODE,
	TYPE_ETS,
	TYPE_PROCESS,
	TYPE_SYSTEM,
};

/* Which generations know a type. */
enum type_release {
	TYPE_ALL,
	TYPE_24RC0,
	TYPE_LATER,
};

struct memory_type {
	/* Its description, as in "of type \"heap\"". */
	const char *name;

	/* CSC_ALLOCATORS: none of ours, the runtime calls malloc(3). */
	enum csc_allocator allocator;

	enum memory_class kind;
	enum type_release release;
};

/* A type whose objects all have the same size. */
struct fixed_type {
	const char *name;
	uint64_t size_bytes;
	enum type_release release;
};

/* Static; NULL: the generation knows no such type. */
const struct memory_type *memory_type_find(
		const char *name, const struct csc_generation *generation);

/* "process_data" */
const char *memory_class_name(enum memory_class kind);

/* The fixed-size types of a generation, in the runtime's order; returns their number. */
uint32_t fixed_types_of(const struct csc_generation *generation,
		const struct fixed_type *ret_types[CSC_FIX_TYPES_MAX]);

#endif
