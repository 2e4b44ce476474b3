/*
 * SPDX-License-Identifier: MIT
 *
 * Sums, extremes, integrals and buckets.
 */
#include "scope.h"

#include <stdlib.h>
#include <string.h>

#include "growing.h"

enum { FIRST_SHIFT = 16 };

static void add_flows(struct flows *sum, const struct flows *more)
{
	for (int i = 0; i < FLOWS; i++) {
		sum->count[i] += more->count[i];
		sum->bytes[i] += more->bytes[i];
	}
}

/* a / b < c / d for values that are not negative, exactly. */
static bool is_less(int64_t a, int64_t b, int64_t c, int64_t d)
{
	return (__int128)a * d < (__int128)c * b;
}

static void note_least(struct least_utilisation *least, const struct scope *scope, int64_t ts_ns)
{
	int64_t blocks_bytes = scope->now[MBC_BLOCKS_SIZE];
	int64_t carriers_bytes = scope->now[MBC_CARRIERS_SIZE];

	if (least->carriers_bytes == 0 ||
			is_less(blocks_bytes, carriers_bytes, least->blocks_bytes,
					least->carriers_bytes)) {
		*least = (struct least_utilisation){ blocks_bytes, carriers_bytes, ts_ns };
	}
}

/* Adds the time since the last counters, at the values they had. */
static void integrate(struct scope *scope, int64_t ts_ns)
{
	int64_t span_ns = ts_ns - scope->last_stat_ns;
	int64_t blocks_bytes = scope->now[MBC_BLOCKS_SIZE];
	int64_t carriers_bytes = scope->now[MBC_CARRIERS_SIZE];

	if (!scope->has_stat || span_ns <= 0 || carriers_bytes <= 0) {
		return;
	}

	scope->utilisation_ns += (double)span_ns * ((double)blocks_bytes / (double)carriers_bytes);
	scope->weighted_ns += span_ns;
	scope->blocks_byte_ns += (unsigned __int128)span_ns * (uint64_t)blocks_bytes;
	scope->carriers_byte_ns += (unsigned __int128)span_ns * (uint64_t)carriers_bytes;
}

static void take_counters(struct scope *scope, const struct scope_change *change)
{
	bool is_first = !scope->has_stat;
	int64_t carriers_bytes;
	int64_t blocks_bytes;

	integrate(scope, change->ts_ns);
	for (int i = 0; i < CARRIER_COUNTERS; i++) {
		scope->now[i] += change->counter[i];
	}

	if (is_first) {
		scope->first_stat_ns = change->ts_ns;
		scope->has_stat = true;
	}

	scope->last_stat_ns = change->ts_ns;
	carriers_bytes = scope->now[MBC_CARRIERS_SIZE] + scope->now[SBC_CARRIERS_SIZE];
	blocks_bytes = scope->now[MBC_BLOCKS_SIZE] + scope->now[SBC_BLOCKS_SIZE];
	if (carriers_bytes > scope->max_carriers_bytes || is_first) {
		scope->max_carriers_bytes = carriers_bytes;
		scope->max_carriers_ns = change->ts_ns;
		scope->blocks_at_max_bytes = blocks_bytes;
	}

	if (blocks_bytes > scope->max_blocks_bytes || is_first) {
		scope->max_blocks_bytes = blocks_bytes;
		scope->max_blocks_ns = change->ts_ns;
	}

	if (scope->now[MBC_CARRIERS_SIZE] > 0) {
		note_least(&scope->least, scope, change->ts_ns);
		if (scope->now[MBC_CARRIERS] >= 2) {
			note_least(&scope->least_of_two, scope, change->ts_ns);
		}
	}
}

static struct scope_bucket *open_row(
		struct scope *scope, struct scope_history *history, struct diag *diag)
{
	struct scope_bucket *row;

	if (scope->open_row >= 0) {
		return &history->rows[scope->open_row];
	}

	if (!csc_grow(&history->rows, &history->row_capacity, history->row_count + 1,
			    sizeof(*row))) {
		(void)DIAG_NO_MEMORY(diag);
		return NULL;
	}

	row = &history->rows[history->row_count];
	*row = (struct scope_bucket){ .scope = scope, .bucket = history->open_bucket };
	scope->open_row = (int64_t)history->row_count++;
	return row;
}

