/*
 * SPDX-License-Identifier: MIT
 *
 * What is live over time, against a naive account of the same events.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "block_history.h"

enum { ADDRESSES = 64, EVENTS = 20000 };

static void take(struct block_history *history, enum block_op op, int64_t ts_ns, int64_t address,
		int64_t size, int64_t type)
{
	struct diag diag = { 0 };
	const struct block_row row = { .ts_ns = ts_ns,
		.op = op,
		.address = address,
		.size = size,
		.type_id = type,
		.allocator_id = 4,
		.runtime = 0 };

	assert_int_equal(block_history_take(history, &row, &diag), CSC_OK);
}

static struct block_level sum_now(const struct block_history *history)
{
	struct block_level sum = { 0 };

	for (size_t i = 0; i < history->group_count; i++) {
		sum.blocks += history->groups[i]->now.blocks;
		sum.bytes += history->groups[i]->now.bytes;
	}

	return sum;
}

static void test_live_blocks_are_those_of_a_naive_account(void **state)
{
	struct block_history history = { 0 };
	int64_t live[ADDRESSES] = { 0 };
	uint32_t random = 12345;
	int64_t ts_ns = 1000;

	(void)state;
	for (int i = 0; i < EVENTS; i++) {
		int64_t at;

		random = random * 1664525 + 1013904223;
		at = random >> 16 & (ADDRESSES - 1);
		ts_ns += random >> 8 & 0xfffff;
		if (live[at]) {
			/* A realloc ends its old block without a size, a free with one. */
			take(&history, BLOCK_FREE, ts_ns, 16 * (at + 1),
					random & 1 << 10 ? live[at] : ROW_NULL, 7);
			live[at] = 0;
		} else {
			live[at] = (int64_t)(random >> 4 & 0xffff) + 2;
			take(&history, random & 1 << 11 ? BLOCK_ALLOC : BLOCK_REALLOC, ts_ns,
					16 * (at + 1), live[at], at % 5);
		}

		if (i % 97 == 0 || i == EVENTS - 1) {
			struct block_level expected = { 0 };
			struct block_level sum = sum_now(&history);

			for (int k = 0; k < ADDRESSES; k++) {
				expected.blocks += live[k] != 0;
				expected.bytes += live[k];
			}
			assert_int_equal(sum.blocks, expected.blocks);
			assert_int_equal(sum.bytes, expected.bytes);
		}
	}

	for (size_t i = 0; i < history.group_count; i++) {
		const struct block_group *group = history.groups[i];

		assert_true(group->open < BLOCK_HISTORY_BUCKETS);
		assert_int_equal(group->level[group->open].bytes, group->now.bytes);
		assert_true(group->peak.bytes >= group->now.bytes);
		assert_int_equal(group->unknown_frees, 0);
	}
	block_history_finish(&history);
}

/* Buckets of 2^16 ns: the level after each bucket's last event, kept until the next change. */
static void test_levels_are_those_after_the_last_event_of_a_bucket(void **state)
{
	struct block_history history = { 0 };
	const struct block_group *group;

	(void)state;
	take(&history, BLOCK_ALLOC, 0, 16, 100, 7);
	take(&history, BLOCK_ALLOC, 10, 32, 120, 7);
	take(&history, BLOCK_FREE, 20, 16, 100, 7);
	take(&history, BLOCK_ALLOC, 3 << 16, 48, 64, 7);
	group = history.groups[0];
	assert_int_equal(history.group_count, 1);
	assert_int_equal(group->size_log2, 6);
	assert_int_equal(group->level[0].bytes, 120);
	assert_int_equal(group->level[2].bytes, 120);
	assert_int_equal(group->level[3].bytes, 184);
	assert_int_equal(group->peak.bytes, 220);
	assert_int_equal(group->peak_ns, 10);

	/* Beyond the last bucket they become twice as wide: 3 is in 1 then. */
	take(&history, BLOCK_FREE, (int64_t)BLOCK_HISTORY_BUCKETS << 16, 32, 120, 7);
	assert_int_equal(history.shift, 17);
	assert_int_equal(group->level[0].bytes, 120);
	assert_int_equal(group->level[1].bytes, 184);
	assert_int_equal(group->level[BLOCK_HISTORY_BUCKETS / 2].bytes, 64);
	block_history_finish(&history);
}

static void test_older_blocks_and_lost_frees(void **state)
{
	struct block_history history = { 0 };

	(void)state;
	take(&history, BLOCK_FREE, 5, 16, 100, 7);
	assert_int_equal(sum_now(&history).bytes, -100);
	assert_int_equal(history.groups[0]->unknown_frees, 1);

	/* An address that is given out twice: the first block's free was lost. */
	take(&history, BLOCK_ALLOC, 6, 32, 70, 7);
	take(&history, BLOCK_ALLOC, 7, 32, 80, 7);
	assert_int_equal(sum_now(&history).bytes, -20);

	/* No block: a request that failed. */
	take(&history, BLOCK_ALLOC, 8, 0, 90, 7);
	assert_int_equal(sum_now(&history).bytes, -20);
	block_history_finish(&history);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live_blocks_are_those_of_a_naive_account),
		cmocka_unit_test(test_levels_are_those_after_the_last_event_of_a_bucket),
		cmocka_unit_test(test_older_blocks_and_lost_frees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
