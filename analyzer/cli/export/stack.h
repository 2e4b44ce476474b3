/*
 * SPDX-License-Identifier: MIT
 *
 * Who holds memory, and who asked for it, as profiles of heaps have it: stacks with values.
 */
#ifndef CSC_STACK_H
#define CSC_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* Between functions, as view export_stack has them. */
#define STACK_SEPARATOR "\x1f"

/* From the root on. */
enum stack_frame {
	STACK_NODE,
	STACK_ALLOCATOR,
	STACK_TYPE,
	STACK_PROCESS,
	STACK_FUNCTION,
	/* What it called, to the innermost, where stacks were recorded; 32 are kept of each. */
	STACK_FRAMES = STACK_FUNCTION + 32
};

/* What a frame is: functions are one kind. */
static inline enum stack_frame stack_frame_kind(int frame)
{
	return frame < STACK_FUNCTION ? (enum stack_frame)frame : STACK_FUNCTION;
}

/* In the order of the profiles of other heaps. */
enum stack_value {
	STACK_ALLOC_OBJECTS,
	STACK_ALLOC_SPACE,
	STACK_INUSE_OBJECTS,
	STACK_INUSE_SPACE,
	STACK_VALUES
};

struct stack {
	/* Borrowed; NULL: there is none.  The node is a frame only where there are several. */
	const char *frames[STACK_FRAMES];

	/* Of functions, such as shop.erl:41; borrowed; NULL or without a number: not known. */
	const char *source_lines[STACK_FRAMES];

	/* Borrowed; NULL: not known. */
	const char *node;
	const char *pid;

	/* Of the allocator; -1: not known. */
	int64_t instance;

	/* Blocks and bytes; 0 where profile.has is false. */
	int64_t values[STACK_VALUES];
};

/* What all stacks have in common. */
struct stack_profile {
	bool has[STACK_VALUES];

	/* The moment, since the Unix epoch, and how much of the recording was before it; 0: not
	 * known. */
	int64_t time_ns;
	int64_t duration_ns;

	/* Mean distance of samples, in bytes or blocks; 0: all blocks, or not the same everywhere.
	 */
	int64_t period;
	bool is_period_bytes;

	/* A sentence about the quality of the values; of the caller. */
	char *comment;
};

/* "inuse_space", ... */
const char *stack_value_name(enum stack_value value);

/* Whether it counts bytes, not blocks. */
bool stack_value_is_bytes(enum stack_value value);

#endif
