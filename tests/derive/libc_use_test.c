/*
 * SPDX-License-Identifier: MIT
 *
 * Calls of the C library, against an oracle that searches an array.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "block_lives.h"
#include "libc_use.h"
#include "xorshift.h"

enum {
	ADDRESSES = 3000,
	PROCESSES = 3,
	STEPS = 60000,
};

struct oracle {
	/* -1: not live. */
	int64_t size[PROCESSES][ADDRESSES];
	struct libc_process process[PROCESSES];
};

static int log2_of(int64_t size)
{
	int log2 = 0;

	while (log2 < 63 && (INT64_C(1) << log2) < size) {
		log2++;
	}

	return log2;
}

static bool oracle_release(struct oracle *oracle, int p, int64_t address, bool is_counted)
{
	struct libc_process *process = &oracle->process[p];
	int64_t size = oracle->size[p][address];

	if (address == 0 || size < 0) {
		return false;
	}

	oracle->size[p][address] = -1;
	process->live_blocks--;
	process->live_bytes -= size;
	process->released_bytes += is_counted ? size : 0;
	return true;
}

static void oracle_allocate(struct oracle *oracle, int p, const struct block_row *row)
{
	struct libc_process *process = &oracle->process[p];

	process->address_reused_without_free += oracle_release(oracle, p, row->address, false);
	oracle->size[p][row->address] = row->size;
	process->allocations++;
	process->allocated_bytes += row->size;
	process->by_size[log2_of(row->size)]++;
	process->live_blocks++;
	process->live_bytes += row->size;
	if (process->live_bytes > process->peak_live_bytes) {
		process->peak_live_bytes = process->live_bytes;
		process->peak_ns = row->ts_ns;
	}
}

static void oracle_take(struct oracle *oracle, const struct block_row *row)
{
	int p = row->runtime;
	struct libc_process *process = &oracle->process[p];

	process->events++;
	if (row->op == BLOCK_FREE) {
		process->frees_null += row->address == 0;
		if (row->address != 0) {
			bool is_known = oracle_release(oracle, p, row->address, true);

			process->frees_known += is_known;
			process->frees_unknown += !is_known;
		}
		return;
	}

	process->reallocs += row->op == BLOCK_REALLOC;
	if (row->address == 0 && (row->op == BLOCK_ALLOC || row->size > 0)) {
		process->failed++;
		return;
	}

	if (row->op == BLOCK_REALLOC) {
		process->reallocs_of_unknown += !oracle_release(oracle, p, row->old_address, true);
		process->reallocs_moved += row->address != row->old_address;
	}

	if (row->address != 0) {
		oracle_allocate(oracle, p, row);
	}
}

/* The sums, and what the store has in front of them. */
struct fixture {
	struct libc_use use;
	struct block_lives lives;
	int64_t ids;
	struct diag diag;
};

static int close_use(void **state)
{
	struct fixture *fixture = *state;

	libc_use_finish(&fixture->use);
	block_lives_finish(&fixture->lives);
	free(fixture);
	return 0;
}

static int open_use(void **state)
{
	*state = calloc(1, sizeof(struct fixture));
	return *state ? 0 : -1;
}

static void take_row(struct fixture *fixture, struct block_row row)
{
	row.id = ++fixture->ids;
	assert_int_equal(block_lives_take(&fixture->lives, &row, &fixture->diag), CSC_OK);
	assert_int_equal(libc_use_take(&fixture->use, &row, &fixture->diag), CSC_OK);
}

/* A call, as the intake makes rows of it. */
static void take(struct fixture *fixture, const struct block_row *row)
{
	if (row->op == BLOCK_REALLOC && row->old_address != 0 &&
			(row->address != 0 || row->size == 0)) {
		struct block_row half = *row;

		half.op = BLOCK_FREE;
		half.address = row->old_address;
		half.size = ROW_NULL;
		half.is_realloc_free = true;
		take_row(fixture, half);
	}

	take_row(fixture, *row);
}

static void test_sums_are_those_of_the_oracle(void **state)
{
	static struct oracle oracle;
	struct fixture *fixture = *state;
	const struct libc_use *use = &fixture->use;
	uint64_t seed = first_seed();

	memset(oracle.size, -1, sizeof(oracle.size));
	for (int i = 0; i < STEPS; i++) {
		struct block_row row = {
			.ts_ns = i,
			.op = (int32_t)(next_random(&seed) % 3),
			.runtime = (int32_t)(next_random(&seed) % PROCESSES),
			.address = (int64_t)(next_random(&seed) % ADDRESSES),
			.old_address = (int64_t)(next_random(&seed) % ADDRESSES),
			.size = (int64_t)(next_random(&seed) >> (1 + next_random(&seed) % 63)) %
					(INT64_C(1) << 40),
			.is_libc = true,
		};

		oracle_take(&oracle, &row);
		take(fixture, &row);
	}

	for (int p = 0; p < PROCESSES; p++) {
		assert_memory_equal(
				&use->processes[p], &oracle.process[p], sizeof(oracle.process[p]));
	}
}

static void test_equal_addresses_of_two_processes_are_two_blocks(void **state)
{
	struct fixture *fixture = *state;
	const struct libc_use *use = &fixture->use;
	struct block_row row = { .op = BLOCK_ALLOC, .address = 4096, .size = 10 };

	take(fixture, &row);
	row.runtime = 1;
	take(fixture, &row);
	assert_int_equal(use->processes[0].live_blocks, 1);
	assert_int_equal(use->processes[1].live_blocks, 1);
	assert_int_equal(use->processes[1].address_reused_without_free, 0);
}

static void test_sizes_fall_into_powers_of_two(void **state)
{
	static const struct {
		int64_t size;
		int bucket;
	} sizes[] = { { 0, 0 }, { 1, 0 }, { 2, 1 }, { 3, 2 }, { 4, 2 }, { 5, 3 }, { 1024, 10 },
		{ 1025, 11 }, { INT64_MAX, 63 } };
	struct fixture *fixture = *state;
	const struct libc_use *use = &fixture->use;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct block_row row = { .op = BLOCK_ALLOC,
			.address = 4096,
			.runtime = (int32_t)i,
			.size = sizes[i].size };

		take(fixture, &row);
		assert_int_equal(use->processes[i].by_size[sizes[i].bucket], 1);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
				test_sums_are_those_of_the_oracle, open_use, close_use),
		cmocka_unit_test_setup_teardown(
				test_equal_addresses_of_two_processes_are_two_blocks, open_use,
				close_use),
		cmocka_unit_test_setup_teardown(
				test_sizes_fall_into_powers_of_two, open_use, close_use),
	};

	return cmocka_run_group_tests_name("libc_use", tests, NULL, NULL);
}
