/* SPDX-License-Identifier: MIT */
/*
 * Abandoning carriers, and what becomes of them in the pool.  Fetching them: fetch.c.
 * Source: SOURCES.md 5.2, 5.3, 5.5, 5.6.
 */
#include "internal.h"

#include "ring.h"

/* Carriers of ours that are in the pool. */
static uint64_t pool_created(const struct csc_instance *instance)
{
	uint64_t count;

	core_lock(instance->core, LOCK_POOLS);
	count = instance->pooled.carriers.count;
	core_unlock(instance->core, LOCK_POOLS);
	return count;
}

/* All that must hold before a carrier is abandoned, in this order. */
static bool pool_may_abandon(const struct csc_instance *instance, csc_word address)
{
	const struct csc_core *core = instance->core;
	const struct carrier *carrier = carrier_at(core, address);

	if (!instance->has_pool || instance->disable_abandon || instance->keeps_carriers) {
		return false;
	}
	if (instance->mbc.blocks[instance->type].now.bytes > instance->abandon_limit) {
		return false;
	}
	if (pool_created(instance) >= instance->settings.acnl) {
		return false;
	}
	if (carrier->head & CARRIER_MAIN || carrier->block_bytes > carrier->abandon_limit) {
		return false;
	}
	if (carrier->stamp && core_progress(core) < carrier->stamp) {
		return false;
	}
	return instance->ops->largest(instance, address) >= instance->settings.acfml;
}

/* The employer's figures lose the carrier and its blocks, or gain them. */
static void pool_move_figures(struct csc_instance *instance, csc_word address, bool is_gain)
{
	const struct csc_core *core = instance->core;
	const struct carrier *carrier = carrier_at(core, address);
	const struct carrier_count *counts = carrier_counts(core, address);
	enum csc_carrier_source source =
			carrier->head & CARRIER_MSEG ? CSC_SOURCE_MSEG : CSC_SOURCE_SYS;

	if (is_gain) {
		group_add_carrier(&instance->mbc, source, carrier_size(carrier));
	} else {
		group_take_carrier(&instance->mbc, source, carrier_size(carrier));
	}
	for (uint32_t i = 0; i < core->types; i++) {
		struct tally_history *blocks = &instance->mbc.blocks[i + 1];

		if (!is_gain) {
			blocks->now.count -= counts[i].blocks;
			blocks->now.bytes -= counts[i].bytes;
			continue;
		}
		blocks->now.count += counts[i].blocks;
		blocks->now.bytes += counts[i].bytes;
		if (blocks->now.count > blocks->max.count) {
			blocks->max.count = blocks->now.count;
		}
		if (blocks->now.bytes > blocks->max.bytes) {
			blocks->max.bytes = blocks->now.bytes;
		}
	}
}

/* The creator's pool figures gain the carrier and its blocks, or lose them. */
static void pool_move_origin_figures(const struct csc_core *core, csc_word address, bool is_gain)
{
	const struct carrier *carrier = carrier_at(core, address);
	const struct carrier_count *counts = carrier_counts(core, address);
	struct pool_group *pooled = &core->instances[carrier->origin]->pooled;
	uint64_t sign = is_gain ? 1 : UINT64_MAX;

	pooled->carriers.count += sign;
	pooled->carriers.bytes += sign * carrier_size(carrier);
	for (uint32_t i = 0; i < core->types; i++) {
		pooled->blocks[i + 1].count += sign * counts[i].blocks;
		pooled->blocks[i + 1].bytes += sign * counts[i].bytes;
	}
}

/* Nobody employs the carrier any more: it is its creator's. */
static void emit_moved(
		struct csc_instance *instance, csc_word address, enum csc_carrier_place place)
{
	const struct csc_core *core = instance->core;

	if (EMIT_ENABLED(core, CSC_EVENT_CARRIER_MOVED)) {
		const struct carrier *carrier = carrier_at(core, address);
		const struct csc_instance *origin = core->instances[carrier->origin];
		const struct csc_instance *holder = place == CSC_PLACE_USED ? instance : origin;

		core->listener->note(core->listener->context, CSC_EVENT_CARRIER_MOVED,
				&(struct csc_carrier_note){
						.allocator = holder->type,
						.instance = holder->index,
						.address = address,
						.size_bytes = carrier_size(carrier),
						.kind = CSC_CARRIER_MBC,
						.origin = origin->index,
						.place = place,
				});
	}
}

