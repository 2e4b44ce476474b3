/* SPDX-License-Identifier: MIT */
/* Frames of this program are walked until code of a library. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "native_walk.h"

/* Frames deeper than this are not walked. */
#define FAR 80

/* Bytes of a frame: too many to be remembered. */
#define LARGE ((size_t)40000)

/* The file with the code at an address. */
static const char *file_at(uintptr_t address)
{
	Dl_info info;
	void *pointer;

	memcpy(&pointer, &address, sizeof(pointer));
	assert_int_not_equal(dladdr(pointer, &info), 0);
	assert_non_null(info.dli_fname);
	return info.dli_fname;
}

static void assert_in(uintptr_t address, const char *library)
{
	assert_int_not_equal(address, 0);
	if (!strstr(file_at(address), library)) {
		fail_msg("the walk ends in %s, not in %s", file_at(address), library);
	}
}

__attribute__((noinline)) static uintptr_t walk(void)
{
	uintptr_t caller = native_walk_caller();

	/* No tail call. */
	__asm__ volatile("" ::: "memory");
	return caller;
}

/* A frame of so many bytes, of which the compiler knows, and below it some that only the frame
 * pointer knows of. */
__attribute__((noinline)) static uintptr_t walk_below(size_t depth, size_t bytes)
{
	volatile char *memory = __builtin_alloca(bytes);
	uintptr_t caller;

	memory[bytes - 1] = 1;
	caller = depth == 0 ? walk() : walk_below(depth - 1, bytes + 24);
	return memory[bytes - 1] == 1 ? caller : 0;
}

__attribute__((noinline)) static uintptr_t walk_from_large(void)
{
	volatile char memory[LARGE];
	uintptr_t caller;

	memory[LARGE - 1] = 1;
	caller = walk();
	return memory[LARGE - 1] == 1 ? caller : 1;
}

static uintptr_t from_library;

static int compare(const void *first, const void *second)
{
	from_library = walk_below(3, 100);
	return *(const int *)first - *(const int *)second;
}

static void *run_thread(void *unused)
{
	uintptr_t *caller = unused;

	*caller = walk_below(2, 50);
	return NULL;
}

static void a_walk_ends_at_the_first_code_of_others(void **state)
{
	int numbers[] = { 3, 1, 2 };
	uintptr_t caller = 0;
	pthread_t thread;

	(void)state;
	assert_true(native_walk_open((uintptr_t)assert_in));
	/* Twice: computed, and remembered. */
	for (size_t i = 0; i < 2; i++) {
		assert_in(walk(), "cmocka");
		assert_in(walk_below(0, 1), "cmocka");
		assert_in(walk_below(20, 1000), "cmocka");
		from_library = 0;
		qsort(numbers, 3, sizeof(*numbers), compare);
		assert_in(from_library, "libc.");
		assert_int_equal(pthread_create(&thread, NULL, run_thread, &caller), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
		assert_in(caller, "libc.");
	}
}

static void what_is_too_far_or_too_large_is_not_known(void **state)
{
	(void)state;
	assert_true(native_walk_open((uintptr_t)assert_in));
	assert_int_equal(walk_below(FAR, 1), 0);
	assert_int_equal(walk_from_large(), 0);
	assert_in(walk(), "cmocka");
}

static void without_tables_nothing_is_walked(void **state)
{
	(void)state;
	/* No object is there. */
	assert_false(native_walk_open(16));
	assert_int_equal(walk(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_walk_ends_at_the_first_code_of_others),
		cmocka_unit_test(what_is_too_far_or_too_large_is_not_known),
		cmocka_unit_test(without_tables_nothing_is_walked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
