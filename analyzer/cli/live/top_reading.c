/*
 * SPDX-License-Identifier: MIT
 */
#include "top_reading.h"

#include <stdlib.h>
#include <string.h>

/* Of a minute, one in a second and some. */
enum { READINGS = 64 };
static const int64_t MINUTE_NS = INT64_C(60000000000);

struct top_history {
	struct top_reading readings[READINGS];
	size_t count;
};

struct top_history *top_history_create(void)
{
	return calloc(1, sizeof(struct top_history));
}

void top_reading_sum(struct top_reading *reading)
{
	reading->total = (struct top_allocator){ .name = "all", .growth = TOP_UNKNOWN };
	for (size_t i = 0; i < reading->allocator_count; i++) {
		const struct top_allocator *one = &reading->allocators[i];

		reading->total.carriers += one->carriers;
		reading->total.blocks += one->blocks;
		reading->total.pool += one->pool;
	}
}

static int64_t grown(int64_t now, int64_t before)
{
	return now == TOP_UNKNOWN || before == TOP_UNKNOWN ? TOP_UNKNOWN : now - before;
}

static void compare_allocators(struct top_reading *now, const struct top_reading *before)
{
	now->total.growth = grown(now->total.carriers, before->total.carriers);
	for (size_t i = 0; i < now->allocator_count; i++) {
		struct top_allocator *one = &now->allocators[i];

		for (size_t j = 0; j < before->allocator_count; j++) {
			if (strcmp(one->name, before->allocators[j].name) == 0) {
				one->growth = grown(one->carriers, before->allocators[j].carriers);
			}
		}
	}
}

static const struct top_holder *find_holder(
		const struct top_reading *reading, const struct top_holder *wanted)
{
	for (size_t i = 0; i < reading->holder_count; i++) {
		const struct top_holder *one = &reading->holders[i];

		if (strcmp(one->id, wanted->id) == 0 && strcmp(one->kind, wanted->kind) == 0) {
			return one;
		}
	}

	return NULL;
}

/* One that was not among the largest before has grown by an unknown amount. */
static void compare_holders(struct top_reading *now, const struct top_reading *before)
{
	for (size_t i = 0; i < now->holder_count; i++) {
		struct top_holder *one = &now->holders[i];
		const struct top_holder *other = find_holder(before, one);

		if (other) {
			one->growth = grown(
					one->bytes + one->binaries, other->bytes + other->binaries);
		}
	}
}

/* Its level at readings that are evenly spread over those that are kept, then the latest. */
static void read_levels(const struct top_history *history, struct top_holder *one)
{
	size_t count = history->count < TOP_LEVELS - 1 ? history->count : TOP_LEVELS - 1;

	one->level_count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct top_holder *then =
				find_holder(&history->readings[i * history->count / count], one);

		if (then) {
			one->levels[one->level_count++] = then->bytes + then->binaries;
		}
	}
	one->levels[one->level_count++] = one->bytes + one->binaries;
}

void top_history_clear(struct top_history *history)
{
	history->count = 0;
}

void top_history_add(struct top_history *history, struct top_reading *reading)
{
	size_t old = 0;

	/* One reading at least is kept: where they are rare it is older than a minute. */
	while (old + 1 < history->count &&
			(reading->ts_ns - history->readings[old].ts_ns > MINUTE_NS ||
					history->count - old >= READINGS)) {
		old++;
	}
	if (old > 0) {
		history->count -= old;
		memmove(history->readings, history->readings + old,
				history->count * sizeof(*history->readings));
	}
	reading->growth_ns = 0;
	if (history->count > 0 && reading->ts_ns > history->readings[0].ts_ns) {
		reading->growth_ns = reading->ts_ns - history->readings[0].ts_ns;
		compare_allocators(reading, &history->readings[0]);
		compare_holders(reading, &history->readings[0]);
	}
	for (size_t i = 0; i < reading->holder_count; i++) {
		read_levels(history, &reading->holders[i]);
	}
	history->readings[history->count++] = *reading;
}

/* What an allocator is sorted by, larger first. */
static double rank_of(const struct top_allocator *one, enum top_key key)
{
	switch (key) {
	case TOP_BY_BLOCKS:
		return (double)one->blocks;
	case TOP_BY_USE:
		return one->carriers > 0 ? -(double)one->blocks / (double)one->carriers : -2;
	case TOP_BY_POOL:
		return (double)one->pool;
	case TOP_BY_GROWTH:
		return (double)one->growth;
	default:
		return (double)one->carriers;
	}
}

/* qsort() hands over no key. */
static enum top_key sorted_by;

static int compare_two(const void *first, const void *second)
{
	const struct top_allocator *a = first;
	const struct top_allocator *b = second;
	double left = rank_of(a, sorted_by);
	double right = rank_of(b, sorted_by);

	return sorted_by == TOP_BY_NAME || left == right ? strcmp(a->name, b->name)
							 : (left < right) - (left > right);
}

static int compare_two_holders(const void *first, const void *second)
{
	const struct top_holder *a = first;
	const struct top_holder *b = second;
	int64_t left = a->bytes + a->binaries;
	int64_t right = b->bytes + b->binaries;

	return left == right ? strcmp(a->id, b->id) : (left < right) - (left > right);
}

void top_reading_sort(struct top_reading *reading, enum top_key key)
{
	sorted_by = key;
	qsort(reading->allocators, reading->allocator_count, sizeof(*reading->allocators),
			compare_two);
	qsort(reading->holders, reading->holder_count, sizeof(*reading->holders),
			compare_two_holders);
}

size_t top_reading_growers(const struct top_reading *reading, size_t most,
		size_t ret_places[static TOP_HOLDERS])
{
	size_t count = 0;

	for (size_t i = 0; i < reading->holder_count; i++) {
		const struct top_holder *one = &reading->holders[i];
		size_t at = count;

		/* TOP_UNKNOWN is less than any number. */
		if (one->growth <= 0) {
			continue;
		}
		for (; at > 0 && reading->holders[ret_places[at - 1]].growth < one->growth; at--) {
			ret_places[at] = ret_places[at - 1];
		}
		ret_places[at] = i;
		count++;
	}

	return count < most ? count : most;
}
