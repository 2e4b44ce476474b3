/*
 * SPDX-License-Identifier: MIT
 *
 * The rules of derivation: worked examples, one step each, and the law that
 * events and ledger together give the counters, whatever the events.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis.h"
#include "ledger_side.h"
#include "xorshift.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define KIB INT64_C(1024)
#define MIB (1024 * KIB)

/* One event of an instance; only the carriers' counters matter to the rules. */
struct step {
	int kind;
	int64_t size;
	int64_t mbc;
	int64_t mbc_bytes;
	int64_t sbc;
	int64_t sbc_bytes;
};

#define CREATE(size, ...)                                       \
	{                                                       \
		CARRIER_EVENT_carrier_create, size, __VA_ARGS__ \
	}
#define DESTROY(size, ...)                                       \
	{                                                        \
		CARRIER_EVENT_carrier_destroy, size, __VA_ARGS__ \
	}
#define PUT(size)                                                \
	{                                                        \
		CARRIER_EVENT_carrier_pool_put, size, 0, 0, 0, 0 \
	}
#define GET(size)                                                \
	{                                                        \
		CARRIER_EVENT_carrier_pool_get, size, 0, 0, 0, 0 \
	}
#define NONE                      \
	{                         \
		-1, 0, 0, 0, 0, 0 \
	}

struct derive_case {
	const char *name;
	struct step steps[8];

	/* What the last step brings to light. */
	int class;
	int is_exact;
	int fetches;
	int misses;
	int64_t fetch_bytes;
	int64_t ledger[LEDGER_KINDS][2];
	int64_t ambiguous;
	int64_t inconsistent;
	int base_known;
	int64_t owned;
};

