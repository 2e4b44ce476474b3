/*
 * SPDX-License-Identifier: MIT
 */
#include "trend.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	PAIRS = TREND_WINDOWS * (TREND_WINDOWS - 1) / 2,
	TENTHS = 10,
	EARLY_TENTHS = 7,

	/* Fewer points than these tell nothing; fewer windows tell no trend from chance. */
	LEAST_POINTS = 3,
	LEAST_WINDOWS = 4,

	/* From so many points on one that stands alone at the end does not count. */
	MANY_POINTS = 8,

	/* Levels of one swing: fewer do not show its trough. */
	FEW_OF_SWING = 4,
};

/* What stood still for so much of the time, rising by no more than so much of what came then, began
 * later: the rest is compared. */
static const double still_time = 0.25;
static const double still_part = 0.1;

/* Growth has begun where this part of it was there for good. */
static const double begun_part = 0.02;

/* Falls of this part of the largest one, where that is this part of the range, are swings. */
static const double swing_part = 0.5;
static const double swing_range = 0.25;

/* Two-sided 95 %. */
static const double interval_z = 1.96;

/* Scatter of minima below which a line over eight of them hides in nine cases of ten (simulated:
 * tests/judge/trend_test.c). */
static const double power_scatter = 5.0;

static double seconds_between(int64_t from_ns, int64_t to_ns)
{
	return (double)(to_ns - from_ns) / 1e9;
}

/* Leaves the points that count: the level at the begin, and what came until the end. */
static size_t cut_points(struct trend_point *points, size_t count, int64_t from_ns, int64_t to_ns)
{
	size_t first = 0;
	size_t left = 0;

	while (first + 1 < count && points[first + 1].ts_ns <= from_ns) {
		first++;
	}
	for (size_t i = first; i < count && points[i].ts_ns <= to_ns; i++) {
		points[left] = points[i];
		points[left].ts_ns = points[i].ts_ns < from_ns ? from_ns : points[i].ts_ns;
		left++;
	}

	return left;
}

/* The most that a curve falls from what it was at any time before. */
static double largest_fall(const struct trend_point *points, size_t count)
{
	double high = points[0].value;
	double fall = 0;

	for (size_t i = 1; i < count; i++) {
		high = fmax(high, points[i].value);
		fall = fmax(fall, high - points[i].value);
	}

	return fall;
}

/* How many times it fell by at least so much, and rose by as much in between. */
static size_t count_falls(const struct trend_point *points, size_t count, double least)
{
	double extreme = points[0].value;
	bool is_rising = true;
	size_t falls = 0;

	for (size_t i = 1; i < count; i++) {
		double value = points[i].value;

		if (is_rising ? value > extreme : value < extreme) {
			extreme = value;
		} else if (fabs(value - extreme) >= least) {
			falls += is_rising;
			is_rising = !is_rising;
			extreme = value;
		}
	}

	return falls;
}

/* The last point before it rose, where it had stood still until then; else the first one. */
static size_t find_begin(const struct trend_point *points, size_t count, double base)
{
	double last = points[count - 1].value;
	double grown = (count >= MANY_POINTS ? fmin(last, points[count - 2].value) : last) - base;
	double seconds = seconds_between(points[0].ts_ns, points[count - 1].ts_ns);
	size_t begin = 0;

	for (size_t i = 0; i < count; i++) {
		if (points[i].value < base + begun_part * grown) {
			begin = i;
		}
	}
	for (size_t i = 0; i < begin; i++) {
		if (points[i].value > base + still_part * grown) {
			return 0;
		}
	}

	return count - begin >= MANY_POINTS &&
					seconds_between(points[0].ts_ns, points[begin].ts_ns) >
							still_time * seconds
			? begin
			: 0;
}

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left;
	double b = *(const double *)right;

	return (a > b) - (a < b);
}

/*
 * The least of each window, where it was; a window without points has the level that held.
 * *ret_trough: by how much the second least is higher, in the middle of the windows: how far a
 * trough may be below the level that was read.
 */
