/*
 * SPDX-License-Identifier: MIT
 *
 * The carrier pool of one runtime, as far as its events show: which sizes lie
 * in it, abandoned by which allocator.
 *
 * A destroyed carrier may come back by a later fetch without a create, and
 * nothing in the events marks it ("resurrection").  So puts minus fetches
 * minus destroys is not the pool; never letting it fall below zero is the best
 * that can be known, and is a lower bound but for wrongly classified creates.
 */
#ifndef CSC_POOL_H
#define CSC_POOL_H

#include <stdint.h>

#include "derive.h"
#include "diag.h"
#include "numbering.h"

/* Allocators distinguished; further ones share the last. */
enum { POOL_ALLOCATORS = 16 };

struct pool_size {
	int64_t count[POOL_ALLOCATORS];
};

struct pool {
	/* Puts minus fetches minus pooled destroys, never below 0. */
	int64_t carriers;
	int64_t bytes;

	/* Of the carriers that were ever put, the largest. */
	int64_t largest_bytes;

	/* Sums of what went in and what certainly left by a destroy. */
	int64_t put_bytes;
	int64_t destroyed_bytes;

	/* Size of a carrier -> number of its entry in `sizes`. */
	struct numbering by_size;
	struct pool_size *sizes;
	size_t size_capacity;
};

/*
 * Takes an event of the runtime after it was derived, and adds to the
 * derivation what the pool shows of its fetches: LEDGER_FOREIGN_ADOPTION (the
 * most; `ret_foreign_least` the least, 0 or 1) and LEDGER_RESURRECTION.
 */
enum csc_status pool_step(struct pool *pool, const struct carrier_row *row, int32_t allocator,
		struct derivation *derivation, int *ret_foreign_least, struct diag *diag);

void pool_finish(struct pool *pool);

#endif
