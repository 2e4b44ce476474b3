/*
 * SPDX-License-Identifier: MIT
 *
 * Lives and the pool, where the events give bounds only: a simulated runtime
 * knows which carrier is which, and the bounds must hold against it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis.h"
#include "xorshift.h"

/* The index that holds a life in a histogram. */
static int index_of(int64_t life_ns)
{
	int index = 0;

	while (life_ns > 0) {
		index++;
		life_ns >>= 1;
	}

	return index;
}

static void test_one_carrier_has_an_exact_life(void **state)
{
	struct life_group group = { 0 };
	struct life_histogram histogram = { { 0 }, { 0 } };

	(void)state;
	life_create(&group, 1000);
	assert_true(life_end(&group, 1100, 1100, &histogram));
	assert_int_equal(histogram.at_least[index_of(100)], 1);
	assert_int_equal(histogram.at_most[index_of(100)], 1);
	assert_int_equal(group.carrier_ns, 100);
}

static void test_of_two_the_younger_bounds_below_and_the_older_above(void **state)
{
	struct life_group group = { 0 };
	struct life_histogram histogram = { { 0 }, { 0 } };

	(void)state;
	life_create(&group, 1000);
	life_create(&group, 5000);
	assert_true(life_end(&group, 6000, 6000, &histogram));
	assert_int_equal(histogram.at_least[index_of(1000)], 1);
	assert_int_equal(histogram.at_most[index_of(5000)], 1);
	life_close(&group, 7000);
	assert_int_equal(group.carrier_ns, 4000 + 2 * 1000 + 1000);
}

static void test_an_end_without_a_create_is_unmatched(void **state)
{
	struct life_group group = { 0 };
	struct life_histogram histogram = { { 0 }, { 0 } };

	(void)state;
	assert_false(life_end(&group, 0, 10, &histogram));
	assert_int_equal(group.unmatched_destroys, 1);
	assert_int_equal(group.alive, 0);
}

static void test_before_the_recording_there_is_no_bound_above(void **state)
{
	struct life_group group = { .is_open = true };
	struct life_histogram histogram = { { 0 }, { 0 } };

	(void)state;
	life_create(&group, 1000);
	assert_true(life_end(&group, 2000, 2000, &histogram));
	assert_int_equal(histogram.at_most[LIFE_UNKNOWN + 1], 1);
}

static void test_a_life_that_overflows_stops_at_the_greatest(void **state)
{
	struct life_group group = { 0 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		life_create(&group, 0);
	}

	life_close(&group, INT64_MAX / 2);
	assert_true(group.carrier_ns == INT64_MAX);
}

/* Carriers of one group whose ends are recorded later than they happen, as silent frees are. */
static void test_bounds_hold_for_hidden_identities(void **state)
{
	enum { STEPS = 30000, MAX_ALIVE = 64 };
	struct life_group group = { 0 };
	struct life_histogram histogram = { { 0 }, { 0 } };
	uint64_t seed = first_seed();
	int64_t born_ns[MAX_ALIVE];
	int64_t true_sum_ns = 0;
	int64_t now_ns = 1000;
	int64_t emitted_ns = 1000;
	int alive = 0;

	(void)state;
	for (int i = 0; i < STEPS; i++) {
		now_ns += (int64_t)(next_random(&seed) % 1000) + 1;
		if (alive < MAX_ALIVE && (alive == 0 || next_random(&seed) % 2)) {
			born_ns[alive++] = now_ns;
			life_create(&group, now_ns);
		} else {
			struct life_histogram before = histogram;
			int victim = (int)(next_random(&seed) % (uint64_t)alive);
			/* It ended between the last word of the instance and now, when born. */
			int64_t least_ns =
					born_ns[victim] > emitted_ns ? born_ns[victim] : emitted_ns;
			int64_t end_ns = least_ns +
					(int64_t)(next_random(&seed) %
							(uint64_t)(now_ns - least_ns + 1));
			int index = index_of(end_ns - born_ns[victim]);
			int least = 0;
			int most = 0;

			true_sum_ns += now_ns - born_ns[victim];
			born_ns[victim] = born_ns[--alive];
			assert_true(life_end(&group, emitted_ns, now_ns, &histogram));
			while (histogram.at_least[least] == before.at_least[least]) {
				least++;
			}
			while (histogram.at_most[most] == before.at_most[most]) {
				most++;
			}
			assert_true(least <= index);
			assert_true(index <= most);
		}

		emitted_ns = now_ns;
	}

	life_close(&group, now_ns);
	for (int i = 0; i < alive; i++) {
		true_sum_ns += now_ns - born_ns[i];
	}

	assert_int_equal(group.alive, alive);
	assert_int_equal(group.carrier_ns, true_sum_ns);
}

/* A runtime of several instances and a pool, with carriers that have names here. */
enum {
	INSTANCES = 5,
	CARRIERS = 400,
	SIM_STEPS = 6000,
};

enum place {
	PLACE_NOWHERE,
	PLACE_OWNED,
	PLACE_POOLED,
	/* Destroyed, but waits: may be fetched once more. */
	PLACE_WAITING,
};

