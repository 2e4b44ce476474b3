/*
 * SPDX-License-Identifier: MIT
 *
 * One realloc() for all arrays that grow.
 */
#include "growing.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ITEMS = 16 };

bool csc_growing_enlarge(void *items, size_t *capacity, size_t needed, size_t item_size)
{
	size_t room = *capacity > SIZE_MAX / 2 ? needed : *capacity * 2;
	size_t bytes;
	void *old;
	void *grown;

	assert(needed > *capacity && item_size > 0);
	room = room < FIRST_ITEMS ? FIRST_ITEMS : room;
	room = room < needed ? needed : room;
	if (__builtin_mul_overflow(room, item_size, &bytes)) {
		return false;
	}

	/* The pointer is of another type, which may not be read as void *. */
	memcpy(&old, items, sizeof(old));
	grown = realloc(old, bytes);
	if (!grown) {
		return false;
	}

	memcpy(items, &grown, sizeof(grown));
	*capacity = room;
	return true;
}

bool csc_growing_enlarge_zeroed(void *items, size_t *capacity, size_t needed, size_t item_size)
{
	size_t old_capacity = *capacity;
	char *grown;

	if (!csc_growing_enlarge(items, capacity, needed, item_size)) {
		return false;
	}

	memcpy(&grown, items, sizeof(grown));
	memset(grown + old_capacity * item_size, 0, (*capacity - old_capacity) * item_size);
	return true;
}

bool csc_grow_by_one(void *items, size_t count, size_t item_size)
{
	size_t capacity = count;

	/* There is room up to the next power of two. */
	if (count != 0 && (count < FIRST_ITEMS || (count & (count - 1)) != 0)) {
		return true;
	}

	return csc_growing_enlarge(items, &capacity, count + 1, item_size);
}

void csc_free_each(void *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		void *item;

		memcpy(&item, (char *)items + i * sizeof(item), sizeof(item));
		free(item);
	}

	free(items);
}