static const struct derive_case cases[] = {
	{ "the first carrier is a multi-block carrier and makes the base known",
			{ CREATE(256 * KIB, 1, 256 * KIB, 0, 0), NONE }, CLASS_MULTI_BLOCK, 1, 0, 0,
			0, { { 0 } }, 0, 0, 1, 1 },
	{ "the first carrier is a single-block carrier and makes the base known",
			{ CREATE(600 * KIB, 0, 0, 1, 600 * KIB), NONE }, CLASS_SINGLE_BLOCK, 1, 0,
			0, 0, { { 0 } }, 0, 0, 1, 0 },
	{ "a first create of an instance that has more is a base that is not known",
			{ CREATE(256 * KIB, 3, MIB, 2, 3 * MIB), NONE }, CLASS_MULTI_BLOCK, 0, 0, 0,
			0,
			{ [LEDGER_BASE_MBC] = { 2, 768 * KIB },
					[LEDGER_BASE_SBC] = { 2, 3 * MIB } },
			0, 0, 0, 3 },
	{ "on an unknown base a large odd size beside single-block carriers is one of them",
			{ CREATE(600 * KIB, 3, MIB, 2, 3 * MIB), NONE }, CLASS_SINGLE_BLOCK, 0, 0,
			0, 0,
			{ [LEDGER_BASE_MBC] = { 3, MIB },
					[LEDGER_BASE_SBC] = { 1, 3 * MIB - 600 * KIB } },
			0, 0, 0, 3 },
	{ "on an unknown base a large odd size without single-block carriers is multi-block",
			{ CREATE(600 * KIB, 3, MIB, 0, 0), NONE }, CLASS_MULTI_BLOCK, 0, 0, 0, 0,
			{ [LEDGER_BASE_MBC] = { 2, 424 * KIB } }, 0, 0, 0, 3 },
	{ "on an unknown base a destroy is of an owned carrier",
			{ DESTROY(256 * KIB, 2, 512 * KIB, 0, 0), NONE }, CLASS_OWNED, 0, 0, 0, 0,
			{ [LEDGER_BASE_MBC] = { 3, 768 * KIB } }, 0, 0, 0, 2 },
	{ "puts before the first counters belong to the base",
			{ PUT(256 * KIB), DESTROY(256 * KIB, 2, 512 * KIB, 0, 0), NONE },
			CLASS_OWNED, 0, 0, 0, 0, { [LEDGER_BASE_MBC] = { 4, MIB } }, 0, 0, 0, 2 },
	{ "a get before the first create of an unknown base missed if that is multi-block",
			{ GET(100), CREATE(256 * KIB, 3, MIB, 0, 0), NONE }, CLASS_MULTI_BLOCK, 0,
			0, 1, 0, { [LEDGER_BASE_MBC] = { 2, 768 * KIB } }, 0, 0, 0, 3 },
	{ "a get before the first create of an unknown base hit if that is single-block",
			{ GET(100), CREATE(600 * KIB, 3, MIB, 1, 600 * KIB), NONE },
			CLASS_SINGLE_BLOCK, 0, 1, 0, 0, { [LEDGER_BASE_MBC] = { 3, MIB } }, 0, 0, 0,
			3 },
	{ "rule 1: a get after a get succeeded",
			{ CREATE(256 * KIB, 1, 256 * KIB, 0, 0), GET(100), GET(100), NONE }, -1, 1,
			1, 0, 0, { { 0 } }, 0, 0, 1, 3 },
	{ "rule 2: a get before a put succeeded",
			{ CREATE(256 * KIB, 1, 256 * KIB, 0, 0), GET(100), PUT(256 * KIB), NONE },
			-1, 1, 1, 0, 0, { { 0 } }, 0, 0, 1, 1 },
	{ "rule 3: a destroy that lowers the count was of an owned carrier",
			{ CREATE(256 * KIB, 1, 256 * KIB, 0, 0),
					CREATE(MIB, 2, MIB + 256 * KIB, 0, 0),
					DESTROY(MIB, 1, 256 * KIB, 0, 0), NONE },
			CLASS_OWNED, 1, 0, 0, 0, { { 0 } }, 0, 0, 1, 1 },
	{ "rule 3: a destroy that leaves the count was of a pooled carrier",
			{ CREATE(256 * KIB, 1, 256 * KIB, 0, 0),
					CREATE(MIB, 2, MIB + 256 * KIB, 0, 0), PUT(MIB),
					DESTROY(MIB, 1, 256 * KIB, 0, 0), NONE },
			CLASS_POOLED, 1, 0, 0, 0, { { 0 } }, 0, 0, 1, 1 },
	{ "rule 3: a get before a destroy succeeded, and its bytes are known then",
			{ CREATE(256 * KIB, 1, 256 * KIB, 0, 0), GET(100),
					DESTROY(256 * KIB, 1, 512 * KIB, 0, 0), NONE },
			CLASS_OWNED, 1, 1, 0, 512 * KIB, { [LEDGER_POOL_FETCH] = { 1, 512 * KIB } },
			0, 0, 1, 1 },
	{ "rule 4: a create without a get that raises the count is multi-block",
			{ CREATE(256 * KIB, 1, 256 * KIB, 0, 0),
					CREATE(MIB, 2, MIB + 256 * KIB, 0, 0), NONE },
			CLASS_MULTI_BLOCK, 1, 0, 0, 0, { { 0 } }, 0, 0, 1, 2 },
	{ "rule 4: a create without a get that leaves the count is single-block",
			{ CREATE(256 * KIB, 1, 256 * KIB, 0, 0), CREATE(MIB, 1, 256 * KIB, 1, MIB),
					NONE },
			CLASS_SINGLE_BLOCK, 1, 0, 0, 0, { { 0 } }, 0, 0, 1, 1 },
	{ "rule 4: earlier fetches count",
			{ CREATE(256 * KIB, 1, 256 * KIB, 0, 0), GET(1), GET(1), PUT(256 * KIB),
					CREATE(MIB, 3, 2 * MIB, 0, 0), NONE },
			CLASS_MULTI_BLOCK, 1, 0, 0, MIB, { [LEDGER_POOL_FETCH] = { 2, MIB } }, 0, 0,
			1, 3 },
	{ "rule 5: a get before a create of just its size missed",
			{ CREATE(256 * KIB, 1, 256 * KIB, 0, 0), GET(100),
					CREATE(MIB, 2, MIB + 256 * KIB, 0, 0), NONE },
			CLASS_MULTI_BLOCK, 1, 0, 1, 0, { { 0 } }, 0, 0, 1, 2 },
	{ "rule 5: a get before a single-block create of another size hit",
			{ CREATE(256 * KIB, 1, 256 * KIB, 0, 0), GET(100),
					CREATE(600 * KIB, 2, 512 * KIB, 1, 600 * KIB), NONE },
			CLASS_SINGLE_BLOCK, 1, 1, 0, 256 * KIB,
			{ [LEDGER_POOL_FETCH] = { 1, 256 * KIB } }, 0, 0, 1, 2 },
	{ "rule 5: both possible, a power of two: multi-block",
			{ CREATE(256 * KIB, 1, 256 * KIB, 0, 0),
					CREATE(2 * MIB, 1, 256 * KIB, 1, 2 * MIB), GET(100),
					CREATE(MIB, 2, MIB + 256 * KIB, 1, 2 * MIB), NONE },
			CLASS_MULTI_BLOCK, 0, 0, 1, 0, { { 0 } }, 1, 0, 1, 2 },
	{ "rule 5: both possible, small: multi-block",
			{ CREATE(256 * KIB, 1, 256 * KIB, 0, 0),
					CREATE(2 * MIB, 1, 256 * KIB, 1, 2 * MIB), GET(100),
					CREATE(300 * KIB, 2, 556 * KIB, 1, 2 * MIB), NONE },
			CLASS_MULTI_BLOCK, 0, 0, 1, 0, { { 0 } }, 1, 0, 1, 2 },
	{ "rule 5: both possible, large and odd: single-block, and one other went silently",
			{ CREATE(256 * KIB, 1, 256 * KIB, 0, 0),
					CREATE(2 * MIB, 1, 256 * KIB, 1, 2 * MIB), GET(100),
					CREATE(600 * KIB, 2, 856 * KIB, 1, 600 * KIB), NONE },
			CLASS_SINGLE_BLOCK, 0, 1, 0, 600 * KIB,
			{ [LEDGER_POOL_FETCH] = { 1, 600 * KIB },
					[LEDGER_SBC_FREE] = { -1, -2 * MIB } },
			1, 0, 1, 2 },
	{ "rule 5: with an earlier fetch the bytes may be more",
			{ CREATE(256 * KIB, 1, 256 * KIB, 0, 0), GET(1), GET(1),
					CREATE(MIB, 3, 2 * MIB, 0, 0), NONE },
			CLASS_MULTI_BLOCK, 1, 0, 1, 768 * KIB,
			{ [LEDGER_POOL_FETCH] = { 1, 768 * KIB } }, 0, 0, 1, 3 },
	{ "rule 6: a create that fits nothing is inconsistent",
			{ CREATE(256 * KIB, 1, 256 * KIB, 0, 0), CREATE(MIB, 5, 9 * MIB, 0, 0),
					NONE },
			CLASS_SINGLE_BLOCK, 0, 0, 0, 9 * MIB - 256 * KIB,
			{ [LEDGER_UNEXPLAINED_MBC] = { 4, 9 * MIB - 256 * KIB },
					[LEDGER_SBC_FREE] = { -1, -MIB } },
			0, 2, 1, 5 },
	{ "rule 6: a create after a get that fits nothing is a miss and inconsistent",
			{ CREATE(256 * KIB, 1, 256 * KIB, 0, 0), GET(1),
					CREATE(MIB, 1, 256 * KIB, 0, 0), NONE },
			CLASS_MULTI_BLOCK, 0, 0, 1, -MIB,
			{ [LEDGER_UNEXPLAINED_MBC] = { -1, -MIB } }, 0, 2, 1, 1 },
	{ "rule 6: a destroy that raises the count is inconsistent",
			{ CREATE(256 * KIB, 1, 256 * KIB, 0, 0), DESTROY(MIB, 4, 4 * MIB, 0, 0),
					NONE },
			CLASS_POOLED, 0, 0, 0, 4 * MIB - 256 * KIB,
			{ [LEDGER_UNEXPLAINED_MBC] = { 3, 4 * MIB - 256 * KIB } }, 0, 2, 1, 4 },
	{ "single-block carriers that are gone are silent frees",
			{ CREATE(256 * KIB, 1, 256 * KIB, 0, 0), CREATE(MIB, 1, 256 * KIB, 1, MIB),
					CREATE(MIB, 1, 256 * KIB, 2, 2 * MIB),
					CREATE(256 * KIB, 2, 512 * KIB, 0, 0), NONE },
			CLASS_MULTI_BLOCK, 1, 0, 0, 0, { [LEDGER_SBC_FREE] = { -2, -2 * MIB } }, 0,
			0, 1, 2 },
	{ "a single-block carrier that only changed its size was resized",
			{ CREATE(256 * KIB, 1, 256 * KIB, 0, 0), CREATE(MIB, 1, 256 * KIB, 1, MIB),
					CREATE(256 * KIB, 2, 512 * KIB, 1, 3 * MIB), NONE },
			CLASS_MULTI_BLOCK, 1, 0, 0, 0, { [LEDGER_SBC_RESIZE] = { 0, 2 * MIB } }, 0,
			0, 1, 2 },
	{ "a single-block carrier that nobody created is unexplained",
			{ CREATE(256 * KIB, 1, 256 * KIB, 0, 0),
					CREATE(256 * KIB, 2, 512 * KIB, 1, 3 * MIB), NONE },
			CLASS_MULTI_BLOCK, 1, 0, 0, 0,
			{ [LEDGER_UNEXPLAINED_SBC] = { 1, 3 * MIB } }, 0, 0, 1, 2 },
	{ "a get at the end counts as owned until the next event",
			{ CREATE(256 * KIB, 1, 256 * KIB, 0, 0), GET(1), NONE }, -1, 1, 0, 0, 0,
			{ { 0 } }, 0, 0, 1, 2 },
};