static void pool_abandon(struct csc_instance *instance, csc_word address)
{
	struct csc_core *core = instance->core;
	struct carrier *carrier = carrier_at(core, address);
	struct csc_instance *origin = core->instances[carrier->origin];
	csc_word owner = (csc_word)origin->handle << 3 | OWNER_IN_POOL;
	csc_word homecoming;

	CSC_ASSERT(!(owner_of(carrier) & OWNER_IN_POOL) && !(carrier->head & CARRIER_MAIN));
	carrier_list_remove(core, &instance->mbcs, address);
	instance->ops->dismiss(instance, address);
	pool_move_figures(instance, address, false);
	carrier_update_limit(instance);
	core_lock(core, LOCK_POOLS);
	carrier->max_bytes = instance->ops->largest(instance, address);
	pool_move_origin_figures(core, address, true);
	ring_insert(core, instance->pool, address);
	EMIT(core, CSC_EVENT_CARRIER_POOL_PUT, pool,
			(&(struct csc_otp_pool){
					.allocator = instance->type,
					.instance = instance->index,
					.size_bytes = carrier_size(carrier),
			}));
	emit_moved(instance, address, CSC_PLACE_POOL);
	homecoming = owner_of(carrier) & OWNER_HOMECOMING;
	if (origin == instance) {
		owner_set(carrier, owner | homecoming);
		ring_plant(instance, address);
	} else {
		owner_set(carrier, owner | OWNER_HOMECOMING);
		if (!homecoming) {
			delayed_send_carrier(core, address);
		}
	}
	core_unlock(core, LOCK_POOLS);
}

void pool_consider(struct csc_instance *instance, csc_word address)
{
	if (pool_may_abandon(instance, address)) {
		pool_abandon(instance, address);
	}
}

void pool_note_larger(struct csc_instance *instance, csc_word address)
{
	struct carrier *carrier = carrier_at(instance->core, address);

	core_lock(instance->core, LOCK_POOLS);
	carrier->max_bytes = instance->ops->largest(instance, address);
	owner_set(carrier, owner_of(carrier) & ~OWNER_BUSY);
	core_unlock(instance->core, LOCK_POOLS);
	if (carrier->state == CARRIER_POOLED && carrier->max_bytes > carrier->pooled.head) {
		ring_raise(instance, address, carrier->max_bytes);
	}
}

bool pool_hold(struct csc_instance *instance, csc_word address)
{
	const struct csc_core *core = instance->core;
	struct carrier *carrier = carrier_at(core, address);
	csc_word pooled = (csc_word)instance->handle << 3 | OWNER_IN_POOL;
	csc_word owner = owner_of(carrier);

	if (!(owner & OWNER_IN_POOL)) {
		/* Nobody but its employer can change that. */
		return owner >> 3 == instance->handle;
	}
	core_lock(core, LOCK_POOLS);
	owner = owner_of(carrier);
	if ((owner & ~(OWNER_BUSY | OWNER_HOMECOMING)) == pooled) {
		owner_set(carrier, owner | OWNER_BUSY);
	}
	core_unlock(core, LOCK_POOLS);
	return (owner & ~(OWNER_BUSY | OWNER_HOMECOMING)) == pooled;
}

void pool_let_go(struct csc_instance *instance, csc_word address)
{
	struct carrier *carrier = carrier_at(instance->core, address);

	core_lock(instance->core, LOCK_POOLS);
	owner_set(carrier, owner_of(carrier) & ~OWNER_BUSY);
	core_unlock(instance->core, LOCK_POOLS);
}

/* Takes a carrier out of the ring; its creator's figures lose it. */
static void pool_take_out(struct csc_core *core, struct carrier_pool *pool, csc_word address)
{
	struct carrier *carrier = carrier_at(core, address);

	ring_remove(core, pool, address);
	carrier->stamp = (csc_word)(core_progress(core) + 1);
	pool_move_origin_figures(core, address, false);
}

void pool_claim(struct csc_instance *instance, csc_word address)
{
	struct carrier *carrier = carrier_at(instance->core, address);

	pool_take_out(instance->core, instance->pool, address);
	owner_set(carrier,
			(csc_word)instance->handle << 3 | (owner_of(carrier) & OWNER_HOMECOMING));
}

