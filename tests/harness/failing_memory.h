/*
 * SPDX-License-Identifier: MIT
 *
 * Allocations that fail: ours, and SQLite's.  Library csc_failing_memory wraps
 * malloc() and its kin at link time: linked statically, only calls of ours.
 */
#ifndef CSC_FAILING_MEMORY_H
#define CSC_FAILING_MEMORY_H

#include <stdbool.h>

enum failing_memory {
	FAILING_OURS,
	FAILING_SQLITE,
	FAILING_MEMORIES,
};

/* Installs SQLite's part, before SQLite is used for the first time; false: it refuses. */
bool failing_memory_install(void);

/* The `n`th allocation from now on fails, once. */
void failing_memory_arm(enum failing_memory memory, long n);

/* None fails any more; failing_memory_has_struck() stays as it is. */
void failing_memory_disarm(void);

/* Whether one has failed since it was armed. */
bool failing_memory_has_struck(enum failing_memory memory);

#endif