static void fill_row(struct carrier_row *row, const struct step *step, int64_t ts_ns)
{
	*row = (struct carrier_row){ .ts_ns = ts_ns, .kind = step->kind, .size = step->size };
	if (step->kind == CARRIER_EVENT_carrier_create ||
			step->kind == CARRIER_EVENT_carrier_destroy) {
		row->counter[MBC_CARRIERS] = step->mbc;
		row->counter[MBC_CARRIERS_SIZE] = step->mbc_bytes;
		row->counter[SBC_CARRIERS] = step->sbc;
		row->counter[SBC_CARRIERS_SIZE] = step->sbc_bytes;
	} else {
		for (int i = 0; i < CARRIER_COUNTERS; i++) {
			row->counter[i] = ROW_NULL;
		}
	}
}

static void test_case(void **state)
{
	const struct derive_case *expected = *state;
	struct derive derive = { 0 };
	struct derivation got = { 0 };
	struct carrier_row row;

	for (int i = 0; expected->steps[i].kind >= 0; i++) {
		fill_row(&row, &expected->steps[i], i);
		derive_step(&derive, &row, &got);
	}

	assert_int_equal(got.class, expected->class);
	assert_int_equal(got.is_exact, expected->is_exact);
	assert_int_equal(got.fetches, expected->fetches);
	assert_int_equal(got.misses, expected->misses);
	assert_int_equal(got.fetch_bytes, expected->fetch_bytes);
	for (int kind = 0; kind < LEDGER_KINDS; kind++) {
		assert_int_equal(got.ledger[kind].carriers, expected->ledger[kind][0]);
		assert_int_equal(got.ledger[kind].bytes, expected->ledger[kind][1]);
	}

	assert_int_equal(derive.ambiguous_creates, expected->ambiguous);
	assert_int_equal(derive.inconsistent, expected->inconsistent);
	assert_int_equal(derive.is_base_known, expected->base_known);
	assert_int_equal(derive_owned_carriers(&derive), expected->owned);
}

