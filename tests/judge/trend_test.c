/*
 * SPDX-License-Identifier: MIT
 *
 * What the statistics of curves (trend.h) say of curves of known shape, and how often step
 * _curve_state of the judge is wrong: curves drawn by a fixed seed, with and without a leak.
 * ARCHITECTURE.md, "Growth", has the shares that this prints.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "judge.h"
#include "schema_sql.h"
#include "trend.h"

enum { SECONDS = 60, MOST = 1000000, CURVES = 400 };

static const double mib = 1048576.0;
static const double circle = 6.283185307179586;

static uint64_t seed = 31;

/* Evenly between 0 and 1. */
static double draw(void)
{
	seed = seed * 6364136223846793005U + 1442695040888963407U;
	return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static double draw_normal(void)
{
	double radius = sqrt(-2 * log(draw()));

	return radius * cos(circle * draw());
}

static struct trend fit(struct trend_point *points, size_t count)
{
	struct trend trend;

	trend_fit(points, count, points[0].ts_ns, points[count - 1].ts_ns, &trend);
	return trend;
}

/* One level a second. */
static struct trend fit_values(const double *values, size_t count)
{
	struct trend_point points[SECONDS + 1];

	assert_true(count <= sizeof(points) / sizeof(points[0]));
	for (size_t i = 0; i < count; i++) {
		points[i] = (struct trend_point){ (int64_t)i * 1000000000, values[i] };
	}

	return fit(points, count);
}

/* `shape` at each second. */
static struct trend fit_shape(double (*shape)(double seconds, double phase), double phase)
{
	double values[SECONDS + 1];

	for (int i = 0; i <= SECONDS; i++) {
		values[i] = shape(i, phase);
	}

	return fit_values(values, SECONDS + 1);
}

static double line(double seconds, double phase)
{
	(void)phase;
	return 100 + 2 * seconds;
}

static double step(double seconds, double phase)
{
	return seconds < phase ? 100 : 130;
}

static double stairs(double seconds, double phase)
{
	return 100 + 30 * floor((seconds + phase) / 10);
}

static double sawtooth(double seconds, double phase)
{
	return 100 + 10 * fmod(seconds + phase, 8);
}

static double swing_with_leak(double seconds, double phase)
{
	return 200 + 40 * sin(circle * (seconds + phase) / 5) + seconds;
}

static double plateau(double seconds, double phase)
{
	return 100 + 5 * fmin(seconds, phase);
}

static double late_line(double seconds, double phase)
{
	return 100 + 2 * fmax(0, seconds - phase);
}

static double spike(double seconds, double phase)
{
	return seconds == phase ? 1000 : 100;
}

static void test_a_line_is_a_trend_of_its_slope(void **state)
{
	struct trend trend = fit_shape(line, 0);

	(void)state;
	assert_int_equal(trend.points, SECONDS + 1);
	assert_int_equal(trend.windows, TREND_WINDOWS);
	assert_true(fabs(trend.rate - 2) < 0.05 && trend.rate_low <= 2.000001 &&
			trend.rate_high >= 1.999999);
	assert_true(trend.z > 3);
	assert_true(trend.monotone == 1 && trend.fallen == 0 && trend.swing == 0);
	/* The last of many points does not count alone. */
	assert_true(fabs(trend.grown - 2 * (SECONDS - 1)) < 3);
	assert_true(trend.quiet_seconds <= 3 && fabs(trend.late_share - 1) < 0.15);
}

static void test_a_step_stands_still_after_it(void **state)
{
	struct trend trend = fit_shape(step, 20);

	(void)state;
	assert_true(trend.grown == 30 && trend.grow_seconds <= 1 && trend.begin_seconds == 19);
	assert_true(trend.quiet_seconds == SECONDS - 20 && trend.late_share == 0);
}

static void test_stairs_pause_and_go_on(void **state)
{
	(void)state;
	for (int phase = 0; phase < 10; phase++) {
		struct trend trend = fit_shape(stairs, phase);

		assert_true(trend.monotone == 1 && trend.rate_low > 0);
		assert_true(trend.rate_low <= 3 && trend.rate_high >= 3);
		assert_true(trend.pause_seconds >= 9 &&
				trend.quiet_seconds <= trend.pause_seconds + 1);
	}
}

static void test_a_sawtooth_has_no_trend_at_any_phase(void **state)
{
	(void)state;
	for (int phase = 0; phase < 8; phase++) {
		struct trend trend = fit_shape(sawtooth, phase);

		assert_true(trend.swing == 70);
		assert_true(fabs(trend.swing_seconds - 8) < 2);
		assert_true(trend.grown < 0.3 * trend.swing &&
				(trend.z < 2.5 || trend.monotone < 0.6));
	}
}

static void test_a_leak_below_a_swing_is_seen_at_any_phase(void **state)
{
	(void)state;
	for (int phase = 0; phase < 5; phase++) {
		struct trend trend = fit_shape(swing_with_leak, phase);

		assert_true(trend.swing > 70);
		assert_true(trend.rate_low > 0 && trend.rate_low <= 1 && trend.rate_high >= 1);
		assert_true(trend.z >= 2.5 && trend.monotone >= 0.6 &&
				trend.fallen < 0.5 * trend.grown);
	}
}

static void test_what_began_later_has_the_rate_since_then(void **state)
{
	(void)state;
	for (double phase = 16; phase <= 45; phase++) {
		struct trend trend = fit_shape(late_line, phase);

		assert_true(fabs(trend.rate - 2) < 0.1 && trend.rate_low > 1.8 &&
				trend.rate_high < 2.1);
		assert_true(trend.z > 3 && trend.monotone == 1);
		assert_true(fabs(trend.begin_seconds - phase) < 2);
	}
}

static void test_what_fills_up_and_stops_is_quiet(void **state)
{
	struct trend trend = fit_shape(plateau, 15);

	(void)state;
	assert_true(trend.grown == 75);
	assert_true(fabs(trend.quiet_seconds - (SECONDS - 15)) <= 1 &&
			fabs(trend.grow_seconds - 15) <= 1);
	assert_true(trend.late_share == 0);
}

static void test_a_spike_is_no_growth_wherever_it_is(void **state)
{
	(void)state;
	for (int at = 0; at <= SECONDS; at++) {
		assert_true(fit_shape(spike, at).grown == 0);
	}
}

static void test_few_points_tell_nothing(void **state)
{
	static const double values[] = { 1, 2, 3, 4, 5 };

	(void)state;
	for (size_t count = 1; count <= 5; count++) {
		struct trend trend = fit_values(values, count);

		assert_int_equal(trend.points, count);
		assert_int_equal(trend.windows, count < 3 ? 0 : count);
		assert_true(trend.z < 2.5);
		assert_true(count >= 3 || (trend.grown == 0 && trend.rate == 0));
	}
}

static void test_levels_at_one_time_are_no_rate(void **state)
{
	struct trend_point points[] = { { 5, 1 }, { 5, 2 }, { 5, 3 }, { 5, 4 }, { 5, 5 } };
	struct trend trend;

	(void)state;
	trend = fit(points, 5);
	assert_true(trend.grown == 0 && trend.rate == 0 && trend.z == 0);
	trend_fit(points, 0, 0, 10, &trend);
	assert_int_equal(trend.points, 0);
}

/* Times that go back are in no order that a curve could have: the figures are finite all the same.
 */
static void test_clocks_that_jump_leave_figures_finite(void **state)
{
	static const int64_t times[] = { 0, 1, 2, 60, 4, 5, -30, 7, 8, 8, 8, 9 };
	struct trend_point points[sizeof(times) / sizeof(times[0])];
	const size_t count = sizeof(times) / sizeof(times[0]);
	struct trend trend;

	(void)state;
	for (size_t i = 0; i < count; i++) {
		points[i] = (struct trend_point){ times[i] * 1000000000, 10.0 * (double)i };
	}
	trend_fit(points, count, 0, 10000000000, &trend);
	assert_true(isfinite(trend.rate_low) && isfinite(trend.rate) && isfinite(trend.rate_high));
	assert_true(isfinite(trend.grown) && isfinite(trend.power) && isfinite(trend.scatter));
	assert_true(trend.grown >= 0 && trend.power >= 0);
}

static void test_a_million_points_take_no_longer_than_they_are_read(void **state)
{
	struct trend_point *points = calloc(MOST, sizeof(*points));
	struct trend trend;

	(void)state;
	assert_non_null(points);
	for (int i = 0; i < MOST; i++) {
		points[i] = (struct trend_point){ (int64_t)i * 1000000,
			1000 + i / 1000.0 + 5 * draw_normal() };
	}
	trend = fit(points, MOST);
	assert_int_equal(trend.points, MOST);
	assert_true(trend.rate_low <= 1 && trend.rate_high >= 1 &&
			trend.rate_high - trend.rate_low < 0.1);
	free(points);
}

static void run(sqlite3 *db, const char *sql)
{
	int result = sqlite3_exec(db, sql, NULL, NULL, NULL);

	if (result != SQLITE_OK) {
		print_error("%.200s: %s\n", sql, sqlite3_errmsg(db));
	}
	assert_int_equal(result, SQLITE_OK);
}

enum load { CONSTANT, NOISE, SLOW_NOISE, SAWTOOTH, NOISY_SAWTOOTH, SWING, WALK, LOADS };

static const char *const load_names[LOADS] = { "constant", "noise", "slow noise", "sawtooth",
	"sawtooth and noise", "swing and noise", "random walk" };

/* Curves of a load of `levels` levels in a minute, with a leak below; what is said of them: shares.
 */
struct sample {
	enum load load;
	int levels;
	double mib_per_s;
	double grows;
	double open;

	/* Neither, although it grew by more than the power that is claimed. */
	double beyond_power;
};

static double level_of(enum load load, double tooth, double slow, double walked)
{
	switch (load) {
	case NOISE:
		return 4 * draw_normal();
	case SLOW_NOISE:
		return 2 * slow;
	case SAWTOOTH:
		return 80 * tooth;
	case NOISY_SAWTOOTH:
		return 80 * tooth + 4 * draw_normal();
	case SWING:
		return 40 * sin(circle * tooth) + 4 * draw_normal();
	case WALK:
		return 4 * walked;
	default:
		return 0;
	}
}

/* A node of some 200 MiB; what swings does so by 80, 2 to 10 times. */
static void insert_curve(sqlite3_stmt *insert, int id, const struct sample *sample)
{
	double phase = draw();
	double swings = 2 + 8 * draw();
	double slow = 0;
	double walked = 0;

	for (int i = 0; i < sample->levels; i++) {
		double at = (double)i / (sample->levels - 1);
		double value;

		slow = 0.9 * slow + draw_normal();
		walked += draw_normal();
		value = 200 + sample->mib_per_s * at * SECONDS +
				level_of(sample->load, fmod(at * swings + phase, 1), slow, walked);
		(void)sqlite3_bind_int(insert, 1, id);
		(void)sqlite3_bind_int64(insert, 2, (int64_t)(at * SECONDS * 1e9));
		(void)sqlite3_bind_double(insert, 3, value * mib);
		assert_int_equal(sqlite3_step(insert), SQLITE_DONE);
		(void)sqlite3_reset(insert);
	}
}

static void read_sample(sqlite3_stmt *row, int number, struct sample *sample)
{
	(void)sqlite3_bind_int(row, 1, number * CURVES);
	(void)sqlite3_bind_int(row, 2, (number + 1) * CURVES);
	(void)sqlite3_bind_double(row, 3, sample->mib_per_s * mib);
	assert_int_equal(sqlite3_step(row), SQLITE_ROW);
	/* Each has a row, and of all that do not grow it is said what could have been missed. */
	assert_int_equal(sqlite3_column_int(row, 0), CURVES);
	assert_int_equal(sqlite3_column_int(row, 1) + sqlite3_column_int(row, 2), CURVES);
	sample->grows = sqlite3_column_double(row, 2) / CURVES;
	sample->open = sqlite3_column_double(row, 3) / CURVES;
	sample->beyond_power = sqlite3_column_double(row, 4) / CURVES;
	(void)sqlite3_reset(row);
	print_message("%-18s %3d levels, leak of %.1f MiB/s: grows %5.1f %%, open %5.1f %%, neither, but beyond the power %4.1f %%\n",
			load_names[sample->load], sample->levels, sample->mib_per_s,
			100 * sample->grows, 100 * sample->open, 100 * sample->beyond_power);
}

static void judge_samples(struct sample *samples, int count)
{
	struct diag diag = { 0 };
	sqlite3 *db = NULL;
	sqlite3_stmt *insert = NULL;
	sqlite3_stmt *row = NULL;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	run(db, schema_sql);
	run(db,
			"CREATE TEMP TABLE _span (runtime_id, source_id, begin_ns, end_ns, complete_ns, is_mixed);"
			"CREATE TEMP TABLE _curve_value (curve_id, runtime_id, scope, allocator, type, holder, ts_ns, value)");
	assert_int_equal(
			sqlite3_prepare_v2(db,
					"INSERT INTO _curve_value VALUES (?1, ?1, 'allocator', 'binary_alloc', '', '', ?2, ?3)",
					-1, &insert, NULL),
			SQLITE_OK);
	for (int id = 0; id < count * CURVES; id++) {
		insert_curve(insert, id, &samples[id / CURVES]);
	}
	(void)sqlite3_finalize(insert);
	run(db, "INSERT INTO _span SELECT runtime_id, 1, min(ts_ns), max(ts_ns), 0, 0 FROM _curve_value GROUP BY runtime_id");
	assert_int_equal(judge_prepare(db, "_power", &diag), CSC_OK);
	assert_int_equal(judge_prepare(db, "_curve_state", &diag), CSC_OK);
	assert_int_equal(
			sqlite3_prepare_v2(db,
					"SELECT count(*), count(p.bytes_per_s), count(*) FILTER (WHERE state = 'grows'), "
					"count(*) FILTER (WHERE state = 'open'), "
					"count(*) FILTER (WHERE state NOT IN ('grows', 'open') AND p.bytes_per_s < ?3) "
					"FROM _curve_state AS c LEFT JOIN _power AS p ON p.subject_id = c.subject_id "
					"WHERE c.subject_id >= ?1 AND c.subject_id < ?2",
					-1, &row, NULL),
			SQLITE_OK);
	for (int i = 0; i < count; i++) {
		read_sample(row, i, &samples[i]);
	}
	(void)sqlite3_finalize(row);
	(void)sqlite3_close(db);
}

static void test_a_load_without_a_trend_seldom_grows(void **state)
{
	static const int levels[] = { 12, 30, 60, 240 };
	struct sample samples[LOADS * sizeof(levels) / sizeof(levels[0])];
	int count = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		for (enum load load = CONSTANT; load < LOADS; load++) {
			samples[count++] = (struct sample){ .load = load, .levels = levels[i] };
		}
	}
	judge_samples(samples, count);
	for (int i = 0; i < count; i++) {
		/* A walk does grow, for as long as it is looked at. */
		double most = samples[i].load == WALK ? 0.12 : 0.025;

		assert_true(samples[i].grows <= most);
		assert_true(samples[i].load != CONSTANT || samples[i].grows + samples[i].open == 0);
	}
}