void pool_employ(struct csc_instance *instance, csc_word address)
{
	struct csc_core *core = instance->core;

	carrier_list_append(core, &instance->mbcs, address);
	pool_move_figures(instance, address, true);
	carrier_update_limit(instance);
	instance->ops->employ(instance, address);
	instance->pooled.counters[CSC_POOL_FETCH]++;
	emit_moved(instance, address, CSC_PLACE_USED);
}

void pool_drop(struct csc_instance *instance, csc_word address)
{
	struct csc_core *core = instance->core;
	struct carrier *carrier = carrier_at(core, address);

	CSC_ASSERT(carrier->origin == instance->handle && (owner_of(carrier) & OWNER_IN_POOL));
	core_lock(core, LOCK_POOLS);
	pool_take_out(core, instance->pool, address);
	owner_set(carrier, owner_of(carrier) & ~(OWNER_IN_POOL | OWNER_BUSY));
	core_unlock(core, LOCK_POOLS);
	if (carrier->state == CARRIER_POOLED) {
		ring_uproot(instance, address, CARRIER_HOME);
	}
}

/* Frees the memory of an own carrier that nobody can be looking at, or lets it wait. */
static void pool_release_own(struct csc_instance *instance, csc_word address)
{
	struct csc_core *core = instance->core;
	struct carrier *carrier = carrier_at(core, address);

	CSC_ASSERT(carrier->origin == instance->handle);
	if (carrier->state == CARRIER_POOLED) {
		ring_uproot(instance, address, CARRIER_HOME);
	}
	if (!carrier->stamp || core_progress(core) >= carrier->stamp) {
		source_return(instance, address);
		return;
	}
	carrier->max_bytes = word_down8(carrier_size(carrier) - instance->mbc_header);
	carrier_list_append(core, &instance->pending, address);
}

void pool_release(struct csc_instance *instance, csc_word address)
{
	struct csc_core *core = instance->core;
	struct carrier *carrier = carrier_at(core, address);

	if (!instance->has_pool) {
		source_return(instance, address);
		return;
	}
	emit_moved(instance, address, CSC_PLACE_PENDING);
	if (carrier->origin != instance->handle) {
		csc_word homecoming;

		core_lock(core, LOCK_POOLS);
		homecoming = owner_of(carrier) & OWNER_HOMECOMING;
		owner_set(carrier, carrier->origin << 3 | OWNER_HOMECOMING);
		if (!homecoming) {
			delayed_send_carrier(core, address);
		}
		core_unlock(core, LOCK_POOLS);
	} else if (!(owner_of(carrier) & OWNER_HOMECOMING)) {
		pool_release_own(instance, address);
	}
	/* Otherwise a message about it is on its way to us and will finish it. */
}

/* All of the carrier is one free block. */
static bool pool_is_empty(const struct csc_instance *instance, csc_word address)
{
	csc_word head = *word_at(instance->core, address + instance->mbc_header);

	return (head & BLOCK_FLAGS) == (BLOCK_FREE | BLOCK_LAST);
}

void pool_receive(struct csc_instance *instance, csc_word address)
{
	const struct csc_core *core = instance->core;
	struct carrier *carrier = carrier_at(core, address);
	csc_word owner;

	core_lock(core, LOCK_POOLS);
	owner = owner_of(carrier) & ~OWNER_HOMECOMING;
	owner_set(carrier, owner);
	if (owner != (csc_word)instance->handle << 3) {
		if (carrier->state == CARRIER_POOLED) {
			ring_uproot(instance, address, CARRIER_TRAITOR);
		}
		carrier->state = CARRIER_TRAITOR;
		if (owner & OWNER_IN_POOL) {
			ring_plant(instance, address);
		}
	}
	core_unlock(core, LOCK_POOLS);
	if (owner == (csc_word)instance->handle << 3 && pool_is_empty(instance, address)) {
		pool_release_own(instance, address);
	}
}

bool pool_release_pending(struct csc_instance *instance, uint32_t count)
{
	struct csc_core *core = instance->core;
	bool has_any = false;

	while (count-- && instance->pending.first) {
		csc_word address = instance->pending.first;

		if (core_progress(core) < carrier_at(core, address)->stamp) {
			break;
		}
		carrier_list_remove(core, &instance->pending, address);
		source_return(instance, address);
		has_any = true;
	}
	return has_any;
}