struct carrier {
	enum place place;
	int owner;
	int64_t size;
};

struct simulation {
	struct analysis analysis;
	struct carrier carriers[CARRIERS];
	int64_t counter[INSTANCES][CARRIER_COUNTERS];
	int64_t fetches;
	int64_t ts_ns;
	int64_t id;
	uint64_t seed;
};

static int open_simulation(void **state)
{
	*state = calloc(1, sizeof(struct simulation));
	return *state ? 0 : -1;
}

static int close_simulation(void **state)
{
	struct simulation *simulation = *state;

	analysis_finish(&simulation->analysis);
	free(simulation);
	return 0;
}

static int64_t below(struct simulation *simulation, int64_t limit)
{
	return (int64_t)(next_random(&simulation->seed) % (uint64_t)limit);
}

static void emit_event(struct simulation *simulation, enum carrier_event_kind kind, int instance,
		int64_t size)
{
	struct ledger_row ledger[ANALYSIS_MAX_LEDGER_ROWS];
	struct carrier_row row = {
		.id = ++simulation->id,
		.ts_ns = simulation->ts_ns += 10 + below(simulation, 1000),
		.size = size,
		.kind = (int32_t)kind,
		.instance = instance,
		.instance_number = instance,
		.allocator = instance / 2,
	};
	struct diag diag = { 0 };
	size_t rows;

	for (int i = 0; i < CARRIER_COUNTERS; i++) {
		row.counter[i] = kind < CARRIER_EVENT_carrier_pool_put
				? simulation->counter[instance][i]
				: ROW_NULL;
	}

	assert_int_equal(analysis_take(&simulation->analysis, &row, ledger, &rows, &diag), CSC_OK);
}

static void own(struct simulation *simulation, int carrier, int instance, int sign)
{
	simulation->counter[instance][MBC_CARRIERS] += sign;
	simulation->counter[instance][MBC_CARRIERS_SIZE] +=
			sign * simulation->carriers[carrier].size;
}

/* A carrier at a place, of an instance or (-1) of any; -1: none. */
static int pick(struct simulation *simulation, enum place place, int owner)
{
	int first = (int)below(simulation, CARRIERS);

	for (int i = 0; i < CARRIERS; i++) {
		int k = (first + i) % CARRIERS;
		const struct carrier *carrier = &simulation->carriers[k];

		if (carrier->place == place && (owner < 0 || carrier->owner == owner)) {
			return k;
		}
	}

	return -1;
}

/* Memory for a new carrier: what waits is given back at last if there is no other. */
static int find_free(struct simulation *simulation)
{
	int k = pick(simulation, PLACE_NOWHERE, -1);

	return k >= 0 ? k : pick(simulation, PLACE_WAITING, -1);
}

static void create_multi(struct simulation *simulation, int instance)
{
	int k = find_free(simulation);

	if (k >= 0) {
		simulation->carriers[k] = (struct carrier){ PLACE_OWNED, instance,
			INT64_C(262144) << below(simulation, 3) };
		own(simulation, k, instance, 1);
		emit_event(simulation, CARRIER_EVENT_carrier_create, instance,
				simulation->carriers[k].size);
	}
}

static void look_into_pool(struct simulation *simulation, int instance, bool may_come_back)
{
	int k = below(simulation, 3) ? pick(simulation, PLACE_POOLED, -1) : -1;

	if (k < 0 && may_come_back && below(simulation, 4) == 0) {
		k = pick(simulation, PLACE_WAITING, -1);
	}

	if (k < 0 && find_free(simulation) < 0) {
		return;
	}

	emit_event(simulation, CARRIER_EVENT_carrier_pool_get, instance, 1000);
	if (k < 0) {
		create_multi(simulation, instance);
		return;
	}

	simulation->carriers[k].place = PLACE_OWNED;
	simulation->carriers[k].owner = instance;
	own(simulation, k, instance, 1);
	simulation->fetches++;
}

/*
 * A carrier for one block, never of a size that one for many has.  All that the
 * instance had may have gone before, silently.
 */
static void create_single(struct simulation *simulation, int instance)
{
	int64_t *counter = simulation->counter[instance];
	int64_t size = 600 * 1024 + 4096 * below(simulation, 50);

	if (below(simulation, 3) == 0) {
		counter[SBC_CARRIERS] = 0;
		counter[SBC_CARRIERS_SIZE] = 0;
	}

	counter[SBC_CARRIERS]++;
	counter[SBC_CARRIERS_SIZE] += size;
	emit_event(simulation, CARRIER_EVENT_carrier_create, instance, size);
}

static void abandon(struct simulation *simulation, int instance)
{
	int k = pick(simulation, PLACE_OWNED, instance);

	if (k >= 0 && simulation->counter[instance][MBC_CARRIERS] > 1) {
		own(simulation, k, instance, -1);
		simulation->carriers[k].place = PLACE_POOLED;
		emit_event(simulation, CARRIER_EVENT_carrier_pool_put, instance,
				simulation->carriers[k].size);
	}
}