enum csc_status scope_apply(struct scope *scope, struct scope_history *history,
		const struct scope_change *change, struct diag *diag)
{
	struct scope_bucket *row = open_row(scope, history, diag);
	int64_t carriers_bytes;

	if (!row) {
		return CSC_NO_MEMORY;
	}

	if (change->flow_mask == 0) {
		add_flows(&scope->total, change->flows);
		add_flows(&row->flows, change->flows);
	}

	/* An event changes one flow or two; this runs four times an event. */
	for (unsigned int mask = change->flow_mask; mask; mask &= mask - 1) {
		int flow = __builtin_ctz(mask);

		scope->total.count[flow] += change->flows->count[flow];
		history->has_overflowed |= __builtin_add_overflow(scope->total.bytes[flow],
				change->flows->bytes[flow], &scope->total.bytes[flow]);
		row->flows.count[flow] += change->flows->count[flow];
		row->flows.bytes[flow] += change->flows->bytes[flow];
	}

	if (change->counter) {
		take_counters(scope, change);
	}

	scope->pooled_carriers += change->pooled_carriers;
	scope->pooled_bytes += change->pooled_bytes;
	memcpy(row->last, scope->now, sizeof(row->last));
	row->pooled_carriers = scope->pooled_carriers;
	row->pooled_bytes = scope->pooled_bytes;
	carriers_bytes = scope->now[MBC_CARRIERS_SIZE] + scope->now[SBC_CARRIERS_SIZE];
	if (carriers_bytes > row->max_carriers_bytes) {
		row->max_carriers_bytes = carriers_bytes;
	}

	return CSC_OK;
}

/* Merges the rows of each pair of buckets; afterwards a bucket is twice as wide. */
static void widen(struct scope_history *history, struct scope *const *scopes, size_t scope_count)
{
	size_t kept = 0;

	for (size_t i = 0; i < scope_count; i++) {
		scopes[i]->open_row = -1;
	}

	history->shift++;
	history->open_bucket >>= 1;
	for (size_t i = 0; i < history->row_count; i++) {
		struct scope_bucket *row = &history->rows[i];
		struct scope *scope = row->scope;
		struct scope_bucket *earlier =
				scope->open_row >= 0 ? &history->rows[scope->open_row] : NULL;

		row->bucket >>= 1;
		if (earlier && earlier->bucket == row->bucket) {
			struct flows flows = earlier->flows;
			int64_t max_bytes = earlier->max_carriers_bytes;

			add_flows(&flows, &row->flows);
			*earlier = *row;
			earlier->flows = flows;
			if (max_bytes > earlier->max_carriers_bytes) {
				earlier->max_carriers_bytes = max_bytes;
			}
		} else {
			history->rows[kept] = *row;
			scope->open_row = (int64_t)kept++;
		}
	}

	history->row_count = kept;
	for (size_t i = 0; i < scope_count; i++) {
		struct scope *scope = scopes[i];

		if (scope->open_row >= 0 &&
				history->rows[scope->open_row].bucket != history->open_bucket) {
			scope->open_row = -1;
		}
	}
}

void scope_history_advance(struct scope_history *history, int64_t ts_ns,
		struct scope *const *scopes, size_t scope_count)
{
	int64_t bucket;

	if (!history->has_origin) {
		history->has_origin = true;
		history->origin_ns = ts_ns;
		history->shift = FIRST_SHIFT;
	}

	/* Time does not run back in a sorted source; if it does, the open bucket takes it. */
	bucket = ts_ns > history->origin_ns ? (ts_ns - history->origin_ns) >> history->shift : 0;
	if (bucket <= history->open_bucket) {
		return;
	}

	for (size_t i = 0; i < scope_count; i++) {
		scopes[i]->open_row = -1;
	}

	history->open_bucket = bucket;
	while (history->open_bucket >= SCOPE_MAX_BUCKETS || history->row_count >= SCOPE_MAX_ROWS) {
		/* Rows of one bucket cannot be merged further. */
		if (history->open_bucket == 0) {
			break;
		}
		widen(history, scopes, scope_count);
	}
}

void scope_close(struct scope *scope, int64_t end_ns)
{
	integrate(scope, end_ns);
}

void scope_history_finish(struct scope_history *history)
{
	free(history->rows);
	*history = (struct scope_history){ 0 };
}
