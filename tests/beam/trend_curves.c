/*
 * SPDX-License-Identifier: MIT
 *
 * trend_curves: curves, and what analyzer/judge/trend.c makes of them, as terms of Erlang that
 * beam_trend.erl compares with what carrierscope_trend.erl does.
 */
#include <stdio.h>

#include "trend.h"
#include "xorshift.h"

enum { CURVES = 3000, MOST_POINTS = 60 };

static double part(uint64_t *seed, double most)
{
	return (double)(next_random(seed) % 1000000) / 1e6 * most;
}

/* Slopes, swings, noise and steps of their own; some values are equal. */
static size_t make_curve(uint64_t *seed, struct trend_point *points)
{
	size_t count = 1 + next_random(seed) % MOST_POINTS;
	double slope = next_random(seed) % 3 ? part(seed, 2e6) - 5e5 : 0;
	double noise = next_random(seed) % 3 ? part(seed, 4e6) : 0;
	double swing = next_random(seed) % 3 ? 0 : part(seed, 8e7);
	double period = 2 + part(seed, 10);
	double unit = next_random(seed) % 3 ? 1 : 1e6;
	double end = next_random(seed) % 3 ? 1e9 : part(seed, 60);
	double begin = next_random(seed) % 3 ? 0 : part(seed, 30);
	int64_t ts_ns = 0;

	for (size_t i = 0; i < count; i++) {
		double seconds = (double)ts_ns / 1e9;
		double phase = seconds / period;
		double grown = (seconds < end ? seconds : end) - begin;
		double value = 2e8 + slope * (grown > 0 ? grown : 0) + part(seed, noise) +
				swing * (phase - (double)(int64_t)phase);

		points[i].ts_ns = ts_ns;
		points[i].value = (double)(int64_t)(value / unit) * unit;
		ts_ns += 700000000 + (int64_t)(next_random(seed) % 600000000);
	}

	return count;
}

int main(void)
{
	struct trend_point points[MOST_POINTS];
	uint64_t seed = UINT64_C(0x2545f4914f6cdd1d);

	for (int i = 0; i < CURVES; i++) {
		size_t count = make_curve(&seed, points);
		struct trend t;

		(void)printf("{[");
		for (size_t k = 0; k < count; k++) {
			(void)printf("%s{%.9f,%.1f}", k ? "," : "", (double)points[k].ts_ns / 1e9,
					points[k].value);
		}
		trend_fit(points, count, points[0].ts_ns, points[count - 1].ts_ns, &t);
		(void)printf("],#{points=>%zu,windows=>%d,first=>%.17e,last=>%.17e,z=>%.17e,rate_low=>%.17e,"
			     "rate=>%.17e,rate_high=>%.17e,scatter=>%.17e,monotone=>%.17e,base=>%.17e,"
			     "grown=>%.17e,fallen=>%.17e,swing=>%.17e,swing_seconds=>%.17e,trough=>%.17e,"
			     "begin_seconds=>%.17e,grow_seconds=>%.17e,pause_seconds=>%.17e,"
			     "early_pause_seconds=>%.17e,quiet_seconds=>%.17e,late_share=>%.17e,"
			     "power=>%.17e}}.\n",
				t.points, t.windows, t.first, t.last, t.z, t.rate_low, t.rate,
				t.rate_high, t.scatter, t.monotone, t.base, t.grown, t.fallen,
				t.swing, t.swing_seconds, t.trough, t.begin_seconds, t.grow_seconds,
				t.pause_seconds, t.early_pause_seconds, t.quiet_seconds,
				t.late_share, t.power);
	}

	return 0;
}
