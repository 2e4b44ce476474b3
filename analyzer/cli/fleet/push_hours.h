/*
 * SPDX-License-Identifier: MIT
 *
 * Minutes of an allocator, an hour a row: the columns of alloc_minutes from `hour` on.
 */
#ifndef CSC_PUSH_HOURS_H
#define CSC_PUSH_HOURS_H

#include <stdbool.h>
#include <stdint.h>

#include "row_text.h"

/* Carriers, blocks, pool: likely, at least and at most. */
enum { POINT_FIGURES = 9, HOUR_MINUTES = 60 };

/* A figure that is not known. */
enum { POINT_UNKNOWN = -1 };

/* All zeroes is an hour without minutes. */
struct push_hour {
	/* Seconds since 1970. */
	int64_t begin;
	unsigned int count;
	int64_t minutes[HOUR_MINUTES];
	int64_t figures[POINT_FIGURES][HOUR_MINUTES];
};

/*
 * Adds the minute that a time (seconds since 1970) lies in; times rise.  False: it is of another
 * hour, and nothing was added.
 */
bool push_hour_add(struct push_hour *hour, int64_t ts, const int64_t figures[POINT_FIGURES]);

/* Writes it, unless it has no minutes, and ends the row; it has none then. */
void push_hour_end(struct push_hour *hour, struct row_text *text);

#endif
