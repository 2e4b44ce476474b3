/*
 * SPDX-License-Identifier: MIT
 *
 * Beginnings and ends of blocks, against an oracle that remembers everything.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "block_lives.h"
#include "xorshift.h"

enum {
	ADDRESSES = 2000,
	PROCESSES = 3,
	TYPES = 7,
	THREADS = 4,
	STEPS = 300000,
};

struct fixture {
	struct block_lives lives;
	int64_t ids;
	struct diag diag;
};

static int open_lives(void **state)
{
	*state = calloc(1, sizeof(struct fixture));
	return *state ? 0 : -1;
}

static int close_lives(void **state)
{
	struct fixture *fixture = *state;

	block_lives_finish(&fixture->lives);
	free(fixture);
	return 0;
}

static struct block_row take(struct fixture *fixture, struct block_row row)
{
	row.id = ++fixture->ids;
	row.ts_ns = row.ts_ns ? row.ts_ns : row.id * 10;
	assert_int_equal(block_lives_take(&fixture->lives, &row, &fixture->diag), CSC_OK);
	return row;
}

static const struct block_account *account_of(
		const struct fixture *fixture, enum block_scope scope, int32_t number)
{
	for (size_t i = 0; i < fixture->lives.accounts.count; i++) {
		const struct block_account *account = &fixture->lives.accounts.accounts[i];
		int32_t own = scope == BLOCK_SCOPE_TYPE		 ? account->type_id
				: scope == BLOCK_SCOPE_ALLOCATOR ? account->allocator_id
				: scope == BLOCK_SCOPE_CLASS	 ? account->class_id
								 : account->runtime;

		if (account->scope == scope && own == number) {
			return account;
		}
	}

	return NULL;
}

/* What an address of a process holds; id 0: nothing. */
struct held {
	int64_t id;
	int64_t size;
	int64_t type;
};

struct oracle {
	struct held held[PROCESSES][ADDRESSES];
	int64_t live_blocks[PROCESSES][TYPES];
	int64_t live_bytes[PROCESSES][TYPES];
	int64_t most_bytes[PROCESSES];
	int64_t lost[PROCESSES];
	int64_t unknown[PROCESSES];
	int64_t made[PROCESSES];
};

static int64_t oracle_end(struct oracle *oracle, const struct block_row *row)
{
	struct held *held = &oracle->held[row->runtime][row->address];
	int64_t id = held->id;

	if (id == 0) {
		return ROW_NULL;
	}

	oracle->live_blocks[row->runtime][held->type]--;
	oracle->live_bytes[row->runtime][held->type] -= held->size;
	held->id = 0;
	return id;
}

static int64_t oracle_take(struct oracle *oracle, const struct block_row *row)
{
	int64_t ended = oracle_end(oracle, row);
	int64_t bytes = 0;

	if (row->op == BLOCK_FREE) {
		oracle->unknown[row->runtime] += ended == ROW_NULL;
		return ended;
	}

	oracle->lost[row->runtime] += ended != ROW_NULL;
	oracle->made[row->runtime]++;
	oracle->held[row->runtime][row->address] =
			(struct held){ row->id, row->size, row->type_id };
	oracle->live_blocks[row->runtime][row->type_id]++;
	oracle->live_bytes[row->runtime][row->type_id] += row->size;
	for (int i = 0; i < TYPES; i++) {
		bytes += oracle->live_bytes[row->runtime][i];
	}
	if (bytes > oracle->most_bytes[row->runtime]) {
		oracle->most_bytes[row->runtime] = bytes;
	}

	return ended;
}

/* Types belong to allocators: 0 to 2. */
static struct block_row random_row(uint64_t *seed)
{
	int64_t type = (int64_t)(next_random(seed) % TYPES);

	return (struct block_row){
		.op = next_random(seed) % 2 ? BLOCK_ALLOC : BLOCK_FREE,
		.runtime = (int32_t)(next_random(seed) % PROCESSES),
		.thread = (int32_t)(next_random(seed) % THREADS) - 1,
		.address = 1 + (int64_t)(next_random(seed) % (ADDRESSES - 1)),
		.size = (int64_t)(next_random(seed) % 5000),
		.type_id = type,
		.allocator_id = type % 3,
	};
}

