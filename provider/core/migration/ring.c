/* SPDX-License-Identifier: MIT */
/* The ring of a pool and the trees of pooled carriers. */
#include "ring.h"

#include "firstfit.h"
#include "internal.h"
#include "tree.h"

void ring_insert(const struct csc_core *core, struct carrier_pool *pool, csc_word address)
{
	struct fit_carrier *fit = fit_carrier_at(core, address);
	csc_word before = pool->first;
	csc_word after = before ? fit_carrier_at(core, before)->ring_next : 0;

	fit->ring_prev = before;
	fit->ring_next = after;
	if (before) {
		fit_carrier_at(core, before)->ring_next = address;
	} else {
		pool->first = address;
	}
	if (after) {
		fit_carrier_at(core, after)->ring_prev = address;
	} else {
		pool->last = address;
	}
}

void ring_remove(const struct csc_core *core, struct carrier_pool *pool, csc_word address)
{
	const struct fit_carrier *fit = fit_carrier_at(core, address);

	if (fit->ring_prev) {
		fit_carrier_at(core, fit->ring_prev)->ring_next = fit->ring_next;
	} else {
		pool->first = fit->ring_next;
	}
	if (fit->ring_next) {
		fit_carrier_at(core, fit->ring_next)->ring_prev = fit->ring_prev;
	} else {
		pool->last = fit->ring_prev;
	}
}

static csc_word ring_node(csc_word carrier)
{
	return carrier + (csc_word)offsetof(struct carrier, pooled);
}

static csc_word ring_carrier(csc_word node)
{
	return node ? node - (csc_word)offsetof(struct carrier, pooled) : 0;
}

void ring_plant(struct csc_instance *instance, csc_word address)
{
	const struct csc_core *core = instance->core;
	struct carrier *carrier = carrier_at(core, address);
	csc_word bytes = carrier->max_bytes;

	carrier->pooled.head = bytes;
	carrier->state = CARRIER_POOLED;
	if (firstfit_carrier_order(instance->settings.strategy) == TREE_AGE) {
		tree_insert(core, &instance->pooled_root, ring_node(address), bytes, TREE_AGE,
				true);
	} else {
		tree_insert(core, &instance->pooled_root, ring_node(address), bytes, TREE_ADDRESS,
				true);
	}
}

void ring_uproot(struct csc_instance *instance, csc_word address, enum carrier_state state)
{
	struct carrier *carrier = carrier_at(instance->core, address);

	tree_remove(instance->core, &instance->pooled_root, ring_node(address), true);
	carrier->pooled.flags = 0;
	carrier->state = state;
}

void ring_raise(struct csc_instance *instance, csc_word address, csc_word size_bytes)
{
	struct node *node = &carrier_at(instance->core, address)->pooled;

	node->head = size_bytes;
	tree_raise(instance->core, ring_node(address), size_bytes);
}

csc_word ring_first_fit(const struct csc_instance *instance, csc_word size_bytes)
{
	return ring_carrier(tree_first_fit(instance->core, instance->pooled_root, size_bytes));
}

csc_word ring_root(const struct csc_instance *instance)
{
	return ring_carrier(instance->pooled_root);
}

bool pool_is_valid(const struct csc_instance *instance)
{
	const struct csc_core *core = instance->core;
	csc_word before = 0;

	if (!instance->has_pool) {
		return true;
	}
	for (csc_word i = instance->pool->first; i;
			before = i, i = fit_carrier_at(core, i)->ring_next) {
		const struct carrier *carrier = carrier_at(core, i);

		if (fit_carrier_at(core, i)->ring_prev != before ||
				!(carrier->owner & OWNER_IN_POOL) ||
				carrier->owner >> 3 != carrier->origin) {
			return false;
		}
	}
	return instance->pool->last == before;
}