static int find_minima(const struct trend_point *points, size_t count, int windows, int64_t from_ns,
		int64_t to_ns, struct trend_point *minima, double *ret_trough)
{
	double above[TREND_WINDOWS];
	size_t at = 0;

	for (int k = 0; k < windows; k++) {
		double part = (double)(to_ns - from_ns) / windows;
		int64_t end_ns = k + 1 == windows ? INT64_MAX : from_ns + (int64_t)(part * (k + 1));
		struct trend_point least = { .ts_ns = from_ns + (int64_t)(part * (k + 0.5)),
			.value = points[at > 0 ? at - 1 : 0].value };
		double second = INFINITY;
		bool is_found = false;

		for (; at < count && points[at].ts_ns < end_ns; at++) {
			if (!is_found || points[at].value < least.value) {
				second = is_found ? least.value : second;
				least = points[at];
				is_found = true;
			} else {
				second = fmin(second, points[at].value);
			}
		}
		above[k] = second - least.value;
		minima[k] = least;
	}

	qsort(above, (size_t)windows, sizeof(above[0]), compare_doubles);
	*ret_trough = above[windows / 2];
	return windows;
}

/* Of the test of Mann and Kendall: the variance of the number of rises less falls. */
static double variance_of(const struct trend_point *minima, int windows)
{
	double variance = windows * (windows - 1.0) * (2.0 * windows + 5);

	for (int i = 0; i < windows; i++) {
		int equal = 1;
		bool is_first = true;

		for (int j = 0; j < windows; j++) {
			if (j != i && minima[j].value == minima[i].value) {
				equal++;
				is_first = is_first && j > i;
			}
		}
		if (is_first) {
			variance -= equal * (equal - 1.0) * (2.0 * equal + 5);
		}
	}

	return variance / 18;
}

static void fit_line(const struct trend_point *minima, int windows, struct trend *trend)
{
	double slopes[PAIRS];
	double squares = 0;
	double middle = 0;
	double residuals[TREND_WINDOWS];
	double variance = variance_of(minima, windows);
	double spread = interval_z * sqrt(windows * (windows - 1.0) * (2.0 * windows + 5) / 18);
	int rises = 0;
	int pairs = 0;

	for (int i = 0; i < windows; i++) {
		for (int j = i + 1; j < windows; j++) {
			double change = minima[j].value - minima[i].value;

			rises += (change > 0) - (change < 0);
			slopes[pairs++] = change /
					fmax(1e-9,
							seconds_between(minima[i].ts_ns,
									minima[j].ts_ns));
		}
	}
	qsort(slopes, (size_t)pairs, sizeof(slopes[0]), compare_doubles);
	trend->z = variance > 0 ? (rises - (rises > 0) + (rises < 0)) / sqrt(variance) : 0;
	trend->rate = (slopes[(pairs - 1) / 2] + slopes[pairs / 2]) / 2;
	trend->rate_low = slopes[(int)fmax(0, floor((pairs - spread) / 2) - 1)];
	trend->rate_high = slopes[(int)fmin(pairs - 1, ceil((pairs + spread) / 2))];

	for (int i = 0; i < windows; i++) {
		residuals[i] = minima[i].value -
				trend->rate * seconds_between(minima[0].ts_ns, minima[i].ts_ns);
		middle += residuals[i] / windows;
	}
	for (int i = 0; i < windows; i++) {
		squares += (residuals[i] - middle) * (residuals[i] - middle);
	}
	trend->scatter = sqrt(squares / windows);
}

static double monotone_of(const struct trend_point *minima, int windows)
{
	double net = minima[windows - 1].value - minima[0].value;
	double falls = 0;

	for (int i = 1; i < windows; i++) {
		falls += fmax(0, minima[i - 1].value - minima[i].value);
	}

	return net > 0 ? net / (net + 2 * falls) : 0;
}

/* Seconds since the begin at which the floor was there, `value` or more for good. */
static double reached(const struct trend_point *floors, size_t count, double value)
{
	size_t i = 0;

	while (i + 1 < count && floors[i].value < value) {
		i++;
	}

	return seconds_between(floors[0].ts_ns, floors[i].ts_ns);
}

/* The floor at so many seconds since the begin. */
static double floor_at(const struct trend_point *floors, size_t count, double seconds)
{
	size_t i = 0;

	while (i + 1 < count && seconds_between(floors[0].ts_ns, floors[i + 1].ts_ns) <= seconds) {
		i++;
	}

	return floors[i].value;
}

/* `points` become their floors. */
static void read_shape(
		struct trend_point *points, size_t count, double seconds, struct trend *trend)
{
	double before;
	double last_third;

	if (count >= MANY_POINTS) {
		points[count - 1].value = fmin(points[count - 1].value, points[count - 2].value);
	}
	trend->fallen = largest_fall(points, count);
	for (size_t i = count - 1; i-- > 0;) {
		points[i].value = fmin(points[i].value, points[i + 1].value);
	}

