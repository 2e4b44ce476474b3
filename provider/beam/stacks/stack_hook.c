/* SPDX-License-Identifier: MIT */
/* When a stack is read. */
#include "stack_hook.h"

#include <string.h>

#include "current_process.h"
#include "fast_local.h"
#include "native_walk.h"

size_t stack_hook_heap;

/* The number of the type of pieces of heaps, and of the allocator of what is freed soon. */
static size_t piece;
static size_t temporary;

/* Of what is made where a function has its place on the stack, and nothing in it: what lies there
 * is of functions that have returned. */
static size_t marker;

static _Thread_local struct {
	const void *heap;
	uintptr_t process;
	struct stack_place place;
	/* Where a shrunk heap ends; 0: it was freed. */
	uintptr_t end;
} freed FAST_LOCAL;

/* The last of some names, 0: it is none of them. */
static size_t place_of(const char *name, const char *const *names, size_t count)
{
	size_t place = count - 1;

	while (place > 0 && strcmp(names[place], name) != 0) {
		place--;
	}
	return place;
}

void stack_hook_prepare(const struct emulator *emulator, bool is_wanted)
{
	size_t heap = place_of("heap", emulator->type_names, emulator->type_count);

	piece = place_of("heap_frag", emulator->type_names, emulator->type_count);
	temporary = place_of("temp_alloc", emulator->allocator_names, emulator->entry_count);
	marker = place_of("receive_marker_block", emulator->type_names, emulator->type_count);
	(void)native_walk_open((uintptr_t)emulator->entries[1].alloc);
	stack_hook_heap = is_wanted && stack_way.is_known && piece > 0 && temporary > 0 ? heap : 0;
}

void stack_hook_remember(const void *heap, const void *scheduler)
{
	const uintptr_t *process = current_process_of(scheduler);
	struct stack_place place;

	if (!process) {
		return;
	}
	place = stack_set_place(process);
	if (place.heap == (uintptr_t)heap) {
		freed.heap = heap;
		freed.process = *process;
		freed.place = place;
		freed.end = 0;
	}
}

void stack_hook_resized(const void *heap, uintptr_t bytes)
{
	if (freed.heap != heap) {
		return;
	}
	if (bytes >= freed.place.end - freed.place.heap) {
		freed.heap = NULL;
	} else {
		freed.end = (uintptr_t)heap + bytes;
	}
}

/* Whether the process has no heap but the one that was freed or shrunk. */
static bool has_freed(uintptr_t process, const struct stack_place *place)
{
	return process == freed.process && place->heap == (uintptr_t)freed.heap &&
			place->stop == freed.place.stop && place->end == freed.place.end;
}

const struct stack *stack_hook_take(uintptr_t type, const void *scheduler)
{
	const uintptr_t *process;
	struct stack_place place;

	if (stack_hook_heap == 0 || type_number(type) == piece || type_number(type) == marker ||
			type_allocator(type) == temporary) {
		return NULL;
	}
	process = current_process_of(scheduler);
	if (!process) {
		return NULL;
	}
	place = stack_set_place(process);
	if (has_freed(*process, &place)) {
		/* What a heap loses was moved before. */
		place.stop = freed.end - (place.end - place.stop);
		place.end = freed.end;
	}
	return stack_set_take(&place);
}
