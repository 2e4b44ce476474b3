/*
 * SPDX-License-Identifier: MIT
 *
 * A numbering gives each key one number, in the order of appearance.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "numbering.h"

static int open_numbering(void **state)
{
	*state = calloc(1, sizeof(struct numbering));
	return *state ? 0 : -1;
}

static int close_numbering(void **state)
{
	numbering_finish(*state);
	free(*state);
	return 0;
}

static void test_numbers_follow_the_order_of_appearance(void **state)
{
	assert_int_equal(numbering_find(*state, 5, 6, "x"), 0);
	assert_int_equal(numbering_find(*state, 6, 5, "x"), 1);
	assert_int_equal(numbering_find(*state, 5, 6, "y"), 2);
	assert_int_equal(numbering_find(*state, 5, 6, "x"), 0);
}

static void test_no_text_differs_from_an_empty_one(void **state)
{
	assert_int_equal(numbering_find(*state, 0, 0, NULL), 0);
	assert_int_equal(numbering_find(*state, 0, 0, ""), 1);
	assert_int_equal(numbering_find(*state, 0, 0, NULL), 0);
}

static void test_extreme_keys_are_keys(void **state)
{
	assert_int_equal(numbering_find(*state, INT64_MIN, INT64_MAX, NULL), 0);
	assert_int_equal(numbering_find(*state, INT64_MAX, INT64_MIN, NULL), 1);
	assert_int_equal(numbering_find(*state, INT64_MIN, INT64_MAX, NULL), 0);
}

static void test_many_keys_keep_their_numbers(void **state)
{
	enum { KEYS = 100000 };
	char text[32];

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < KEYS; i++) {
			(void)snprintf(text, sizeof(text), "%d", i / 4);
			assert_int_equal(numbering_find(*state, i % 2, i % 4 / 2, text), i);
		}
	}

	assert_int_equal(((struct numbering *)*state)->count, KEYS);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, open_numbering, close_numbering)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(test_numbers_follow_the_order_of_appearance),
		CASE(test_no_text_differs_from_an_empty_one),
		CASE(test_extreme_keys_are_keys),
		CASE(test_many_keys_keep_their_numbers),
	};

	return cmocka_run_group_tests_name("numbering", tests, NULL, NULL);
}
