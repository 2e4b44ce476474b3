/* SPDX-License-Identifier: MIT */
/*
 * What an instance reports about itself.
 * Source: SOURCES.md 8.
 */
#include "instance.h"

#include <string.h>

#include "internal.h"
#include "layout.h"

static void raise(uint64_t *ever, uint64_t max)
{
	if (*ever < max) {
		*ever = max;
	}
}

static void add_figure(struct csc_figure *figure, uint64_t now, uint64_t max, uint64_t ever)
{
	figure->now += now;
	figure->max += max;
	figure->ever += ever;
}

static void group_statistics(struct carrier_group *group, bool is_new_period,
		struct csc_group_statistics *ret_statistics)
{
	struct csc_group_statistics statistics = {
		.mseg_carriers = group->mseg.count,
		.mseg_carriers_bytes = group->mseg.bytes,
		.sys_carriers = group->sys.count,
		.sys_carriers_bytes = group->sys.bytes,
	};
	struct tally carriers = {
		.count = group->mseg.count + group->sys.count,
		.bytes = group->mseg.bytes + group->sys.bytes,
	};

	raise(&group->ever.count, group->max.count);
	raise(&group->ever.bytes, group->max.bytes);
	add_figure(&statistics.carriers, carriers.count, group->max.count, group->ever.count);
	add_figure(&statistics.carriers_bytes, carriers.bytes, group->max.bytes, group->ever.bytes);
	if (is_new_period) {
		group->max = carriers;
	}
	for (int i = 0; i < CSC_TYPES_MAX; i++) {
		struct tally_history *blocks = &group->blocks[i];

		raise(&blocks->ever.count, blocks->max.count);
		raise(&blocks->ever.bytes, blocks->max.bytes);
		add_figure(&statistics.blocks, blocks->now.count, blocks->max.count,
				blocks->ever.count);
		add_figure(&statistics.blocks_bytes, blocks->now.bytes, blocks->max.bytes,
				blocks->ever.bytes);
		if (is_new_period) {
			blocks->max = blocks->now;
		}
	}
	*ret_statistics = statistics;
}

void csc_instance_statistics(struct csc_instance *instance, bool is_new_period,
		struct csc_statistics *ret_statistics)
{
	struct csc_statistics *statistics = ret_statistics;

	*statistics = (struct csc_statistics){
		.type = instance->type,
		.index = instance->index,
		.has_pool = instance->has_pool,
	};
	group_statistics(&instance->mbc, is_new_period, &statistics->mbcs);
	group_statistics(&instance->sbc, is_new_period, &statistics->sbcs);
	statistics->pool_carriers = instance->pooled.carriers.count;
	statistics->pool_carriers_bytes = instance->pooled.carriers.bytes;
	for (int i = 0; i < CSC_TYPES_MAX; i++) {
		statistics->pool_blocks += instance->pooled.blocks[i].count;
		statistics->pool_blocks_bytes += instance->pooled.blocks[i].bytes;
	}
	memcpy(statistics->pool_counters, instance->pooled.counters,
			sizeof(statistics->pool_counters));
	memcpy(statistics->calls, instance->calls, sizeof(statistics->calls));
}

/* The carrier is empty and neither employed nor pooled. */
static bool view_is_pending(
		const struct csc_core *core, const struct carrier *carrier, csc_word block)
{
	csc_word head = *word_at(core, block);

	if (carrier->head & (CARRIER_MAIN | CARRIER_SINGLE) || carrier->owner & OWNER_IN_POOL) {
		return false;
	}
	return (head & BLOCK_FLAGS) == (BLOCK_FREE | BLOCK_LAST);
}

void csc_carrier_view(
		const struct csc_core *core, uint64_t address, struct csc_carrier_view *ret_view)
{
	const struct carrier *carrier = carrier_at(core, (csc_word)address);
	const struct csc_instance *owner = core_instance(core, carrier->owner);
	bool is_single = carrier->head & CARRIER_SINGLE;
	csc_word first = is_single ? owner->sbc_header : owner->mbc_header;
	const struct csc_instance *origin = is_single ? owner : core->instances[carrier->origin];

	*ret_view = (struct csc_carrier_view){
		.size_bytes = carrier_size(carrier),
		.first = first,
		.kind = CSC_CARRIER_MBC,
		.source = carrier->head & CARRIER_MSEG ? CSC_SOURCE_MSEG : CSC_SOURCE_SYS,
		.place = CSC_PLACE_USED,
		.owner = owner->index,
		.origin = origin->index,
	};
	if (is_single) {
		ret_view->kind = CSC_CARRIER_SBC;
	} else if (carrier->head & CARRIER_MAIN) {
		ret_view->kind = CSC_CARRIER_MAIN;
	} else if (carrier->owner & OWNER_IN_POOL) {
		ret_view->place = CSC_PLACE_POOL;
	} else if (view_is_pending(core, carrier, (csc_word)address + first)) {
		ret_view->place = CSC_PLACE_PENDING;
	}
}