static void check_sizes_at_keyframes(const struct block_accounts *accounts)
{
	size_t account_at = 0;
	size_t size_at = 0;

	assert_true(accounts->keyframe_count > 1);
	assert_true(accounts->keyframe_count <= BLOCK_KEYFRAMES);
	for (size_t i = 0; i < accounts->keyframe_count; i++) {
		int64_t of_accounts = 0;
		int64_t of_sizes = 0;

		for (; account_at < accounts->keyframes[i].account_end; account_at++) {
			const struct block_account_at *row = &accounts->accounts_at[account_at];

			assert_true(row->most_bytes >= row->live.bytes);
			assert_int_equal(row->made.bytes - row->ended.bytes, row->live.bytes);
			if (accounts->accounts[row->account].scope == BLOCK_SCOPE_TYPE) {
				of_accounts += row->live.bytes;
			}
		}
		for (; size_at < accounts->keyframes[i].size_end; size_at++) {
			of_sizes += accounts->sizes_at[size_at].bytes;
		}
		assert_int_equal(of_accounts, of_sizes);
	}
}

static void test_every_end_finds_its_beginning(void **state)
{
	static struct oracle oracle;
	struct fixture *fixture = *state;
	uint64_t seed = first_seed();
	size_t live = 0;
	int64_t *ids;
	size_t count;

	for (int i = 0; i < STEPS; i++) {
		struct block_row row = take(fixture, random_row(&seed));

		assert_int_equal(row.ended_id, oracle_take(&oracle, &row));
	}

	for (int32_t p = 0; p < PROCESSES; p++) {
		const struct block_account *total = account_of(fixture, BLOCK_SCOPE_RUNTIME, p);
		int64_t bytes = 0;
		int64_t blocks = 0;

		for (int i = 0; i < TYPES; i++) {
			bytes += oracle.live_bytes[p][i];
			blocks += oracle.live_blocks[p][i];
		}
		assert_non_null(total);
		assert_int_equal(total->live.bytes, bytes);
		assert_int_equal(total->live.count, blocks);
		assert_int_equal(total->made.count, oracle.made[p]);
		assert_int_equal(total->most_bytes.value, oracle.most_bytes[p]);
		assert_int_equal(total->lost.count, oracle.lost[p]);
		assert_int_equal(total->unknown.count, oracle.unknown[p]);
		live += (size_t)blocks;
	}

	assert_true(block_lives_list(&fixture->lives, &ids, &count));
	free(ids);
	assert_int_equal(count, live);
	check_sizes_at_keyframes(&fixture->lives.accounts);
}

static void test_a_realloc_goes_on_with_the_life(void **state)
{
	struct fixture *fixture = *state;
	struct block_row row = { .op = BLOCK_ALLOC, .address = 4096, .size = 10, .ts_ns = 100 };
	const struct block_account *type;

	take(fixture, row);
	row.op = BLOCK_FREE;
	row.is_realloc_free = true;
	row.size = ROW_NULL;
	row.ts_ns = 200;
	assert_int_equal(take(fixture, row).ended_id, 1);
	row = (struct block_row){ .op = BLOCK_REALLOC, .address = 8192, .size = 20, .ts_ns = 200 };
	assert_int_equal(take(fixture, row).ended_id, ROW_NULL);
	row = (struct block_row){ .op = BLOCK_FREE, .address = 8192, .size = 20, .ts_ns = 1124 };
	assert_int_equal(take(fixture, row).ended_id, 3);
	type = account_of(fixture, BLOCK_SCOPE_TYPE, 0);
	/* From 100 to 1124: 1024 ns, which is power 11. */
	assert_int_equal(type->detail->lives[11].count, 1);
	assert_int_equal(type->resized, 1);
	assert_int_equal(type->live.count, 0);
}