	trend->base = points[0].value;
	trend->grown = points[count - 1].value - trend->base;
	if (trend->grown <= 0) {
		trend->grown = 0;
		trend->quiet_seconds = seconds;
		return;
	}

	before = reached(points, count, trend->base + begun_part * trend->grown);
	/* The last moment before it rose. */
	for (size_t i = 1; i < count; i++) {
		if (seconds_between(points[0].ts_ns, points[i].ts_ns) >= before) {
			trend->begin_seconds =
					seconds_between(points[0].ts_ns, points[i - 1].ts_ns);
			break;
		}
	}
	for (int tenth = 1; tenth <= TENTHS; tenth++) {
		double share = tenth == TENTHS ? 0.98 : (double)tenth / TENTHS;
		double at = reached(points, count, trend->base + share * trend->grown);

		trend->pause_seconds = fmax(trend->pause_seconds, at - before);
		if (tenth <= EARLY_TENTHS) {
			trend->early_pause_seconds = trend->pause_seconds;
		}
		before = at;
	}
	trend->grow_seconds = before - trend->begin_seconds;
	trend->quiet_seconds = seconds - before;
	last_third = trend->begin_seconds + (seconds - trend->begin_seconds) * 2 / 3;
	trend->late_share = (points[count - 1].value - floor_at(points, count, last_third)) /
			(trend->grown / 3);
}

void trend_fit(struct trend_point *points, size_t count, int64_t from_ns, int64_t to_ns,
		struct trend *ret_trend)
{
	struct trend_point minima[TREND_WINDOWS];
	struct trend trend = { 0 };
	double least;
	double range;
	size_t falls = 0;
	size_t begin = 0;
	bool swings;
	double fallen = 0;

	trend.points = count > 0 ? cut_points(points, count, from_ns, to_ns) : 0;
	trend.seconds = seconds_between(from_ns, to_ns);
	*ret_trend = trend;
	if (trend.points < LEAST_POINTS || trend.seconds <= 0) {
		return;
	}

	trend.first = points[0].value;
	trend.last = points[trend.points - 1].value;
	least = trend.first;
	range = trend.first;
	for (size_t i = 1; i < trend.points; i++) {
		least = fmin(least, points[i].value);
		range = fmax(range, points[i].value);
	}
	range -= least;
	trend.base = least;

	trend.swing = largest_fall(points, trend.points);
	if (trend.swing > swing_range * range) {
		falls = count_falls(points, trend.points, swing_part * trend.swing);
		trend.swing_seconds = falls > 0 ? trend.seconds / (double)falls : 0;
	}
	swings = falls > 1;
	if (!swings) {
		begin = find_begin(points, trend.points, least);
	}
	trend.windows = TREND_WINDOWS;
	if ((size_t)trend.windows > trend.points) {
		trend.windows = (int)trend.points;
	}
	if (swings && falls < (size_t)trend.windows) {
		trend.windows = (int)falls;
	}

	if (trend.windows >= LEAST_WINDOWS) {
		(void)find_minima(points + begin, trend.points - begin, trend.windows,
				begin > 0 ? points[begin].ts_ns : from_ns, to_ns, minima,
				&trend.trough);
		fit_line(minima, trend.windows, &trend);
		/* Windows of one level say nothing of it. */
		trend.trough = isfinite(trend.trough) ? trend.trough : trend.swing;
		/* Few levels of each swing: which part of it they are of drifts from one to the
		 * next. */
		if (swings && trend.points < FEW_OF_SWING * falls) {
			trend.trough = fmax(trend.trough,
					2 * trend.swing * (double)falls / (double)trend.points);
		}
		trend.monotone = monotone_of(minima, trend.windows);
		fallen = largest_fall(minima, (size_t)trend.windows);
		trend.power = fmax(0, trend.rate_high) +
				(power_scatter * trend.scatter + (swings ? 2 * trend.trough : 0)) /
						trend.seconds;
	} else {
		trend.power = 2 * range / trend.seconds;
	}
	if (swings && trend.windows >= LEAST_WINDOWS) {
		read_shape(minima, (size_t)trend.windows, seconds_between(minima[0].ts_ns, to_ns),
				&trend);
	} else {
		read_shape(points, trend.points, seconds_between(points[0].ts_ns, to_ns), &trend);
	}

	/* What stands out for less than a window is none. */
	trend.fallen = trend.windows >= LEAST_WINDOWS ? fallen : trend.fallen;
	*ret_trend = trend;
}
