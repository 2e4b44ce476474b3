/* SPDX-License-Identifier: MIT */
#include "table.h"

#define WORD ((size_t)8)
#define ENTRY_BYTES (4 * WORD)
#define SPEC_BYTES ((size_t)24)
#define MOST_INSTANCES 65535

static bool is_zero(uintptr_t entry)
{
	for (size_t i = 0; i < 4; i++) {
		if (image_word(entry + i * WORD) != 0) {
			return false;
		}
	}
	return true;
}

static bool is_entry(const struct image *image, uintptr_t entry)
{
	uint64_t extra;

	if (!image_is_data(image, entry, ENTRY_BYTES)) {
		return false;
	}
	for (size_t i = 0; i < 3; i++) {
		if (!image_is_code(image, image_word(entry + i * WORD))) {
			return false;
		}
	}
	extra = image_word(entry + 3 * WORD);
	return extra % WORD == 0 && !image_is_code(image, extra);
}

/* Whether the table of so many entries stands there, and ends there. */
static bool is_table(const struct image *image, uintptr_t at, size_t entry_count)
{
	for (size_t i = 1; i < entry_count; i++) {
		if (!is_entry(image, at + i * ENTRY_BYTES)) {
			return false;
		}
	}
	return !is_entry(image, at + entry_count * ENTRY_BYTES);
}

size_t table_find(const struct image *image, size_t entry_count, uintptr_t *ret_table)
{
	size_t found = 0;

	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segments[i];
		uintptr_t at = (segment->begin + WORD - 1) & ~(uintptr_t)(WORD - 1);

		for (; segment->is_writable && at + ENTRY_BYTES <= segment->end; at += WORD) {
			if (image_is_data(image, at, ENTRY_BYTES) && is_zero(at) &&
					is_table(image, at, entry_count)) {
				*ret_table = at;
				found++;
			}
		}
	}
	return found;
}

/* Whether SPEC reads as instances of an allocator. */
static bool is_spec(const struct image *image, uintptr_t spec, size_t allocator)
{
	uint64_t flags;
	uint64_t counts;
	uint64_t instances;

	if (spec % WORD != 0 || !image_is_data(image, spec, SPEC_BYTES)) {
		return false;
	}
	flags = image_word(spec);
	counts = image_word(spec + WORD);
	instances = image_word(spec + 2 * WORD);
	return (uint32_t)flags == 1 && (uint32_t)counts == allocator && counts >> 32 >= 1 &&
			counts >> 32 < MOST_INSTANCES && instances != 0 && instances % WORD == 0;
}

size_t table_find_specs(const struct image *image, uintptr_t table, size_t entry_count,
		uintptr_t *ret_specs)
{
	size_t found = 0;

	*ret_specs = 0;
	for (size_t i = 1; i < entry_count; i++) {
		uintptr_t spec = image_word(table + i * ENTRY_BYTES + 3 * WORD);

		if (!is_spec(image, spec, i)) {
			continue;
		}
		if (found > 0 && spec - i * SPEC_BYTES != *ret_specs) {
			*ret_specs = 0;
			return 0;
		}
		*ret_specs = spec - i * SPEC_BYTES;
		found++;
	}
	return found;
}
