/*
 * SPDX-License-Identifier: MIT
 *
 * An insert-only hash table with open addressing.
 */
#include "registry.h"

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

static bool is_key(const struct registry_entry *entry, int64_t a, int64_t b, const char *text)
{
	if (entry->a != a || entry->b != b || !entry->text != !text) {
		return false;
	}

	return !text || strcmp(entry->text, text) == 0;
}

/* Finds the slot of a key, or the empty one where it would go. */
static size_t slot_of(const struct registry *registry, int64_t a, int64_t b, const char *text)
{
	size_t mask = registry->slot_count - 1;
	size_t slot = hash_of(a, b, text) & mask;

	while (registry->slots[slot] != 0 &&
			!is_key(&registry->entries[registry->slots[slot] - 1], a, b, text)) {
		slot = (slot + 1) & mask;
	}

	return slot;
}

/* Makes room for one more entry, at most half of the slots in use. */
static bool grow(struct registry *registry)
{
	size_t slot_count = registry->slot_count ? registry->slot_count * 2 : 64;
	struct registry_entry *entries;
	uint32_t *slots;

	if (registry->count < registry->capacity) {
		return true;
	}

	entries = realloc(registry->entries, slot_count / 2 * sizeof(*entries));
	if (!entries) {
		return false;
	}

	registry->entries = entries;
	slots = calloc(slot_count, sizeof(*slots));
	if (!slots) {
		return false;
	}

	free(registry->slots);
	registry->slots = slots;
	registry->slot_count = slot_count;
	registry->capacity = slot_count / 2;
	for (size_t i = 0; i < registry->count; i++) {
		const struct registry_entry *entry = &registry->entries[i];

		slots[slot_of(registry, entry->a, entry->b, entry->text)] = (uint32_t)i + 1;
	}

	return true;
}

int32_t registry_number(struct registry *registry, int64_t a, int64_t b, const char *text)
{
	size_t slot;
	char *copy = NULL;

	if (registry->count > 0) {
		slot = slot_of(registry, a, b, text);
		if (registry->slots[slot] != 0) {
			return (int32_t)(registry->slots[slot] - 1);
		}
	}

	if (!grow(registry)) {
		return -1;
	}

	if (text) {
		copy = strdup(text);
		if (!copy) {
			return -1;
		}
	}

	slot = slot_of(registry, a, b, text);
	registry->entries[registry->count] =
			(struct registry_entry){ .a = a, .b = b, .text = copy };
	registry->slots[slot] = (uint32_t)++registry->count;
	return (int32_t)(registry->count - 1);
}

void registry_finish(struct registry *registry)
{
	for (size_t i = 0; i < registry->count; i++) {
		free(registry->entries[i].text);
	}

	free(registry->entries);
	free(registry->slots);
	*registry = (struct registry){ 0 };
}
