/*
 * SPDX-License-Identifier: MIT
 *
 * Numbers things by what they are: the first new key gets 0, the next 1.
 *
 * A key is two integers and a text; keys are never taken out.
 */
#ifndef CSC_NUMBERING_H
#define CSC_NUMBERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct numbering_entry {
	int64_t a;
	int64_t b;

	/* NULL: the key has no text. */
	char *text;
};

/* All zeroes is an empty one. */
struct numbering {
	/* Entry i has number i. */
	struct numbering_entry *entries;
	size_t count;
	size_t capacity;

	/* Open addressing: number + 1, or 0; a power of two of slots. */
	uint32_t *slots;
	size_t slot_count;
};

/*
 * Finds the number of a key, adding it if it is new.  `text` may be NULL, which
 * differs from "".  Yields -1 when out of memory; then nothing has changed.
 */
int32_t numbering_find(struct numbering *numbering, int64_t a, int64_t b, const char *text);

void numbering_finish(struct numbering *numbering);

#endif