void csc_block_view(const struct csc_core *core, uint64_t address, struct csc_block_view *ret_view)
{
	csc_word head = *word_at(core, (csc_word)address);
	bool is_single = (head & BLOCK_FLAGS) == BLOCK_SINGLE;

	*ret_view = (struct csc_block_view){
		.size_bytes = block_size(head),
		.is_free = !is_single && (head & BLOCK_FREE),
		.is_last = head & BLOCK_LAST,
	};
}

void csc_block_place(const struct csc_core *core, uint64_t user, struct csc_block_place *ret_place)
{
	csc_word block = (csc_word)user - BLOCK_HEADER;
	csc_word head = *word_at(core, block);
	csc_word carrier = block - SINGLE_HEADER;

	if ((head & BLOCK_FLAGS) != BLOCK_SINGLE) {
		carrier = block_carrier(core, block, head);
	}
	*ret_place = (struct csc_block_place){
		.carrier = carrier,
		.offset = block - carrier,
		.size_bytes = block_size(head),
	};
}

/* The blocks of a carrier: their number or their bytes. */
static uint64_t carrier_blocks_sum(const struct csc_core *core, csc_word address, bool has_bytes)
{
	const struct carrier_count *counts = carrier_counts(core, address);
	uint64_t sum = 0;

	if (carrier_at(core, address)->head & CARRIER_SINGLE) {
		return has_bytes ? block_size(*word_at(core, address + SINGLE_HEADER)) : 1;
	}
	for (uint32_t i = 0; i < core->types; i++) {
		sum += has_bytes ? counts[i].bytes : counts[i].blocks;
	}
	return sum;
}

static struct csc_figure figure_of(uint64_t now, uint64_t max, uint64_t ever)
{
	return (struct csc_figure){ .now = now, .max = max, .ever = ever };
}

void csc_instance_blocks(const struct csc_instance *instance, enum csc_carrier_kind kind,
		uint32_t type, struct csc_type_statistics *ret_statistics)
{
	const struct carrier_group *group =
			kind == CSC_CARRIER_SBC ? &instance->sbc : &instance->mbc;
	const struct tally_history *blocks = &group->blocks[type];

	*ret_statistics = (struct csc_type_statistics){
		.blocks = figure_of(blocks->now.count, blocks->max.count, blocks->ever.count),
		.blocks_bytes = figure_of(blocks->now.bytes, blocks->max.bytes, blocks->ever.bytes),
	};
}

void csc_instance_pool_blocks(const struct csc_instance *instance, uint32_t type,
		struct csc_type_statistics *ret_statistics)
{
	const struct tally *blocks = &instance->pooled.blocks[type];

	*ret_statistics = (struct csc_type_statistics){
		.blocks = figure_of(blocks->count, 0, 0),
		.blocks_bytes = figure_of(blocks->bytes, 0, 0),
	};
}

static void emit_carrier_state(const struct csc_instance *instance, csc_word address)
{
	const struct csc_core *core = instance->core;
	struct csc_carrier_view view;

	csc_carrier_view(core, address, &view);
	EMIT(core, CSC_EVENT_STATE_CARRIER, note,
			(&(struct csc_carrier_note){
					.allocator = instance->type,
					.instance = instance->index,
					.address = address,
					.size_bytes = view.size_bytes,
					.kind = view.kind,
					.source = view.source,
					.origin = view.origin,
					.place = view.place,
					.block_count = carrier_blocks_sum(core, address, false),
					.block_bytes = carrier_blocks_sum(core, address, true),
			}));
}

/* Emptied carriers that are on their way home: in no list, and emitted nowhere else. */
static void emit_emptied_carriers(const struct csc_instance *instance)
{
	const struct csc_core *core = instance->core;

	for (csc_word i = instance->delayed.first; i; i = *word_at(core, i)) {
		csc_word address = i - (csc_word)offsetof(struct carrier, message_next);
		csc_word owner;

		if (*word_at(core, i - BLOCK_HEADER) != BLOCK_MESSAGE) {
			continue;
		}
		owner = owner_of(carrier_at(core, address));
		if (owner >> 3 == instance->handle && !(owner & OWNER_IN_POOL) &&
				!carrier_blocks_sum(core, address, false)) {
			emit_carrier_state(instance, address);
		}
	}
}

void csc_instance_emit_carriers(const struct csc_instance *instance)
{
	const struct csc_core *core = instance->core;

	if (!EMIT_ENABLED(core, CSC_EVENT_STATE_CARRIER)) {
		return;
	}
	for (csc_word i = instance->mbcs.first; i; i = carrier_at(core, i)->next) {
		emit_carrier_state(instance, i);
	}
	for (csc_word i = instance->sbcs.first; i; i = carrier_at(core, i)->next) {
		emit_carrier_state(instance, i);
	}
	for (csc_word i = instance->pending.first; i; i = carrier_at(core, i)->next) {
		emit_carrier_state(instance, i);
	}
	for (csc_word i = instance->has_pool ? instance->pool->first : 0; i;
			i = fit_carrier_at(core, i)->ring_next) {
		if (carrier_at(core, i)->origin == instance->handle) {
			emit_carrier_state(instance, i);
		}
	}
	emit_emptied_carriers(instance);
}
