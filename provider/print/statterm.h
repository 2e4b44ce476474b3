/* SPDX-License-Identifier: MIT */
/*
 * The figures of instances in the shape of `erlang:system_info({allocator, A})`.
 * Source: SOURCES.md 8.3, 18.1.
 */
#ifndef CSC_STATTERM_H
#define CSC_STATTERM_H

#include <stdio.h>

#include "api.h"

/* What the term reports of an allocator. */
struct statterm {
	/* Static. */
	const struct csc_api *api;
	const struct csc_generation *generation;

	/* "binary_alloc"; the names by allocator type, NULL: not printed. */
	const char *name;
	const char *names[CSC_TYPES_MAX];

	/* Types of fixed size, with the size of an object, in bytes. */
	const char *fix_names[CSC_FIX_TYPES_MAX];
	uint64_t fix_bytes[CSC_FIX_TYPES_MAX];
	uint32_t fix_count;

	/* It has an instance for each scheduler. */
	bool has_threads;
};

/* One `{instance,I,[...]}`.  A new period starts, as it does when the runtime is asked. */
void statterm_instance(const struct statterm *statterm, struct csc_instance *instance,
		const struct csc_instance_config *config, FILE *out);

#endif
