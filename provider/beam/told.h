/* SPDX-License-Identifier: MIT */
/*
 * The set of live blocks that were told, when not all are: a block that is freed is told if and
 * only if its allocation was.
 *
 * Lock-free, of a fixed size, in memory of the system's own: no allocator is called.  A block that
 * finds no place is not told at all, and counted.
 */
#ifndef CSC_BEAM_TOLD_H
#define CSC_BEAM_TOLD_H

#include <stdbool.h>
#include <stdint.h>

/* Makes the set, empty; nobody may be using it.  False: the system gives no memory. */
bool told_open(void);

/* Adds a block that nobody else can name yet; false: there is no place. */
bool told_add(const void *block);

/* Removes a block; false: it is not there. */
bool told_remove(const void *block);

#endif