/*
 * The law of conservation of schema/events/events.sql, over a hostile sequence:
 * counters that mean nothing, kinds in any order, several instances.
 */
enum {
	INSTANCES = 6,
	STEPS = 4000,
	ROUNDS = 40,
};

struct sums {
	int64_t mbc;
	int64_t mbc_bytes;
	int64_t sbc;
	int64_t sbc_bytes;
};

static void add_event(struct sums *sums, const struct carrier_row *row)
{
	if (row->kind == CARRIER_EVENT_carrier_pool_put) {
		sums->mbc--;
		sums->mbc_bytes -= row->size;
	} else if (row->class == CLASS_MULTI_BLOCK) {
		sums->mbc++;
		sums->mbc_bytes += row->size;
	} else if (row->class == CLASS_OWNED) {
		sums->mbc--;
		sums->mbc_bytes -= row->size;
	} else if (row->class == CLASS_SINGLE_BLOCK) {
		sums->sbc++;
		sums->sbc_bytes += row->size;
	}
}

static void add_ledger(struct sums *sums, const struct ledger_row *ledger, size_t rows)
{
	for (size_t i = 0; i < rows; i++) {
		enum ledger_side side = ledger_side_of(&ledger[i]);

		if (side == SIDE_MBC) {
			sums->mbc += ledger[i].carriers_max;
			sums->mbc_bytes += ledger[i].bytes_max;
		} else if (side == SIDE_SBC) {
			sums->sbc += ledger[i].carriers_max;
			sums->sbc_bytes += ledger[i].bytes_max;
		} else {
			assert_true(ledger[i].carriers_min >= 0);
			assert_true(ledger[i].carriers_min <= ledger[i].carriers_max);
		}
	}
}

