/*
 * SPDX-License-Identifier: MIT
 *
 * Scopes: sums, extremes and integrals by worked examples; buckets, totals and
 * widening against an oracle that keeps all events.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scope.h"
#include "xorshift.h"

struct fixture {
	struct scope scopes[3];
	struct scope *all[3];
	struct scope_history history;
	struct diag diag;
};

static int open_fixture(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	for (int i = 0; i < 3; i++) {
		fixture->scopes[i].open_row = -1;
		fixture->all[i] = &fixture->scopes[i];
	}

	*state = fixture;
	return 0;
}

static int close_fixture(void **state)
{
	struct fixture *fixture = *state;

	scope_history_finish(&fixture->history);
	free(fixture);
	return 0;
}

/* Sets the multi-block counters of a scope to new values at a time. */
static void add(struct fixture *fixture, int number, int64_t ts_ns, int64_t carriers,
		int64_t carriers_bytes, int64_t blocks_bytes)
{
	struct scope *scope = &fixture->scopes[number];
	int64_t delta[CARRIER_COUNTERS] = {
		[MBC_CARRIERS] = carriers - scope->now[MBC_CARRIERS],
		[MBC_CARRIERS_SIZE] = carriers_bytes - scope->now[MBC_CARRIERS_SIZE],
		[MBC_BLOCKS_SIZE] = blocks_bytes - scope->now[MBC_BLOCKS_SIZE],
	};
	struct flows flows = { 0 };
	struct scope_change change = { .ts_ns = ts_ns, .flows = &flows, .counter = delta };

	scope_history_advance(&fixture->history, ts_ns, fixture->all, 3);
	assert_int_equal(scope_apply(scope, &fixture->history, &change, &fixture->diag), CSC_OK);
}

static void test_integrals_run_over_the_time_with_carriers_only(void **state)
{
	struct fixture *fixture = *state;
	struct scope *scope = &fixture->scopes[0];

	add(fixture, 0, 1000, 1, 100, 50);
	add(fixture, 0, 1010, 0, 0, 0);
	add(fixture, 0, 1100, 1, 200, 50);
	scope_close(scope, 1130);
	assert_int_equal(scope->weighted_ns, 40);
	assert_true(scope->utilisation_ns == 10 * 0.5 + 30 * 0.25);
	assert_int_equal((int64_t)scope->blocks_byte_ns, 10 * 50 + 30 * 50);
	assert_int_equal((int64_t)scope->carriers_byte_ns, 10 * 100 + 30 * 200);
	assert_int_equal(scope->first_stat_ns, 1000);
	assert_int_equal(scope->last_stat_ns, 1100);
}

static void test_closing_before_the_last_event_adds_nothing(void **state)
{
	struct fixture *fixture = *state;

	add(fixture, 0, 1000, 1, 100, 50);
	scope_close(&fixture->scopes[0], 900);
	assert_int_equal(fixture->scopes[0].weighted_ns, 0);
}

static void test_the_least_utilisation_is_an_exact_fraction(void **state)
{
	struct fixture *fixture = *state;
	const struct scope *scope = &fixture->scopes[0];
	int64_t huge = INT64_C(1) << 62;

	/* As doubles these are equal. */
	add(fixture, 0, 1, 1, huge, huge - 1);
	add(fixture, 0, 2, 2, huge, huge - 2);
	add(fixture, 0, 3, 2, huge, huge - 1);
	assert_int_equal(scope->least.blocks_bytes, huge - 2);
	assert_int_equal(scope->least.ts_ns, 2);
	assert_int_equal(scope->least_of_two.ts_ns, 2);
	/* The first of equal ones stays: 1/2 and 2/4. */
	add(fixture, 0, 4, 1, 2, 1);
	add(fixture, 0, 5, 2, 4, 2);
	assert_int_equal(scope->least.ts_ns, 4);
	assert_int_equal(scope->least_of_two.ts_ns, 5);
}

static void test_a_maximum_is_that_of_the_first_event_to_reach_it(void **state)
{
	struct fixture *fixture = *state;
	const struct scope *scope = &fixture->scopes[0];

	add(fixture, 0, 1, 1, 100, 60);
	add(fixture, 0, 2, 1, 300, 70);
	add(fixture, 0, 3, 1, 300, 90);
	add(fixture, 0, 4, 1, 200, 90);
	assert_int_equal(scope->max_carriers_bytes, 300);
	assert_int_equal(scope->max_carriers_ns, 2);
	assert_int_equal(scope->blocks_at_max_bytes, 70);
	assert_int_equal(scope->max_blocks_bytes, 90);
	assert_int_equal(scope->max_blocks_ns, 3);
}

