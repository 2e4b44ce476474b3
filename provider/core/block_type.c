/* SPDX-License-Identifier: MIT */
/* What blocks are for. */
#include "block_type.h"

#include <stddef.h>
#include <string.h>

/* Stands where sys_alloc would, which is no allocator of ours. */
#define CSC_SYS CSC_ALLOCATORS

#define CSC_BLOCK_TYPE(name, description, allocator, class) \
	{ #name, description, CSC_CLASS_##class, CSC_##allocator == CSC_SYS, CSC_##allocator },

static const struct csc_block_type types[] = {
#include "block_types.inc"
};

#undef CSC_BLOCK_TYPE

uint32_t csc_block_type_count(void)
{
	return sizeof(types) / sizeof(types[0]);
}

const struct csc_block_type *csc_block_type_at(uint32_t number)
{
	return number >= 1 && number <= csc_block_type_count() ? &types[number - 1] : NULL;
}

uint32_t csc_block_type_find(const char *description)
{
	for (uint32_t i = 0; i < csc_block_type_count(); i++) {
		if (strcmp(types[i].description, description) == 0) {
			return i + 1;
		}
	}
	return 0;
}

uint32_t csc_block_type_word(const struct csc_options *options, uint32_t number)
{
	const struct csc_block_type *type = csc_block_type_at(number);
	uint32_t allocator = 1;

	if (!type) {
		return 0;
	}
	if (!type->is_sys) {
		allocator = csc_options_number(options, type->allocator);
	}
	return number * 128 + (uint32_t)type->class_id * 16 + allocator;
}
