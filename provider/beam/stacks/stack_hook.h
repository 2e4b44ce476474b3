/* SPDX-License-Identifier: MIT */
/*
 * The stack of the process that makes a sampled block, as the hook asks for it.
 *
 * A process that has freed or shrunk its heap, as it does when it is collected or ends, has no
 * stack where its structure still says so: another process may have its own there already.  So each
 * thread remembers whose heap went last, and where the stack was.  That is the same only until the
 * process goes on with a new heap, which may lie at the same address.
 *
 * Code that needs room for a number, in a piece of heap or for a moment, has not written down where
 * its stack ends: functions that have returned would be on it (tests/beam/stacks.sh).  Such blocks,
 * heap_frag and those of temp_alloc, have no stack.
 */
#ifndef CSC_BEAM_STACK_HOOK_H
#define CSC_BEAM_STACK_HOOK_H

#include "emulator.h"
#include "stack_set.h"

/* The number of the type of processes' heaps; 0: stacks are not read. */
extern size_t stack_hook_heap __attribute__((visibility("hidden")));

/* Before a hook: stacks are read from now on, if they are wanted and known. */
void stack_hook_prepare(const struct emulator *emulator, bool is_wanted);

/* The stack of the process that runs on a scheduler with these data; NULL: none is read. */
const struct stack *stack_hook_take(uintptr_t type, const void *scheduler);

/* A heap goes; it has stayed, with so many bytes. */
void stack_hook_remember(const void *heap, const void *scheduler);
void stack_hook_resized(const void *heap, uintptr_t bytes);

/* Before a block of this type is freed or resized. */
static inline void stack_hook_before_free(uintptr_t type, const void *block, const void *scheduler)
{
	if (__builtin_expect(type_number(type) == stack_hook_heap, 0)) {
		stack_hook_remember(block, scheduler);
	}
}

/* A block was resized to so many bytes. */
static inline void stack_hook_after_resize(
		uintptr_t type, const void *old, const void *block, uintptr_t bytes)
{
	if (__builtin_expect(type_number(type) == stack_hook_heap, 0) && block == old) {
		stack_hook_resized(old, bytes);
	}
}

#endif
