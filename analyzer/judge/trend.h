/*
 * SPDX-License-Identifier: MIT
 *
 * Does a curve rise?  Statistics of one curve of levels, by order and not by size, so that a jump
 * or a swing does not pass for growth, and nothing is compared with how large a node is.
 *
 * The recording is cut into windows, of each the least counts.  Windows are at least as long as a
 * swing, so that each has a trough.  What stood still at first and rose later is cut from where it
 * began.  On these minima:
 *
 *   z               of the test of Mann and Kendall (with its correction for ties): how unlikely it
 *                   is that minima without a trend are in this order
 *   rate            the median of the slopes of all pairs (Theil and Sen), and the interval that
 *                   has it with 95 % by the same test (Sen)
 *   scatter         root mean square of what the line leaves
 *
 * How growth went on is read from the floor: of a moment the least from then to the end.
 */
#ifndef CSC_TREND_H
#define CSC_TREND_H

#include <stddef.h>
#include <stdint.h>

enum { TREND_WINDOWS = 8 };

/* A level that holds until the next one. */
struct trend_point {
	int64_t ts_ns;
	double value;
};

/* Values are in the unit of the curve, rates in that unit a second, times in seconds. */
struct trend {
	/* Points that count; below 3 the rest is 0. */
	size_t points;

	/* Windows that were compared; below 4 no test is of use. */
	int windows;
	double seconds;
	double first;
	double last;
	double base;

	/* z of Mann and Kendall; the rate with its interval; what the line leaves. */
	double z;
	double rate_low;
	double rate;
	double rate_high;
	double scatter;

	/* Rise of the minima against the sum of their rises and twice their falls: 1, they never
	 * fall. */
	double monotone;

	/* How far the floor rose; the most that the minima fell from an earlier one. */
	double grown;
	double fallen;

	/* The most that the curve itself fell, and the time from one such fall to the next; 0:
	 * none. */
	double swing;
	double swing_seconds;

	/* How far below what was read a trough may be: where a load swings. */
	double trough;

	/* Since the begin: when the growth began; how long it took; the longest pause in it, by
	 * tenths of the growth; how long it has stood still; growth of the last third against the
	 * average. */
	double begin_seconds;
	double grow_seconds;
	double pause_seconds;

	/* The same of its first seven tenths: what fills up pauses at its end. */
	double early_pause_seconds;
	double quiet_seconds;
	double late_share;

	/* The largest rate that could have been there and not been seen. */
	double power;
};

/*
 * `points` in the order of time; those before `from_ns` say what held then, those after `to_ns` do
 * not count.  Overwrites the points.
 */
void trend_fit(struct trend_point *points, size_t count, int64_t from_ns, int64_t to_ns,
		struct trend *ret_trend);

#endif
