/* SPDX-License-Identifier: MIT */
/* The table of block types has the sums that the fact sheet gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "block_type.h"

static void test_sums_are_those_of_the_runtime(void **state)
{
	static const int by_class[] = { 0, 3, 2, 16, 22, 45, 134 };
	static const int by_allocator[CSC_ALLOCATORS] = { [CSC_TEMP] = 17,
		[CSC_SL] = 68,
		[CSC_STD] = 43,
		[CSC_LL] = 44,
		[CSC_EHEAP] = 5,
		[CSC_ETS] = 9,
		[CSC_FIX] = 12,
		[CSC_LITERAL] = 1,
		[CSC_EXEC] = 1,
		[CSC_BINARY] = 2,
		[CSC_DRIVER] = 15,
		[CSC_TEST] = 1 };
	int classes[7] = { 0 };
	int allocators[CSC_ALLOCATORS] = { 0 };
	int sys = 0;

	(void)state;
	assert_int_equal(csc_block_type_count(), 222);
	for (uint32_t i = 1; i <= csc_block_type_count(); i++) {
		const struct csc_block_type *type = csc_block_type_at(i);

		classes[type->class_id]++;
		if (type->is_sys) {
			sys++;
		} else {
			allocators[type->allocator]++;
		}
		assert_int_equal(csc_block_type_find(type->description), i);
	}
	assert_int_equal(sys, 4);
	for (int i = 1; i < 7; i++) {
		assert_int_equal(classes[i], by_class[i]);
	}
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		assert_int_equal(allocators[i], by_allocator[i]);
	}
	assert_null(csc_block_type_at(0));
	assert_null(csc_block_type_at(223));
}

static void test_words_hold_number_class_and_allocator(void **state)
{
	struct csc_options options;
	uint32_t heap = csc_block_type_find("heap");
	uint32_t binary = csc_block_type_find("binary");

	(void)state;
	csc_options_init(&options, csc_generation_find("24rc0"), 8, 1);
	assert_int_equal(heap, 178);
	assert_int_equal(csc_block_type_word(&options, heap), 178 * 128 + 5 * 16 + 6);
	assert_int_equal(csc_block_type_word(&options, binary), 206 * 128 + 2 * 16 + 11);
	assert_int_equal(csc_block_type_word(&options, 1), 128 + 6 * 16 + 1);
	assert_int_equal(csc_block_type_word(&options, 0), 0);
	assert_int_equal(csc_block_type_find("nothing"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums_are_those_of_the_runtime),
		cmocka_unit_test(test_words_hold_number_class_and_allocator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
