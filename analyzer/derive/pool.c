/*
 * SPDX-License-Identifier: MIT
 *
 * A multiset of the sizes in the pool.
 */
#include "pool.h"

#include <assert.h>
#include <stdlib.h>

#include "growing.h"

static int64_t not_negative(int64_t value)
{
	return value > 0 ? value : 0;
}

/* The carriers of one size; NULL when out of memory. */
static struct pool_size *borrow_size(struct pool *pool, int64_t size)
{
	int32_t number = numbering_find(&pool->by_size, size, 0, NULL);

	if (number < 0) {
		return NULL;
	}

	return csc_grow_zeroed(&pool->sizes, &pool->size_capacity, (size_t)number + 1,
			       sizeof(*pool->sizes))
			? &pool->sizes[number]
			: NULL;
}

/* Takes out a carrier: one that the allocator itself abandoned if there is one. */
static void take_out(struct pool_size *size, int32_t allocator)
{
	int from = size->count[allocator] > 0 ? allocator : 0;

	while (from < POOL_ALLOCATORS && size->count[from] == 0) {
		from++;
	}

	if (from < POOL_ALLOCATORS) {
		size->count[from]--;
	}
}

/* One carrier was fetched and its size is known: whose was it? */
static enum csc_status trace_fetch(struct pool *pool, int64_t bytes, int32_t allocator,
		struct derivation *derivation, int *ret_foreign_least, struct diag *diag)
{
	struct pool_size *size = borrow_size(pool, bytes);
	int64_t all = 0;
	int64_t own;

	if (!size) {
		return DIAG_NO_MEMORY(diag);
	}

	for (int i = 0; i < POOL_ALLOCATORS; i++) {
		all += size->count[i];
	}

	own = size->count[allocator];
	if (all == 0) {
		derivation->ledger[LEDGER_RESURRECTION].carriers = 1;
		derivation->ledger[LEDGER_RESURRECTION].bytes = bytes;
	} else if (all > own) {
		derivation->ledger[LEDGER_FOREIGN_ADOPTION].carriers = 1;
		derivation->ledger[LEDGER_FOREIGN_ADOPTION].bytes = bytes;
		*ret_foreign_least = own == 0;
	}

	take_out(size, allocator);
	return CSC_OK;
}

enum csc_status pool_step(struct pool *pool, const struct carrier_row *row, int32_t allocator,
		struct derivation *derivation, int *ret_foreign_least, struct diag *diag)
{
	bool is_put = row->kind == CARRIER_EVENT_carrier_pool_put;
	bool is_destroyed = derivation->class == CLASS_POOLED;
	int64_t fetch_bytes = not_negative(derivation->fetch_bytes);
	int32_t owner = allocator < POOL_ALLOCATORS ? allocator : POOL_ALLOCATORS - 1;

	assert(allocator >= 0 && pool->carriers >= 0 && pool->bytes >= 0);
	*ret_foreign_least = 0;
	pool->carriers = not_negative(pool->carriers + is_put - derivation->fetches - is_destroyed);
	pool->bytes = not_negative(pool->bytes + (is_put ? row->size : 0) - fetch_bytes -
			(is_destroyed ? row->size : 0));
	if (is_put || is_destroyed) {
		struct pool_size *size = borrow_size(pool, row->size);

		if (!size) {
			return DIAG_NO_MEMORY(diag);
		}

		if (is_put) {
			size->count[owner]++;
			pool->put_bytes += row->size;
			pool->largest_bytes = row->size > pool->largest_bytes ? row->size
									      : pool->largest_bytes;
		} else {
			take_out(size, owner);
			pool->destroyed_bytes += row->size;
		}
	}

	if (derivation->ledger[LEDGER_POOL_FETCH].carriers == 1) {
		return trace_fetch(pool, fetch_bytes, owner, derivation, ret_foreign_least, diag);
	}

	if (derivation->ledger[LEDGER_POOL_FETCH].carriers > 1) {
		/* Several at once: only the sum of their sizes is known. */
		derivation->ledger[LEDGER_FOREIGN_ADOPTION] = derivation->ledger[LEDGER_POOL_FETCH];
	}

	return CSC_OK;
}

void pool_finish(struct pool *pool)
{
	numbering_finish(&pool->by_size);
	free(pool->sizes);
	*pool = (struct pool){ 0 };
}
