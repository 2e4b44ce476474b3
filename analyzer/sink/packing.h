/*
 * SPDX-License-Identifier: MIT
 *
 * A buffer of packed records, one behind the other.
 */
#ifndef CSC_PACKING_H
#define CSC_PACKING_H

#include <stdbool.h>
#include <stddef.h>

#include "packed.h"

/* All zeroes is an empty one; the owner frees `bytes`. */
struct packing {
	char *bytes;
	size_t length;
	size_t capacity;

	/* Where the record that is being made begins. */
	size_t begin;
};

/* Begins a record with room for `size` bytes, its head among them.  NULL: out of memory. */
void *packing_begin(struct packing *packing, size_t size);

/* Adds zeroed room to the record that was begun, which may move.  NULL: out of memory. */
void *packing_add(struct packing *packing, size_t size);

/* Adds a text; yields its offset from the begin of the record, 0 when out of memory. */
size_t packing_add_text(struct packing *packing, const char *text);

/* Fills up to the next multiple of 8 bytes.  False: out of memory. */
bool packing_align(struct packing *packing);

/* The record that was begun, where it lies now. */
static inline void *packing_record(const struct packing *packing)
{
	return packing->bytes + packing->begin;
}

/* Sets the length of the record that was begun: a multiple of 8.  False: out of memory. */
bool packing_end(struct packing *packing);

#endif
