/*
 * SPDX-License-Identifier: MIT
 *
 * An insert-only hash table with open addressing.
 */
#include "numbering.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ (hash >> 29);
}

static size_t hash_of(int64_t a, int64_t b, const char *text)
{
	uint64_t hash = mix(mix(UINT64_C(0x243f6a8885a308d3), (uint64_t)a), (uint64_t)b);

	for (const char *at = text; at && *at; at++) {
		hash = mix(hash, (unsigned char)*at);
	}

	return (size_t)hash;
}

static bool is_key(const struct numbering_entry *entry, int64_t a, int64_t b, const char *text)
{
	if (entry->a != a || entry->b != b || !entry->text != !text) {
		return false;
	}

	return !text || strcmp(entry->text, text) == 0;
}

/* Finds the slot of a key, or the empty one where it would go. */
static size_t slot_of(const struct numbering *numbering, int64_t a, int64_t b, const char *text)
{
	size_t mask = numbering->slot_count - 1;
	size_t slot = hash_of(a, b, text) & mask;

	while (numbering->slots[slot] != 0 &&
			!is_key(&numbering->entries[numbering->slots[slot] - 1], a, b, text)) {
		slot = (slot + 1) & mask;
	}

	return slot;
}

/* Makes room for one more entry, at most half of the slots in use. */
static bool grow(struct numbering *numbering)
{
	size_t slot_count = numbering->slot_count ? numbering->slot_count * 2 : 64;
	struct numbering_entry *entries;
	uint32_t *slots;

	if (numbering->count < numbering->capacity) {
		return true;
	}

	entries = realloc(numbering->entries, slot_count / 2 * sizeof(*entries));
	if (!entries) {
		return false;
	}

	numbering->entries = entries;
	slots = calloc(slot_count, sizeof(*slots));
	if (!slots) {
		return false;
	}

	free(numbering->slots);
	numbering->slots = slots;
	numbering->slot_count = slot_count;
	numbering->capacity = slot_count / 2;
	for (size_t i = 0; i < numbering->count; i++) {
		const struct numbering_entry *entry = &numbering->entries[i];

		slots[slot_of(numbering, entry->a, entry->b, entry->text)] = (uint32_t)i + 1;
	}

	return true;
}

int32_t numbering_find(struct numbering *numbering, int64_t a, int64_t b, const char *text)
{
	size_t slot;
	char *copy = NULL;

	if (numbering->count > 0) {
		slot = slot_of(numbering, a, b, text);
		if (numbering->slots[slot] != 0) {
			return (int32_t)(numbering->slots[slot] - 1);
		}
	}

	if (!grow(numbering)) {
		return -1;
	}

	if (text) {
		copy = strdup(text);
		if (!copy) {
			return -1;
		}
	}

	slot = slot_of(numbering, a, b, text);
	numbering->entries[numbering->count] =
			(struct numbering_entry){ .a = a, .b = b, .text = copy };
	numbering->slots[slot] = (uint32_t)++numbering->count;
	return (int32_t)(numbering->count - 1);
}

void numbering_finish(struct numbering *numbering)
{
	for (size_t i = 0; i < numbering->count; i++) {
		free(numbering->entries[i].text);
	}

	free(numbering->entries);
	free(numbering->slots);
	*numbering = (struct numbering){ 0 };
}