static void test_a_leak_beyond_the_power_is_seldom_denied(void **state)
{
	static const double rates[] = { 0.1, 0.3, 1, 3 };
	struct sample samples[WALK * sizeof(rates) / sizeof(rates[0])];
	int count = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		for (enum load load = CONSTANT; load < WALK; load++) {
			samples[count++] = (struct sample){
				.load = load, .levels = 60, .mib_per_s = rates[i]
			};
		}
	}
	judge_samples(samples, count);
	for (int i = 0; i < count; i++) {
		assert_true(samples[i].beyond_power <= 0.06);
		assert_true(samples[i].load != CONSTANT || samples[i].grows == 1);
		assert_true(samples[i].mib_per_s < 1 || samples[i].grows + samples[i].open >= 0.75);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_line_is_a_trend_of_its_slope),
		cmocka_unit_test(test_a_step_stands_still_after_it),
		cmocka_unit_test(test_stairs_pause_and_go_on),
		cmocka_unit_test(test_a_sawtooth_has_no_trend_at_any_phase),
		cmocka_unit_test(test_a_leak_below_a_swing_is_seen_at_any_phase),
		cmocka_unit_test(test_what_began_later_has_the_rate_since_then),
		cmocka_unit_test(test_what_fills_up_and_stops_is_quiet),
		cmocka_unit_test(test_a_spike_is_no_growth_wherever_it_is),
		cmocka_unit_test(test_few_points_tell_nothing),
		cmocka_unit_test(test_levels_at_one_time_are_no_rate),
		cmocka_unit_test(test_clocks_that_jump_leave_figures_finite),
		cmocka_unit_test(test_a_million_points_take_no_longer_than_they_are_read),
		cmocka_unit_test(test_a_load_without_a_trend_seldom_grows),
		cmocka_unit_test(test_a_leak_beyond_the_power_is_seldom_denied),
	};

	return cmocka_run_group_tests_name("trend", tests, NULL, NULL);
}
