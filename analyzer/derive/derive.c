/*
 * SPDX-License-Identifier: MIT
 *
 * The rules, one instance at a time.
 */
#include "derive.h"

#include <assert.h>
#include <string.h>

/*
 * A carrier below 512 KiB, the default single-block threshold, or of a power
 * of two, as segments for many blocks are, is more likely a multi-block one.
 */
static bool looks_multi_block(int64_t size)
{
	return size < INT64_C(524288) || (size & (size - 1)) == 0;
}

static int64_t max_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* The instance's first create or destroy: is it its first carrier? */
static bool is_first_carrier(const struct derive *derive, const struct carrier_row *row)
{
	const int64_t *now = row->counter;

	if (row->kind != CARRIER_EVENT_carrier_create || derive->puts || derive->fetched) {
		return false;
	}

	return (now[MBC_CARRIERS] == 1 && now[MBC_CARRIERS_SIZE] == row->size &&
			       now[SBC_CARRIERS] == 0) ||
			(now[MBC_CARRIERS] == 0 && now[SBC_CARRIERS] == 1 &&
					now[SBC_CARRIERS_SIZE] == row->size);
}

/* Counters of an instance that was there before the recording: they become the base. */
static void take_base(struct derive *derive, const struct carrier_row *row, struct derivation *out)
{
	const int64_t *now = row->counter;
	int64_t mbc_carriers = 0;
	int64_t sbc_carriers = 0;

	if (row->kind == CARRIER_EVENT_carrier_create) {
		bool is_multi = looks_multi_block(row->size) || now[SBC_CARRIERS] == 0;

		out->class = is_multi ? CLASS_MULTI_BLOCK : CLASS_SINGLE_BLOCK;
		mbc_carriers = is_multi;
		sbc_carriers = !is_multi;
		if (derive->is_pending) {
			out->misses = is_multi;
			out->fetches = !is_multi;
		}
	} else {
		out->class = CLASS_OWNED;
		mbc_carriers = -1;
	}

	out->is_exact = false;
	out->ledger[LEDGER_BASE_MBC].carriers = now[MBC_CARRIERS] - mbc_carriers + derive->puts;
	out->ledger[LEDGER_BASE_MBC].bytes =
			now[MBC_CARRIERS_SIZE] - mbc_carriers * row->size + derive->put_bytes;
	out->ledger[LEDGER_BASE_SBC].carriers = now[SBC_CARRIERS] - sbc_carriers;
	out->ledger[LEDGER_BASE_SBC].bytes = now[SBC_CARRIERS_SIZE] - sbc_carriers * row->size;
}

/*
 * A create that follows an attempt to fetch.  Either the attempt failed and
 * this is a carrier for many blocks, or it succeeded and the next event happens
 * to be the create of a single-block carrier.
 */
static bool classify_after_attempt(struct derive *derive, const struct carrier_row *row,
		int64_t carriers, int64_t bytes, struct derivation *out)
{
	const int64_t *now = row->counter;
	const int64_t *then = derive->counter;
	bool missed = carriers == derive->fetched + 1 && bytes >= row->size &&
			(derive->fetched > 0 || bytes == row->size) &&
			now[SBC_CARRIERS] <= then[SBC_CARRIERS];
	bool fetched = carriers == derive->fetched + 1 && bytes > 0 && now[SBC_CARRIERS] >= 1 &&
			now[SBC_CARRIERS_SIZE] >= row->size &&
			now[SBC_CARRIERS] <= then[SBC_CARRIERS] + 1;
	bool is_consistent = missed || fetched;

	if (missed && fetched) {
		derive->ambiguous_creates++;
		out->is_exact = false;
		missed = looks_multi_block(row->size);
	} else if (!is_consistent) {
		missed = true;
	}

	if (missed) {
		out->class = CLASS_MULTI_BLOCK;
		out->misses = 1;
	} else {
		out->class = CLASS_SINGLE_BLOCK;
		out->fetches = 1;
		derive->fetched++;
	}

	return is_consistent;
}

