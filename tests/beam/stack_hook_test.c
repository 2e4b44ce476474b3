/* SPDX-License-Identifier: MIT */
/* Whether a stack is read, while the heap that it lies in is freed, shrunk, grown or moved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "current_process.h"
#include "native_walk.h"
#include "probed_memory.h"
#include "stack_hook.h"

/* Words of a heap, of its stack, and the first word of every stack. */
enum { WORDS = 64, STACK_WORDS = 8 };
#define BOTTOM ((uintptr_t)0x123450)

/* Types of a made-up emulator, and its allocator. */
enum { HEAP = 1, OTHER = 3 };
#define TYPE_OF(number) ((uintptr_t)(number) << 7)

/* Not called. */
bool native_walk_open(uintptr_t inside)
{
	(void)inside;
	return false;
}

uintptr_t native_walk_caller(void)
{
	return 0;
}

struct current_process current_process;

/* A scheduler points to a process; of that the words are its identifier and its place. */
static uintptr_t process[4];
static const void *scheduler[] = { process };
static uintptr_t heap[WORDS];
static uintptr_t next[WORDS];

static void lies_in(uintptr_t *memory, size_t words)
{
	process[1] = (uintptr_t)memory;
	process[2] = (uintptr_t)(memory + words - STACK_WORDS);
	process[3] = (uintptr_t)(memory + words);
	memory[words - 1] = BOTTOM;
}

static bool is_read(void)
{
	return stack_hook_take(TYPE_OF(OTHER), scheduler);
}

static int begin(void **state)
{
	static const char *const types[] = { "invalid", "heap", "heap_frag", "other" };
	static const char *const allocators[] = { "invalid", "temp_alloc" };
	static struct emulator_entry entries[2];
	const struct emulator emulator = {
		.entries = entries,
		.entry_count = 2,
		.allocator_names = allocators,
		.type_names = types,
		.type_count = 4,
	};

	(void)state;
	stack_way = (struct stack_way){ .is_known = true, 1, 2, 3, .bottom = BOTTOM };
	process[0]++;
	stack_hook_prepare(&emulator, true);
	lies_in(heap, WORDS);
	return stack_set_open() && probed_memory_open() ? 0 : -1;
}

static void a_heap_that_was_freed_has_no_stack(void **state)
{
	(void)state;
	assert_true(is_read());
	stack_hook_before_free(TYPE_OF(HEAP), heap, scheduler);
	assert_false(is_read());
	/* Another heap of the same process: what it kept of earlier collections. */
	stack_hook_before_free(TYPE_OF(HEAP), next, scheduler);
	assert_false(is_read());
	lies_in(next, WORDS);
	assert_true(is_read());
	/* At the address of the one that was freed, with a stack of another length. */
	lies_in(heap, WORDS - 1);
	assert_true(is_read());
}

static void blocks_of_others_leave_it_where_it_is(void **state)
{
	(void)state;
	stack_hook_before_free(TYPE_OF(OTHER), heap, scheduler);
	stack_hook_before_free(TYPE_OF(HEAP), next, scheduler);
	stack_hook_before_free(TYPE_OF(HEAP), heap, NULL);
	assert_true(is_read());
}

static void resizes(uintptr_t *to, size_t words)
{
	stack_hook_before_free(TYPE_OF(HEAP), heap, scheduler);
	stack_hook_after_resize(TYPE_OF(HEAP), heap, to, words * sizeof(uintptr_t));
}

static void a_shrunk_heap_has_it_at_its_new_end(void **state)
{
	(void)state;
	heap[WORDS - 2] = 0;
	resizes(heap, WORDS - 1);
	assert_false(is_read());
	heap[WORDS - 2] = BOTTOM;
	assert_true(is_read());
	heap[WORDS - 1] = 0;
	assert_true(is_read());
	lies_in(heap, WORDS - 1);
	assert_true(is_read());
}

static void a_grown_heap_has_it_where_it_was(void **state)
{
	(void)state;
	resizes(heap, WORDS + 1);
	assert_true(is_read());
}

static void a_moved_heap_has_none_until_it_is_known(void **state)
{
	(void)state;
	resizes(next, WORDS);
	assert_false(is_read());
	lies_in(next, WORDS);
	assert_true(is_read());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_heap_that_was_freed_has_no_stack, begin),
		cmocka_unit_test_setup(blocks_of_others_leave_it_where_it_is, begin),
		cmocka_unit_test_setup(a_shrunk_heap_has_it_at_its_new_end, begin),
		cmocka_unit_test_setup(a_grown_heap_has_it_where_it_was, begin),
		cmocka_unit_test_setup(a_moved_heap_has_none_until_it_is_known, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
