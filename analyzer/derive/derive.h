/*
 * SPDX-License-Identifier: MIT
 *
 * What the events of one allocator instance leave out, derived from its
 * counters: whether a created carrier is for one block or many, whether an
 * attempt to fetch from the pool succeeded, whether a destroyed carrier was
 * owned or lay in the pool, and which changes were silent.
 *
 * Source: the definitions of the recorded cases ("derived"), which
 *         agree with the counters of running nodes of OTP 24.0-rc0.
 */
#ifndef CSC_DERIVE_H
#define CSC_DERIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "rows.h"

/* The state of one instance between two of its events.  All zeroes is "nothing seen". */
struct derive {
	/* Counters of its last create or destroy. */
	int64_t counter[CARRIER_COUNTERS];
	int64_t counter_ts_ns;

	/* Since then: puts, their bytes, and attempts known to have succeeded. */
	int64_t puts;
	int64_t put_bytes;
	int64_t fetched;

	/* Its latest event is a pool_get, whose outcome the next event shows. */
	bool is_pending;

	/* Whether any create or destroy was seen, and if the first was its first carrier. */
	bool is_based;
	bool is_base_known;

	/* Over all its events. */
	int64_t ambiguous_creates;
	int64_t inconsistent;
	int64_t sbc_silent_frees;
};

/* What one event brought to light. */
struct derivation {
	/* enum carrier_class; -1 for a put or get. */
	int class;

	/* The counters prove the class; false: it is the likelier of two. */
	bool is_exact;

	/* Attempts whose outcome this event shows: 0 or 1 each. */
	int fetches;
	int misses;

	/* Bytes of the carriers fetched since the last counters; known here only. */
	int64_t fetch_bytes;

	/* Silent changes, signed, as rows of the ledger; unused ones are all zero. */
	struct {
		int64_t carriers;
		int64_t bytes;
	} ledger[LEDGER_KINDS];
};

/* Takes the next event of an instance; fills all of `ret_derivation`. */
void derive_step(struct derive *derive, const struct carrier_row *row,
		struct derivation *ret_derivation);

/* How many multi-block carriers the instance owns now: exact when nothing was lost. */
int64_t derive_owned_carriers(const struct derive *derive);

#endif