/* What the multi-block counters show beyond the event itself. */
static bool reconcile_mbc(const struct derive *derive, const struct carrier_row *row,
		int64_t carriers, int64_t bytes, struct derivation *out)
{
	int64_t recorded = out->class == CLASS_MULTI_BLOCK ? 1 : out->class == CLASS_OWNED ? -1 : 0;
	int64_t silent_carriers = carriers - recorded;
	int64_t silent_bytes = bytes - recorded * row->size;
	bool is_consistent = silent_carriers == derive->fetched && silent_bytes >= 0 &&
			(silent_bytes == 0) == (derive->fetched == 0);
	enum ledger_kind kind = is_consistent ? LEDGER_POOL_FETCH : LEDGER_UNEXPLAINED_MBC;

	out->fetch_bytes = silent_bytes;
	out->ledger[kind].carriers = silent_carriers;
	out->ledger[kind].bytes = silent_bytes;
	return (silent_bytes >= 0) && (silent_bytes == 0) == (derive->fetched == 0);
}

/* What the single-block counters show beyond the event itself. */
static void reconcile_sbc(
		struct derive *derive, const struct carrier_row *row, struct derivation *out)
{
	int64_t recorded = out->class == CLASS_SINGLE_BLOCK;
	int64_t carriers = row->counter[SBC_CARRIERS] - derive->counter[SBC_CARRIERS] - recorded;
	int64_t bytes = row->counter[SBC_CARRIERS_SIZE] - derive->counter[SBC_CARRIERS_SIZE] -
			recorded * row->size;
	enum ledger_kind kind = carriers < 0 ? LEDGER_SBC_FREE
			: carriers == 0	     ? LEDGER_SBC_RESIZE
					     : LEDGER_UNEXPLAINED_SBC;

	out->ledger[kind].carriers = carriers;
	out->ledger[kind].bytes = bytes;
	derive->sbc_silent_frees += max_of(0, -carriers);
}

/* A create or destroy of an instance whose counters are known. */
static void take_counters(
		struct derive *derive, const struct carrier_row *row, struct derivation *out)
{
	int64_t carriers =
			row->counter[MBC_CARRIERS] - derive->counter[MBC_CARRIERS] + derive->puts;
	int64_t bytes = row->counter[MBC_CARRIERS_SIZE] - derive->counter[MBC_CARRIERS_SIZE] +
			derive->put_bytes;
	bool is_consistent;

	if (row->kind == CARRIER_EVENT_carrier_destroy) {
		out->class = carriers == derive->fetched - 1 ? CLASS_OWNED : CLASS_POOLED;
		is_consistent = carriers == derive->fetched || carriers == derive->fetched - 1;
	} else if (derive->is_pending) {
		is_consistent = classify_after_attempt(derive, row, carriers, bytes, out);
	} else {
		out->class = carriers == derive->fetched + 1 ? CLASS_MULTI_BLOCK
							     : CLASS_SINGLE_BLOCK;
		is_consistent = carriers == derive->fetched || carriers == derive->fetched + 1;
	}

	derive->inconsistent += !is_consistent;
	out->is_exact = out->is_exact && is_consistent;
	if (!reconcile_mbc(derive, row, carriers, bytes, out)) {
		derive->inconsistent++;
		out->is_exact = false;
	}

	reconcile_sbc(derive, row, out);
}

void derive_step(struct derive *derive, const struct carrier_row *row,
		struct derivation *ret_derivation)
{
	assert(row->kind >= 0 && row->kind < CARRIER_EVENT_COUNT);
	*ret_derivation = (struct derivation){ .class = -1, .is_exact = true };
	if (derive->is_pending && row->kind != CARRIER_EVENT_carrier_create) {
		derive->is_pending = false;
		derive->fetched++;
		ret_derivation->fetches = 1;
	}

	switch ((enum carrier_event_kind)row->kind) {
	case CARRIER_EVENT_carrier_pool_put:
		derive->puts++;
		derive->put_bytes += row->size;
		return;
	case CARRIER_EVENT_carrier_pool_get:
		derive->is_pending = true;
		return;
	case CARRIER_EVENT_carrier_create:
	case CARRIER_EVENT_carrier_destroy:
	case CARRIER_EVENT_COUNT:
		break;
	}

	if (!derive->is_based) {
		derive->is_based = true;
		derive->is_base_known = is_first_carrier(derive, row);
		if (derive->is_base_known) {
			take_counters(derive, row, ret_derivation);
		} else {
			take_base(derive, row, ret_derivation);
		}
	} else {
		take_counters(derive, row, ret_derivation);
	}

	memcpy(derive->counter, row->counter, sizeof(derive->counter));
	derive->counter_ts_ns = row->ts_ns;
	derive->puts = 0;
	derive->put_bytes = 0;
	derive->fetched = 0;
	derive->is_pending = false;
}

int64_t derive_owned_carriers(const struct derive *derive)
{
	return derive->counter[MBC_CARRIERS] - derive->puts + derive->fetched + derive->is_pending;
}
