/* SPDX-License-Identifier: MIT */
/*
 * Fetching a carrier from the pool.
 * Source: SOURCES.md 5.4; the numbers of the steps are those there.
 */
#include "internal.h"

#include "ring.h"

/* A search: what it looks for and how many carriers it may still look at. */
struct fetch {
	struct csc_instance *instance;
	csc_word size_bytes;
	int32_t budget;
	/* The search is over, with this carrier or, if 0, with none. */
	bool is_over;
	csc_word found;
};

#define FETCH_BUDGET 100

static void fetch_count(struct fetch *fetch, enum csc_pool_counter counter)
{
	fetch->instance->pooled.counters[counter]++;
}

static bool fetch_is_pooled(const struct carrier *carrier)
{
	return owner_of(carrier) & OWNER_IN_POOL;
}

static void fetch_finish(struct fetch *fetch, csc_word carrier)
{
	fetch->is_over = true;
	fetch->found = carrier;
}

/* One carrier more was looked at; true: that was the last, and `counter` says where. */
static bool fetch_is_spent(struct fetch *fetch, enum csc_pool_counter counter)
{
	fetch->budget--;
	if (fetch->budget > 0) {
		return false;
	}
	fetch_count(fetch, counter);
	fetch_finish(fetch, 0);
	return true;
}

/* Step 1: the own pooled tree, in the order of carriers. */
static void fetch_from_tree(struct fetch *fetch)
{
	struct csc_instance *instance = fetch->instance;
	struct csc_core *core = instance->core;
	csc_word busy = 0;

	while (fetch->budget > 0) {
		csc_word address = ring_first_fit(instance, fetch->size_bytes);

		if (!address) {
			break;
		}

		struct carrier *carrier = carrier_at(core, address);
		ring_uproot(instance, address, CARRIER_TRAITOR);
		if (!fetch_is_pooled(carrier)) {
			fetch_count(fetch, CSC_POOL_SKIP_NOT_POOLED);
		} else if (carrier->max_bytes < fetch->size_bytes) {
			ring_plant(instance, address);
			fetch_count(fetch, CSC_POOL_SKIP_SIZE);
		} else if (owner_of(carrier) & OWNER_BUSY) {
			busy = address;
			fetch_count(fetch, CSC_POOL_SKIP_BUSY);
		} else {
			carrier->state = CARRIER_HOME;
			pool_claim(instance, address);
			fetch_finish(fetch, address);
			break;
		}
		fetch->budget--;
	}
	if (busy) {
		ring_plant(instance, busy);
	}
}

/* Step 2: the root of the own tree is where the ring is entered; 0: nowhere yet. */
static csc_word fetch_entrance(struct fetch *fetch)
{
	struct csc_instance *instance = fetch->instance;
	csc_word root;

	while ((root = ring_root(instance))) {
		if (fetch_is_pooled(carrier_at(instance->core, root))) {
			return root;
		}
		ring_uproot(instance, root, CARRIER_TRAITOR);
		fetch->budget--;
		if (fetch->budget <= 0) {
			fetch_count(fetch, CSC_POOL_FAIL_POOLED);
			fetch_finish(fetch, 0);
			return 0;
		}
	}
	return 0;
}

/* Step 3 for one carrier of the ring; takes it or counts why not. */
static bool fetch_try(struct fetch *fetch, csc_word address)
{
	struct csc_instance *instance = fetch->instance;
	struct csc_core *core = instance->core;
	struct carrier *carrier = carrier_at(core, address);
	bool is_busy = owner_of(carrier) & OWNER_BUSY;

	if (carrier->max_bytes < fetch->size_bytes) {
		fetch_count(fetch, CSC_POOL_SKIP_SIZE);
	} else if (fetch_is_pooled(carrier) && !is_busy) {
		pool_claim(instance, address);
		if (carrier->origin == instance->handle) {
			if (carrier->state == CARRIER_POOLED) {
				ring_uproot(instance, address, CARRIER_HOME);
			}
			carrier->state = CARRIER_HOME;
		}
		fetch_finish(fetch, address);
		return true;
	}
	/* Sic: also after skip_size. */
	fetch_count(fetch, is_busy ? CSC_POOL_SKIP_BUSY : CSC_POOL_SKIP_RACE);
	return false;
}

/* Step 3: the ring, backwards, the entrance last. */
static void fetch_from_ring(struct fetch *fetch, csc_word entrance)
{
	struct csc_instance *instance = fetch->instance;
	const struct csc_core *core = instance->core;
	bool has_seen_sentinel = false;

	entrance = entrance ? entrance : instance->pool->last;
	if (!entrance) {
		return;
	}

	csc_word here = entrance;
	do {
		here = here ? fit_carrier_at(core, here)->ring_prev : instance->pool->last;
		if (!here) {
			if (has_seen_sentinel) {
				fetch_count(fetch, CSC_POOL_ENTRANCE_REMOVED);
				return;
			}
			has_seen_sentinel = true;
			continue;
		}
		if (fetch_try(fetch, here)) {
			return;
		}
		if (fetch_is_spent(fetch, CSC_POOL_FAIL_SHARED)) {
			return;
		}
	} while (here != entrance);
}

/* Step 4: own carriers that wait for destruction, newest first. */
static void fetch_from_pending(struct fetch *fetch)
{
	struct csc_instance *instance = fetch->instance;
	struct csc_core *core = instance->core;

	for (csc_word i = instance->pending.last; i; i = carrier_at(core, i)->prev) {
		if (carrier_at(core, i)->max_bytes >= fetch->size_bytes) {
			csc_word block = i + instance->mbc_header;

			carrier_list_remove(core, &instance->pending, i);
			instance->ops->link(instance, block, block_size(head_of(core, block)), i);
			fetch_finish(fetch, i);
			return;
		}
		if (fetch_is_spent(fetch, CSC_POOL_FAIL_PENDING)) {
			return;
		}
	}
}

csc_word pool_fetch(struct csc_instance *instance, csc_word size_bytes)
{
	const struct csc_core *core = instance->core;
	struct fetch fetch = {
		.instance = instance,
		.size_bytes = size_bytes,
		.budget = FETCH_BUDGET,
	};
	csc_word entrance = 0;

	EMIT(core, CSC_EVENT_CARRIER_POOL_GET, pool,
			(&(struct csc_otp_pool){
					.allocator = instance->type,
					.instance = instance->index,
					.size_bytes = size_bytes,
			}));
	core_lock(core, LOCK_POOLS);
	fetch_from_tree(&fetch);
	if (!fetch.is_over) {
		entrance = fetch_entrance(&fetch);
	}
	if (!fetch.is_over) {
		fetch_from_ring(&fetch, entrance);
	}
	if (!fetch.is_over) {
		fetch_from_pending(&fetch);
	}
	if (!fetch.is_over && fetch.budget != FETCH_BUDGET) {
		fetch_count(&fetch, CSC_POOL_FAIL);
	}
	core_unlock(core, LOCK_POOLS);
	if (fetch.found) {
		pool_employ(instance, fetch.found);
	}
	return fetch.found;
}