static void destroy(struct simulation *simulation, int instance, enum place place)
{
	int k = pick(simulation, place, place == PLACE_OWNED ? instance : -1);

	if (k < 0 || (place == PLACE_OWNED && simulation->counter[instance][MBC_CARRIERS] <= 1)) {
		return;
	}

	if (place == PLACE_OWNED) {
		own(simulation, k, instance, -1);
	}

	simulation->carriers[k].place = below(simulation, 3) ? PLACE_NOWHERE : PLACE_WAITING;
	emit_event(simulation, CARRIER_EVENT_carrier_destroy, instance,
			simulation->carriers[k].size);
}

static void check_pool(const struct simulation *simulation)
{
	const struct runtime_analysis *runtime = simulation->analysis.runtimes[0];
	struct pool_bounds bounds = analysis_pool_bounds(&simulation->analysis, 0);
	int64_t true_bytes = 0;
	int64_t true_carriers = 0;
	int64_t owned[INSTANCES] = { 0 };

	for (int k = 0; k < CARRIERS; k++) {
		const struct carrier *carrier = &simulation->carriers[k];

		true_bytes += carrier->place == PLACE_POOLED ? carrier->size : 0;
		true_carriers += carrier->place == PLACE_POOLED;
		owned[carrier->owner] += carrier->place == PLACE_OWNED;
	}

	assert_true(bounds.least_bytes >= 0);
	assert_true(bounds.least_bytes <= true_bytes);
	assert_true(true_bytes <= bounds.most_bytes);
	assert_true(runtime->pool.carriers >= 0);
	/* Fetches that the next event will show are not taken out yet. */
	assert_true(runtime->pool.carriers <= true_carriers + INSTANCES);
	for (int i = 0; i < INSTANCES; i++) {
		const struct instance_analysis *instance = simulation->analysis.instances[i];

		assert_int_equal(derive_owned_carriers(&instance->derive), owned[i]);
	}
}

static void simulate(struct simulation *simulation, bool may_come_back)
{
	simulation->seed = first_seed();
	for (int i = 0; i < INSTANCES; i++) {
		create_multi(simulation, i);
	}

	for (int step = 0; step < SIM_STEPS; step++) {
		int instance = (int)below(simulation, INSTANCES);

		switch (below(simulation, 6)) {
		case 0:
			create_single(simulation, instance);
			break;
		case 1:
		case 2:
			look_into_pool(simulation, instance, may_come_back);
			break;
		case 3:
			abandon(simulation, instance);
			break;
		case 4:
			destroy(simulation, instance, PLACE_OWNED);
			break;
		default:
			destroy(simulation, instance, PLACE_POOLED);
			break;
		}

		check_pool(simulation);
	}
}

static void test_the_pool_lies_within_its_bounds(void **state)
{
	struct simulation *simulation = *state;
	const struct flows *total = &simulation->analysis.source.total;
	int64_t pending = 0;
	int64_t inconsistent = 0;

	simulate(simulation, false);
	for (int i = 0; i < INSTANCES; i++) {
		pending += simulation->analysis.instances[i]->derive.is_pending;
		inconsistent += simulation->analysis.instances[i]->derive.inconsistent;
		assert_int_equal(
				simulation->analysis.instances[i]->ledger[LEDGER_RESURRECTION].rows,
				0);
	}

	assert_int_equal(inconsistent, 0);
	assert_int_equal(total->count[FLOW_FETCH] + pending, simulation->fetches);
}

static void test_the_pool_lies_within_its_bounds_though_carriers_come_back(void **state)
{
	struct simulation *simulation = *state;
	int64_t inconsistent = 0;

	simulate(simulation, true);
	for (int i = 0; i < INSTANCES; i++) {
		inconsistent += simulation->analysis.instances[i]->derive.inconsistent;
	}

	assert_int_equal(inconsistent, 0);
}

/* What was abandoned before any create was there before the recording. */
static void test_a_put_before_any_create_leaves_the_pool_unbounded_above(void **state)
{
	struct simulation *simulation = *state;

	simulation->seed = 1;
	emit_event(simulation, CARRIER_EVENT_carrier_pool_put, 0, 1000);
	assert_true(analysis_pool_bounds(&simulation->analysis, 0).most_bytes < 0);
}

#define SIMULATED(test) cmocka_unit_test_setup_teardown(test, open_simulation, close_simulation)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_carrier_has_an_exact_life),
		cmocka_unit_test(test_of_two_the_younger_bounds_below_and_the_older_above),
		cmocka_unit_test(test_an_end_without_a_create_is_unmatched),
		cmocka_unit_test(test_before_the_recording_there_is_no_bound_above),
		cmocka_unit_test(test_a_life_that_overflows_stops_at_the_greatest),
		cmocka_unit_test(test_bounds_hold_for_hidden_identities),
		SIMULATED(test_the_pool_lies_within_its_bounds),
		SIMULATED(test_the_pool_lies_within_its_bounds_though_carriers_come_back),
		SIMULATED(test_a_put_before_any_create_leaves_the_pool_unbounded_above),
	};

	return cmocka_run_group_tests_name("lives", tests, NULL, NULL);
}
