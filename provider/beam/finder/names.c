/* SPDX-License-Identifier: MIT */
#include "names.h"

#include <string.h>

/* Fewer block types than any emulator has. */
#define FEWEST_TYPES 64

#define MOST_NAME_BYTES 64
#define MOST_ANCHORS 8

/* The length of an array of words that starts at ADDRESS and ends before END; 0: there is none. */
static size_t count_words(uintptr_t address, uintptr_t end)
{
	const uint32_t *words;
	size_t most = (end - address) / sizeof(*words);
	size_t count = 1;

	memcpy(&words, &address, sizeof(words));
	if (words[0] != 0) {
		return 0;
	}
	while (count < most && count < EMULATOR_TYPES && words[count] >> 7 == count &&
			(words[count] >> 4 & 7) != 0 && (words[count] & 15) != 0) {
		count++;
	}
	return count >= FEWEST_TYPES ? count : 0;
}

static size_t find_words(const struct image *image, struct emulator *emulator)
{
	size_t found = 0;

	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segments[i];
		uintptr_t at = (segment->begin + 3) & ~(uintptr_t)3;

		for (; segment->is_readable && at + sizeof(uint32_t) <= segment->end;
				at += sizeof(uint32_t)) {
			size_t count = count_words(at, segment->end);

			if (count > 0) {
				memcpy(&emulator->type_words, &at, sizeof(at));
				emulator->type_count = count;
				found++;
			}
		}
	}
	return found;
}

struct anchor {
	const char *text;
	const char *ending;
	uintptr_t addresses[MOST_ANCHORS];
	size_t count;
};

/* Where the text stands with its zero; the end of a longer text will do, as linkers share ends. */
static bool find_text(const struct image *image, struct anchor *anchor)
{
	size_t bytes = strlen(anchor->text) + 1;

	anchor->count = 0;
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segments[i];
		const char *at;
		const char *end;

		memcpy(&at, &segment->begin, sizeof(at));
		memcpy(&end, &segment->end, sizeof(end));
		while (segment->is_readable &&
				(at = memmem(at, (size_t)(end - at), anchor->text, bytes)) !=
						NULL) {
			if (anchor->count == MOST_ANCHORS) {
				return false;
			}
			anchor->addresses[anchor->count++] = (uintptr_t)at++;
		}
	}
	return anchor->count > 0;
}

static bool is_anchor(const struct anchor *anchor, uintptr_t address)
{
	for (size_t i = 0; i < anchor->count; i++) {
		if (anchor->addresses[i] == address) {
			return true;
		}
	}
	return false;
}

/* A text of lower-case letters, digits and '_', with ENDING if that is not NULL. */
static bool is_named(const struct image *image, uintptr_t address, const char *ending)
{
	const char *name;
	size_t length = 0;

	memcpy(&name, &address, sizeof(name));
	while (length < MOST_NAME_BYTES && image_is_readable(image, address + length, 1) &&
			name[length] != '\0') {
		char c = name[length++];

		if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_') {
			return false;
		}
	}
	if (length == 0 || length == MOST_NAME_BYTES ||
			!image_is_readable(image, address + length, 1)) {
		return false;
	}
	return !ending ||
			(length > strlen(ending) &&
					strcmp(name + length - strlen(ending), ending) == 0);
}

/* Names that follow each other from the anchor on, MOST at most. */
static size_t count_names(const struct image *image, const struct anchor *anchor, uintptr_t address,
		size_t most)
{
	size_t count = 1;

	while (count < most && image_is_readable(image, address + count * 8, 8) &&
			is_named(image, image_word(address + count * 8), anchor->ending)) {
		count++;
	}
	return count;
}

/* How many arrays begin with the anchor and have from FEWEST to MOST names; the last one is
 * returned. */
static size_t find_names(const struct image *image, const struct anchor *anchor, size_t fewest,
		size_t most, const char *const **ret_names, size_t *ret_count)
{
	size_t found = 0;

	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segments[i];
		uintptr_t at = (segment->begin + 7) & ~(uintptr_t)7;

		for (; segment->is_readable && at + 8 <= segment->end; at += 8) {
			size_t count;

			if (!is_anchor(anchor, image_word(at))) {
				continue;
			}
			count = count_names(image, anchor, at, most);
			if (count >= fewest) {
				memcpy(ret_names, &at, sizeof(at));
				*ret_count = count;
				found++;
			}
		}
	}
	return found;
}

static bool find_anchored(const struct image *image, const char *text, const char *ending,
		size_t fewest, size_t most, const char *const **ret_names, size_t *ret_count,
		struct diag *diag)
{
	struct anchor anchor = { .text = text, .ending = ending };
	size_t found = find_text(image, &anchor)
			? find_names(image, &anchor, fewest, most, ret_names, ret_count)
			: 0;

	if (found != 1) {
		return DIAG_FALSE(diag,
				"the emulator hides its symbols, and has %zu lists of names that begin "
				"with '%s', where one was expected",
				found, text);
	}
	return true;
}

bool names_find(const struct image *image, struct emulator *emulator, struct diag *diag)
{
	size_t found = find_words(image, emulator);
	size_t allocators = 0;
	size_t classes = 0;
	size_t types = emulator->type_count;

	if (found != 1) {
		return DIAG_FALSE(diag,
				"the emulator hides its symbols, and has %zu lists of block types, where "
				"one was expected",
				found);
	}
	for (size_t i = 1; i < types; i++) {
		uint32_t word = emulator->type_words[i];

		allocators = type_allocator(word) > allocators ? type_allocator(word) : allocators;
		classes = (word >> 4 & 7) > classes ? (word >> 4 & 7) : classes;
	}
	return find_anchored(image, "invalid_allocator", "_alloc", allocators + 1,
			       EMULATOR_ALLOCATORS, &emulator->allocator_names,
			       &emulator->entry_count, diag) &&
			find_anchored(image, "invalid_class", NULL, classes + 1, classes + 1,
					&emulator->class_names, &emulator->class_count, diag) &&
			find_anchored(image, "invalid_type", NULL, types, types,
					&emulator->type_names, &types, diag);
}
