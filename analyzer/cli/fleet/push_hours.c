/*
 * SPDX-License-Identifier: MIT
 *
 * Bounds that are the figures themselves are left out: see tables.sql.
 */
#include "push_hours.h"

#include <string.h>

enum { HOUR_SECONDS = 3600, MINUTE_SECONDS = 60, LIKELY_AND_BOUNDS = 3 };

bool push_hour_add(struct push_hour *hour, int64_t ts, const int64_t figures[POINT_FIGURES])
{
	int64_t begin = ts - ts % HOUR_SECONDS;

	if (hour->count > 0 && (hour->begin != begin || hour->count == HOUR_MINUTES)) {
		return false;
	}
	hour->begin = begin;
	hour->minutes[hour->count] = ts % HOUR_SECONDS / MINUTE_SECONDS;
	for (int i = 0; i < POINT_FIGURES; i++) {
		hour->figures[i][hour->count] = figures[i];
	}
	hour->count++;
	return true;
}

/* Whether each bound is the figure itself. */
static bool is_exact(const struct push_hour *hour)
{
	for (int i = 0; i < POINT_FIGURES; i++) {
		if (memcmp(hour->figures[i], hour->figures[i - i % LIKELY_AND_BOUNDS],
				    hour->count * sizeof(hour->figures[i][0])) != 0) {
			return false;
		}
	}
	return true;
}

/* One behind the other: likely figures, or the others. */
static void put_figures(const struct push_hour *hour, bool are_bounds, struct row_text *text)
{
	int64_t numbers[POINT_FIGURES * HOUR_MINUTES];
	size_t count = 0;

	for (int i = 0; i < POINT_FIGURES; i++) {
		if ((i % LIKELY_AND_BOUNDS > 0) == are_bounds) {
			memcpy(numbers + count, hour->figures[i], hour->count * sizeof(numbers[0]));
			count += hour->count;
		}
	}
	row_array(text, numbers, count, sizeof(numbers[0]));
}

void push_hour_end(struct push_hour *hour, struct row_text *text)
{
	if (hour->count == 0) {
		return;
	}
	row_number(text, (uint64_t)hour->begin, 4);
	row_array(text, hour->minutes, hour->count, 1);
	put_figures(hour, false, text);
	if (is_exact(hour)) {
		row_array(text, NULL, 0, sizeof(hour->figures[0][0]));
	} else {
		put_figures(hour, true, text);
	}
	row_end(text);
	hour->count = 0;
}
