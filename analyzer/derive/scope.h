/*
 * SPDX-License-Identifier: MIT
 *
 * Running sums over a scope: one allocator instance, one allocator of one
 * runtime, one runtime, or the whole source.  Each is kept twice: over all time
 * (scope_total) and by buckets of time (scope_bucket).
 */
#ifndef CSC_SCOPE_H
#define CSC_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "rows.h"

enum scope_kind {
	SCOPE_INSTANCE,
	SCOPE_ALLOCATOR,
	SCOPE_RUNTIME,
	SCOPE_SOURCE,
};

/* Counts and bytes of events, in the order of the columns of scope_total. */
enum flow {
	FLOW_MBC_CREATE,
	FLOW_SBC_CREATE,
	FLOW_OWNED_DESTROY,
	FLOW_POOLED_DESTROY,
	FLOW_PUT,
	FLOW_GET,
	FLOW_FETCH,
	FLOW_MISS,
	FLOWS,
};

struct flows {
	int64_t count[FLOWS];

	/* Of FLOW_GET: bytes asked for.  Of FLOW_MISS: always 0. */
	int64_t bytes[FLOWS];
};

/* A fraction that was the least so far; `carriers_bytes` 0: none yet. */
struct least_utilisation {
	int64_t blocks_bytes;
	int64_t carriers_bytes;
	int64_t ts_ns;
};

struct scope {
	enum scope_kind kind;

	/* Number within its kind. */
	int32_t number;

	struct flows total;

	/* Sums over its instances of the counters last recorded. */
	int64_t now[CARRIER_COUNTERS];
	int64_t first_stat_ns;
	int64_t last_stat_ns;
	bool has_stat;

	int64_t max_carriers_bytes;
	int64_t max_carriers_ns;
	int64_t blocks_at_max_bytes;
	int64_t max_blocks_bytes;
	int64_t max_blocks_ns;
	struct least_utilisation least;
	struct least_utilisation least_of_two;

	/* Integrals over the time with multi-block carriers, from the first stat on. */
	double utilisation_ns;
	int64_t weighted_ns;
	unsigned __int128 blocks_byte_ns;
	unsigned __int128 carriers_byte_ns;

	/* SCOPE_RUNTIME and SCOPE_SOURCE: see pool.h. */
	int64_t pooled_carriers;
	int64_t pooled_bytes;

	/* Index in the history of its row for the open bucket; -1: none. */
	int64_t open_row;
};

/* One row of scope_bucket. */
struct scope_bucket {
	/* Borrowed: whose row it is. */
	struct scope *scope;
	int64_t bucket;
	struct flows flows;
	int64_t last[CARRIER_COUNTERS];
	int64_t max_carriers_bytes;
	int64_t pooled_carriers;
	int64_t pooled_bytes;
};

/* More buckets, or more rows, and the buckets become twice as wide. */
enum {
	SCOPE_MAX_BUCKETS = 1024,
	SCOPE_MAX_ROWS = 32768,
};

/* The buckets of all scopes of a source.  All zeroes is an empty one. */
struct scope_history {
	bool has_origin;
	int64_t origin_ns;

	/* Some sum of bytes went beyond 63 bits, which only damaged values can bring about. */
	bool has_overflowed;

	/* A bucket is 2^shift ns wide. */
	unsigned int shift;
	int64_t open_bucket;

	/* In the order of bucket; within the open one, of first speech. */
	struct scope_bucket *rows;
	size_t row_count;
	size_t row_capacity;
};

/*
 * Opens the bucket that `ts_ns` lies in, closing the one before.  `scopes` are
 * all scopes there are, since closing touches what they remember of their rows.
 */
void scope_history_advance(struct scope_history *history, int64_t ts_ns,
		struct scope *const *scopes, size_t scope_count);

/* What one event does to a scope. */
struct scope_change {
	int64_t ts_ns;
	const struct flows *flows;

	/* Bit i: flow i is not zero.  0 stands for "any may be". */
	unsigned int flow_mask;

	/* Change of the counters; NULL: the event has none. */
	const int64_t *counter;
	int64_t pooled_carriers;
	int64_t pooled_bytes;
};

/* Applies an event to a scope, and to its row of the open bucket. */
enum csc_status scope_apply(struct scope *scope, struct scope_history *history,
		const struct scope_change *change, struct diag *diag);

/* Extends the integrals to the end of the source. */
void scope_close(struct scope *scope, int64_t end_ns);

void scope_history_finish(struct scope_history *history);

#endif
