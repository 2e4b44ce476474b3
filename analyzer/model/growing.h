/*
 * SPDX-License-Identifier: MIT
 *
 * Arrays that grow: their room doubles, so that adding costs the same for each item.
 *
 * `items` is the address of a pointer to the array, of any type; NULL is an array without
 * room.  The array is freed by free().  False: out of memory, or more bytes than a size_t
 * counts; the array is as before.
 */
#ifndef CSC_GROWING_H
#define CSC_GROWING_H

#include <stdbool.h>
#include <stddef.h>

/* For those below: makes room for `needed` items, which `*capacity` is too small for. */
bool csc_growing_enlarge(void *items, size_t *capacity, size_t needed, size_t item_size);
bool csc_growing_enlarge_zeroed(void *items, size_t *capacity, size_t needed, size_t item_size);

/* Room for at least `needed` items of `item_size` bytes; what is new is not initialised. */
static inline bool csc_grow(void *items, size_t *capacity, size_t needed, size_t item_size)
{
	return needed <= *capacity || csc_growing_enlarge(items, capacity, needed, item_size);
}

/* The same; what is new is all zeroes. */
static inline bool csc_grow_zeroed(void *items, size_t *capacity, size_t needed, size_t item_size)
{
	return needed <= *capacity ||
			csc_growing_enlarge_zeroed(items, capacity, needed, item_size);
}

/*
 * Room for one item behind `count`, in an array that grows by this function alone: how much
 * room there is follows from `count`.
 */
bool csc_grow_by_one(void *items, size_t count, size_t item_size);

/* Frees an array of pointers, and what each of them points to. */
void csc_free_each(void *items, size_t count);

#endif
