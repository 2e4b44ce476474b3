/*
 * SPDX-License-Identifier: MIT
 *
 * Names that readers of heap profiles know.
 */
#include "stack.h"

#include <assert.h>

const char *stack_value_name(enum stack_value value)
{
	static const char *const names[STACK_VALUES] = { "alloc_objects", "alloc_space",
		"inuse_objects", "inuse_space" };

	assert(value < STACK_VALUES);
	return names[value];
}

bool stack_value_is_bytes(enum stack_value value)
{
	return value == STACK_ALLOC_SPACE || value == STACK_INUSE_SPACE;
}
