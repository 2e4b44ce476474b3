/*
 * SPDX-License-Identifier: MIT
 *
 * Trees of values, and their memory.
 */
#include "value.h"

#include <stdlib.h>

enum { VALUES_PER_CHUNK = 1024 };

struct chunk {
	struct chunk *next;
	struct value values[VALUES_PER_CHUNK];
};

struct value_arena {
	/* All chunks, and the one that values come from. */
	struct chunk *chunks;
	struct chunk *current;
	size_t used;
};

struct value_arena *value_arena_create(void)
{
	struct value_arena *arena = calloc(1, sizeof(*arena));

	if (!arena) {
		return NULL;
	}

	arena->chunks = calloc(1, sizeof(*arena->chunks));
	if (!arena->chunks) {
		free(arena);
		return NULL;
	}

	arena->current = arena->chunks;
	return arena;
}

void value_arena_destroy(struct value_arena *arena)
{
	struct chunk *chunk = arena ? arena->chunks : NULL;

	while (chunk) {
		struct chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}

	free(arena);
}

void value_arena_reset(struct value_arena *arena)
{
	arena->current = arena->chunks;
	arena->used = 0;
}

struct value *value_new(struct value_arena *arena, enum value_kind kind, uint32_t line)
{
	struct value *value;

	if (arena->used == VALUES_PER_CHUNK) {
		if (!arena->current->next) {
			arena->current->next = calloc(1, sizeof(*arena->chunks));
			if (!arena->current->next) {
				return NULL;
			}
		}
		arena->current = arena->current->next;
		arena->used = 0;
	}

	value = &arena->current->values[arena->used++];
	*value = (struct value){ .kind = kind, .line = line };
	return value;
}

void value_add(struct value *container, struct value *child)
{
	child->next = NULL;
	if (container->last) {
		container->last->next = child;
	} else {
		container->first = child;
	}

	container->last = child;
	container->count++;
}

const struct value *value_of(const struct value *container, const char *key)
{
	const struct value *child = container ? container->first : NULL;

	if (!container || (container->kind != VALUE_LIST && container->kind != VALUE_MAP)) {
		return NULL;
	}

	while (child) {
		if (container->kind == VALUE_MAP) {
			if (child->next && value_is_atom(child, key)) {
				return child->next;
			}
			child = child->next ? child->next->next : NULL;
			continue;
		}

		if (value_is_pair(child) && value_is_atom(child->first, key)) {
			return value_second(child);
		}
		child = child->next;
	}

	return NULL;
}
