/* SPDX-License-Identifier: MIT */
/* What a comparison demands of the carriers of a replay, and of several on other schedules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare.h"

#define MIB (INT64_C(1) << 20)

/* The node had 5 carriers of 1 MiB of eheap_alloc, and has 9. */
struct scene {
	struct readings readings;
	struct start_state start;
	struct recording_facts facts;
	struct csc_options options;
	struct compare_state before;
	struct compare_state after;
	struct compare_spread spread;
	struct player_counts counts;
	int flag_count;
};

static void set_use(struct compare_state *state, uint64_t carriers)
{
	state->allocators[CSC_EHEAP].carriers = carriers;
	state->allocators[CSC_EHEAP].carriers_bytes = carriers * (uint64_t)MIB;
}

static void *room(size_t bytes)
{
	void *found = calloc(CSC_ALLOCATORS, bytes);

	assert_non_null(found);
	return found;
}

static void begin(struct scene *scene)
{
	struct reading *readings[] = { &scene->readings.first, &scene->readings.last };
	const int64_t carriers[] = { 5, 9 };

	*scene = (struct scene){ 0 };
	csc_options_init(&scene->options, csc_generation_find("25"), 8, 2);
	scene->readings.allocators = 1U << CSC_EHEAP;
	for (int i = 0; i < 2; i++) {
		readings[i]->instances = room(sizeof(*readings[i]->instances));
		readings[i]->allocators[CSC_EHEAP].carriers = carriers[i];
		readings[i]->allocators[CSC_EHEAP].carriers_bytes = carriers[i] * MIB;
	}
	scene->before.instances = room(sizeof(*scene->before.instances));
	scene->after.instances = room(sizeof(*scene->after.instances));
}

static void end(struct scene *scene)
{
	free(scene->readings.first.instances);
	free(scene->readings.last.instances);
	compare_finish_state(&scene->before);
	compare_finish_state(&scene->after);
}

/* Another replay, that went from one number of carriers to another. */
static void replays(struct scene *scene, uint64_t from, uint64_t to)
{
	set_use(&scene->before, from);
	set_use(&scene->after, to);
	compare_widen(&scene->spread, &scene->before, &scene->after);
}

/* The row of carriers, the last replay taken for the first. */
static struct compare_row compared(const struct scene *scene)
{
	const struct compare_request request = {
		.readings = &scene->readings,
		.start = &scene->start,
		.facts = &scene->facts,
		.options = &scene->options,
		.before = &scene->before,
		.after = &scene->after,
		.spread = &scene->spread,
		.counts = &scene->counts,
		.flag_count = scene->flag_count,
	};
	struct comparison comparison;
	struct compare_row found = { .instance = -2 };
	struct diag diag = { 0 };

	assert_int_equal(compare_rows(&request, &comparison, &diag), CSC_OK);
	for (size_t i = 0; i < comparison.count; i++) {
		if (comparison.rows[i].allocator == CSC_EHEAP &&
				comparison.rows[i].figure == COMPARE_CARRIERS) {
			found = comparison.rows[i];
		}
	}
	assert_int_equal(comparison.differs, found.verdict == COMPARE_DIFFERS);
	compare_finish(&comparison);
	assert_int_equal(found.instance, -1);
	assert_int_equal(found.node, 9);
	return found;
}

static void expect_range(const struct compare_row *row, int64_t replayed, int64_t low, int64_t high)
{
	assert_int_equal(row->replayed, replayed);
	assert_int_equal(row->low, low);
	assert_int_equal(row->high, high);
}

static void one_replay_is_right_or_not(void **state)
{
	struct scene scene;
	struct compare_row row;

	(void)state;
	begin(&scene);
	replays(&scene, 4, 8);
	row = compared(&scene);
	expect_range(&row, 9, 9, 9);
	assert_int_equal(row.verdict, COMPARE_AGREES);
	assert_null(strstr(row.why, "schedules"));
	scene.spread.replays = 0;
	replays(&scene, 4, 7);
	row = compared(&scene);
	assert_int_equal(row.verdict, COMPARE_DIFFERS);
	end(&scene);
}

static void other_schedules_show_how_far_it_may_be_off(void **state)
{
	struct scene scene;
	struct compare_row row;

	(void)state;
	begin(&scene);
	/* Each counts from what it began with. */
	replays(&scene, 6, 10);
	replays(&scene, 4, 6);
	replays(&scene, 4, 5);
	row = compared(&scene);
	expect_range(&row, 6, 6, 9);
	assert_int_equal(row.verdict, COMPARE_AGREES);
	assert_non_null(strstr(row.why, "on other schedules of 3 replays: 6 to 9"));
	end(&scene);
}

static void no_schedule_explains_more(void **state)
{
	struct scene scene;
	struct compare_row row;

	(void)state;
	begin(&scene);
	replays(&scene, 4, 7);
	replays(&scene, 4, 5);
	row = compared(&scene);
	assert_int_equal(row.high, 8);
	assert_int_equal(row.verdict, COMPARE_DIFFERS);
	end(&scene);
}

/* A carrier at each reading where something passed, never more than a quarter of the figure. */
static void what_passed_while_it_was_read_excuses_little(void **state)
{
	struct scene scene;
	struct compare_row row;

	(void)state;
	begin(&scene);
	replays(&scene, 4, 7);
	scene.readings.last.windows[CSC_EHEAP] =
			(struct reading_window){ .events = 3, .bytes_high = 1000 };
	row = compared(&scene);
	assert_int_equal(row.tolerance, 1);
	assert_int_equal(row.high, 9);
	assert_int_equal(row.verdict, COMPARE_AGREES);
	scene.readings.last.windows[CSC_EHEAP].bytes_high = 100 * MIB;
	scene.spread.replays = 0;
	replays(&scene, 4, 2);
	row = compared(&scene);
	assert_int_equal(row.tolerance, 2);
	assert_int_equal(row.high, 5);
	assert_int_equal(row.verdict, COMPARE_DIFFERS);
	end(&scene);
}

static void no_bound_is_negative(void **state)
{
	struct scene scene;
	struct compare_row row;

	(void)state;
	begin(&scene);
	replays(&scene, 9, 1);
	row = compared(&scene);
	expect_range(&row, 0, 0, 0);
	assert_null(strstr(row.why, "-"));
	end(&scene);
}

static void other_flags_are_not_judged(void **state)
{
	struct scene scene;
	struct compare_row row;

	(void)state;
	begin(&scene);
	scene.flag_count = 1;
	replays(&scene, 4, 9);
	replays(&scene, 4, 5);
	row = compared(&scene);
	assert_int_equal(row.verdict, COMPARE_NONE);
	assert_int_equal(row.low, 6);
	assert_int_equal(row.high, 10);
	end(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_replay_is_right_or_not),
		cmocka_unit_test(other_schedules_show_how_far_it_may_be_off),
		cmocka_unit_test(no_schedule_explains_more),
		cmocka_unit_test(what_passed_while_it_was_read_excuses_little),
		cmocka_unit_test(no_bound_is_negative),
		cmocka_unit_test(other_flags_are_not_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
