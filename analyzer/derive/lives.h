/*
 * SPDX-License-Identifier: MIT
 *
 * How long carriers live, as bounds: they have no name in the events.
 *
 * Of the multi-block carriers of one size in a runtime, or of the single-block
 * carriers of one instance, any could be the one that ends.  The youngest gives
 * the least possible life, the oldest since there was none the greatest.
 */
#ifndef CSC_LIVES_H
#define CSC_LIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "diag.h"
#include "numbering.h"

/* Carriers that cannot be distinguished.  All zeroes: none seen. */
struct life_group {
	int64_t creates;
	int64_t destroys;
	int64_t unmatched_destroys;
	int64_t alive;

	/* When `alive` last rose from 0, and the latest create. */
	int64_t oldest_ns;
	int64_t youngest_ns;

	/* Sum of the lives so far, and up to when; stops at INT64_MAX. */
	int64_t carrier_ns;
	int64_t counted_to_ns;

	/* There may be carriers older than the recording. */
	bool is_open;
};

/* log2 of a life in ns, from -1 (0 ns) to 62; LIFE_UNKNOWN: no bound. */
enum {
	LIFE_BUCKETS = 65,
	LIFE_UNKNOWN = 63,
};

struct life_histogram {
	/* Index: log2 + 1. */
	int64_t at_least[LIFE_BUCKETS];
	int64_t at_most[LIFE_BUCKETS];
};

void life_create(struct life_group *group, int64_t ts_ns);

/*
 * Ends one carrier, at a time in [since_ns, ts_ns].  Yields false when no
 * create is left to match, which counts as unmatched.
 */
bool life_end(struct life_group *group, int64_t since_ns, int64_t ts_ns,
		struct life_histogram *histogram);

/* Counts the lives of those alive up to the end of the source. */
void life_close(struct life_group *group, int64_t end_ns);

#endif