static void test_an_event_without_counters_changes_no_extremes(void **state)
{
	struct fixture *fixture = *state;
	struct flows flows = { .count = { [FLOW_PUT] = 1 }, .bytes = { [FLOW_PUT] = 77 } };
	struct scope_change change = {
		.ts_ns = 5, .flows = &flows, .pooled_carriers = 1, .pooled_bytes = 77
	};
	const struct scope *scope = &fixture->scopes[0];

	scope_history_advance(&fixture->history, 5, fixture->all, 3);
	assert_int_equal(scope_apply(&fixture->scopes[0], &fixture->history, &change,
					 &fixture->diag),
			CSC_OK);
	assert_false(scope->has_stat);
	assert_int_equal(scope->total.bytes[FLOW_PUT], 77);
	assert_int_equal(fixture->history.rows[0].pooled_bytes, 77);
}

enum { EVENTS = 20000 };

struct kept_event {
	int scope;
	int64_t ts_ns;
	int64_t carriers_bytes;
	int64_t created_bytes;
};

/* The rows of a scope are what an oracle finds in the events of each bucket. */
static void check_buckets(const struct fixture *fixture, const struct kept_event *events)
{
	const struct scope_history *history = &fixture->history;

	for (size_t i = 0; i < history->row_count; i++) {
		const struct scope_bucket *row = &history->rows[i];
		int scope = (int)(row->scope - fixture->scopes);
		int64_t last = 0;
		int64_t max = 0;
		int64_t created = 0;
		int64_t count = 0;

		for (int k = 0; k < EVENTS; k++) {
			const struct kept_event *event = &events[k];

			if (event->scope != scope ||
					(event->ts_ns - history->origin_ns) >> history->shift !=
							row->bucket) {
				continue;
			}

			last = event->carriers_bytes;
			max = last > max ? last : max;
			created += event->created_bytes;
			count++;
		}

		assert_int_equal(row->last[MBC_CARRIERS_SIZE], last);
		assert_int_equal(row->max_carriers_bytes, max);
		assert_int_equal(row->flows.bytes[FLOW_MBC_CREATE], created);
		assert_int_equal(row->flows.count[FLOW_MBC_CREATE], count);
		assert_true(count > 0);
	}
}

static void test_buckets_are_what_an_oracle_finds_however_often_they_widen(void **state)
{
	struct fixture *fixture = *state;
	struct kept_event *events = calloc(EVENTS, sizeof(*events));
	uint64_t seed = first_seed();
	int64_t ts_ns = 1000;

	for (int i = 0; i < EVENTS; i++) {
		struct kept_event *event = &events[i];
		struct scope *scope;
		int64_t delta[CARRIER_COUNTERS] = { 0 };
		struct flows flows = { 0 };
		struct scope_change change = { .flows = &flows, .counter = delta };

		/* From nanoseconds to minutes apart, so that widening comes in bursts. */
		ts_ns += (int64_t)(next_random(&seed) >> (24 + next_random(&seed) % 40));
		event->scope = (int)(next_random(&seed) % 3);
		event->ts_ns = ts_ns;
		event->carriers_bytes = (int64_t)(next_random(&seed) % 1000);
		event->created_bytes = (int64_t)(next_random(&seed) % 50);
		scope = &fixture->scopes[event->scope];
		delta[MBC_CARRIERS_SIZE] = event->carriers_bytes - scope->now[MBC_CARRIERS_SIZE];
		flows.count[FLOW_MBC_CREATE] = 1;
		flows.bytes[FLOW_MBC_CREATE] = event->created_bytes;
		change.ts_ns = ts_ns;
		scope_history_advance(&fixture->history, ts_ns, fixture->all, 3);
		assert_int_equal(scope_apply(scope, &fixture->history, &change, &fixture->diag),
				CSC_OK);
		assert_true(fixture->history.open_bucket < SCOPE_MAX_BUCKETS);
		assert_true(fixture->history.row_count <= SCOPE_MAX_ROWS);
	}

	assert_true(fixture->history.shift > 20);
	assert_true(fixture->history.row_count <= 3 * SCOPE_MAX_BUCKETS);
	check_buckets(fixture, events);
	free(events);
}

static void test_time_that_runs_back_stays_in_the_open_bucket(void **state)
{
	struct fixture *fixture = *state;

	add(fixture, 0, 1000000, 1, 100, 50);
	add(fixture, 0, 2000000, 1, 200, 50);
	add(fixture, 0, 5, 1, 300, 50);
	assert_int_equal(fixture->history.row_count, 2);
	assert_int_equal(fixture->history.rows[1].last[MBC_CARRIERS_SIZE], 300);
	assert_int_equal(fixture->scopes[0].weighted_ns, 1000000);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(test_integrals_run_over_the_time_with_carriers_only),
		CASE(test_closing_before_the_last_event_adds_nothing),
		CASE(test_the_least_utilisation_is_an_exact_fraction),
		CASE(test_a_maximum_is_that_of_the_first_event_to_reach_it),
		CASE(test_an_event_without_counters_changes_no_extremes),
		CASE(test_buckets_are_what_an_oracle_finds_however_often_they_widen),
		CASE(test_time_that_runs_back_stays_in_the_open_bucket),
	};

	return cmocka_run_group_tests_name("scope", tests, NULL, NULL);
}
