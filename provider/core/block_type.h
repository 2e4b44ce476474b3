/* SPDX-License-Identifier: MIT */
/*
 * What blocks are for: the runtime's types, each with its class and its allocator.
 * Source: SOURCES.md 10.1.
 */
#ifndef CSC_BLOCK_TYPE_H
#define CSC_BLOCK_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"

/* The numbers are the runtime's. */
enum csc_block_class {
	CSC_CLASS_ATOM = 1,
	CSC_CLASS_BINARY,
	CSC_CLASS_CODE,
	CSC_CLASS_ETS,
	CSC_CLASS_PROCESS,
	CSC_CLASS_SYSTEM,
};

struct csc_block_type {
	/* "HEAP" */
	const char *name;

	/* As in slogans: "heap". */
	const char *description;

	enum csc_block_class class_id;

	/* sys_alloc has no instances here. */
	bool is_sys;
	enum csc_allocator allocator;
};

/* Types are numbered from 1 to this. */
uint32_t csc_block_type_count(void);

/* NULL: no such number. */
const struct csc_block_type *csc_block_type_at(uint32_t number);

/* The number of the type with this description; 0: there is none. */
uint32_t csc_block_type_find(const char *description);

/* The word by which the runtime names the type: number, class and allocator in one. */
uint32_t csc_block_type_word(const struct csc_options *options, uint32_t number);

#endif