static void check_round(uint64_t *seed, uint64_t range)
{
	struct analysis analysis = { 0 };
	struct sums sums[INSTANCES] = { { 0 } };
	struct ledger_row ledger[ANALYSIS_MAX_LEDGER_ROWS];
	struct diag diag = { 0 };

	for (int64_t i = 0; i < STEPS; i++) {
		struct carrier_row row = { .id = i, .ts_ns = i * 1000 };
		size_t rows;

		row.instance = (int32_t)(next_random(seed) % INSTANCES);
		row.instance_number = row.instance;
		row.allocator = row.instance % 3;
		row.runtime = row.instance / 4;
		row.kind = (int32_t)(next_random(seed) % CARRIER_EVENT_COUNT);
		row.size = (int64_t)(next_random(seed) % range);
		for (int k = 0; k < CARRIER_COUNTERS; k++) {
			row.counter[k] = row.kind < CARRIER_EVENT_carrier_pool_put
					? (int64_t)(next_random(seed) % range)
					: ROW_NULL;
		}

		assert_int_equal(analysis_take(&analysis, &row, ledger, &rows, &diag), CSC_OK);
		assert_in_range(rows, 0, ANALYSIS_MAX_LEDGER_ROWS);
		add_event(&sums[row.instance], &row);
		add_ledger(&sums[row.instance], ledger, rows);
		assert_true(analysis.runtimes[row.runtime]->pool.carriers >= 0);
		assert_true(analysis.runtimes[row.runtime]->pool.bytes >= 0);
		if (row.kind < CARRIER_EVENT_carrier_pool_put) {
			const struct sums *sum = &sums[row.instance];

			assert_int_equal(sum->mbc, row.counter[MBC_CARRIERS]);
			assert_int_equal(sum->mbc_bytes, row.counter[MBC_CARRIERS_SIZE]);
			assert_int_equal(sum->sbc, row.counter[SBC_CARRIERS]);
			assert_int_equal(sum->sbc_bytes, row.counter[SBC_CARRIERS_SIZE]);
		}
	}

	analysis_finish(&analysis);
}

static void test_events_and_ledger_give_the_counters(void **state)
{
	uint64_t seed = first_seed();

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		static const uint64_t ranges[] = { 2, 3, 5, 100, 1 << 20, UINT64_C(1) << 45 };

		check_round(&seed, ranges[(size_t)round % COUNT_OF(ranges)]);
	}
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(cases) + 1];

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		tests[i] = (struct CMUnitTest){ cases[i].name, test_case, NULL, NULL,
			(void *)(uintptr_t)&cases[i] };
	}

	tests[COUNT_OF(cases)] = (struct CMUnitTest)cmocka_unit_test(
			test_events_and_ledger_give_the_counters);
	return cmocka_run_group_tests_name("derive", tests, NULL, NULL);
}