static void test_temporary_is_what_the_thread_made_last(void **state)
{
	struct fixture *fixture = *state;
	struct block_row one = { .op = BLOCK_ALLOC, .address = 4096, .size = 10, .thread = 1 };
	struct block_row two = { .op = BLOCK_ALLOC, .address = 8192, .size = 10, .thread = 1 };
	struct block_row three = { .op = BLOCK_ALLOC, .address = 12288, .size = 10, .thread = 2 };

	take(fixture, one);
	take(fixture, two);
	take(fixture, three);
	one.op = two.op = three.op = BLOCK_FREE;
	/* Another thread; then not the last; then the last of each. */
	three.thread = 1;
	take(fixture, three);
	take(fixture, one);
	assert_int_equal(account_of(fixture, BLOCK_SCOPE_TYPE, 0)->temporary.count, 0);
	take(fixture, two);
	assert_int_equal(account_of(fixture, BLOCK_SCOPE_TYPE, 0)->temporary.count, 1);
}

/* Another thread gets the old address before the reallocation is recorded. */
static void test_a_late_realloc_spares_the_new_block(void **state)
{
	struct fixture *fixture = *state;
	struct block_row one = { .op = BLOCK_ALLOC, .address = 4096, .size = 10, .thread = 1 };
	struct block_row two = { .op = BLOCK_ALLOC, .address = 4096, .size = 30, .thread = 2 };
	struct block_row half = { .op = BLOCK_FREE,
		.address = 4096,
		.size = ROW_NULL,
		.thread = 1,
		.is_realloc_free = true };

	take(fixture, one);
	assert_int_equal(take(fixture, two).ended_id, 1);
	assert_int_equal(take(fixture, half).ended_id, ROW_NULL);
	assert_int_equal(fixture->lives.late_reallocs, 1);
	assert_int_equal(account_of(fixture, BLOCK_SCOPE_RUNTIME, 0)->live.bytes, 30);
	two.op = BLOCK_FREE;
	assert_int_equal(take(fixture, two).ended_id, 2);
}

static void test_classes_may_be_recorded_late(void **state)
{
	struct fixture *fixture = *state;
	struct block_row row = { .op = BLOCK_ALLOC, .address = 4096, .size = 10, .type_id = 5 };

	take(fixture, row);
	assert_int_equal(account_of(fixture, BLOCK_SCOPE_CLASS, 0)->live.bytes, 10);
	assert_true(block_accounts_classify(&fixture->lives.accounts, 5, 3));
	assert_int_equal(account_of(fixture, BLOCK_SCOPE_CLASS, 0)->live.bytes, 0);
	assert_int_equal(account_of(fixture, BLOCK_SCOPE_CLASS, 3)->live.bytes, 10);
	row.address = 8192;
	take(fixture, row);
	assert_int_equal(account_of(fixture, BLOCK_SCOPE_CLASS, 3)->most_bytes.value, 20);
}

static void test_too_many_types_share_an_account(void **state)
{
	struct fixture *fixture = *state;

	for (int64_t i = 0; i < BLOCK_TYPES + 100; i++) {
		take(fixture,
				(struct block_row){ .op = BLOCK_ALLOC,
						.address = 8 * (i + 1),
						.size = 1,
						.type_id = i });
	}

	assert_true(fixture->lives.accounts.has_folded);
	assert_int_equal(account_of(fixture, BLOCK_SCOPE_TYPE, -1)->live.count, 100);
	assert_int_equal(
			account_of(fixture, BLOCK_SCOPE_RUNTIME, 0)->live.count, BLOCK_TYPES + 100);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
				test_every_end_finds_its_beginning, open_lives, close_lives),
		cmocka_unit_test_setup_teardown(
				test_a_realloc_goes_on_with_the_life, open_lives, close_lives),
		cmocka_unit_test_setup_teardown(test_temporary_is_what_the_thread_made_last,
				open_lives, close_lives),
		cmocka_unit_test_setup_teardown(
				test_a_late_realloc_spares_the_new_block, open_lives, close_lives),
		cmocka_unit_test_setup_teardown(
				test_classes_may_be_recorded_late, open_lives, close_lives),
		cmocka_unit_test_setup_teardown(
				test_too_many_types_share_an_account, open_lives, close_lives),
	};

	return cmocka_run_group_tests_name("block_lives", tests, NULL, NULL);
}
