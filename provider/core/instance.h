/* SPDX-License-Identifier: MIT */
/*
 * One allocator instance, as the rest of the core sees it.  Users of the core: see csc.h.
 *
 * All of it is in memory of the caller; what grows with the number of blocks and carriers is in
 * target memory (layout.h).
 */
#ifndef CSC_INSTANCE_H
#define CSC_INSTANCE_H

#include <stdbool.h>

#include "contract.h"
#include "core.h"
#include "csc.h"
#include "settings.h"
#include "strategy.h"

/* A number of things and their bytes. */
struct tally {
	uint64_t count;
	uint64_t bytes;
};

/* Blocks of one type: now, maximum of the period, maximum ever (as of the last query). */
struct tally_history {
	struct tally now;
	struct tally max;
	struct tally ever;
};

/* The carriers of one kind and the blocks in them. */
struct carrier_group {
	struct tally_history blocks[CSC_TYPES_MAX];
	struct tally mseg;
	struct tally sys;
	/* Maxima of the sum of both sources. */
	struct tally max;
	struct tally ever;
};

/* A list of carriers, linked through next and prev. */
struct carrier_list {
	csc_word first;
	csc_word last;
};

/* Own carriers that are in the pool, no matter which thread put them there. */
struct pool_group {
	struct tally blocks[CSC_TYPES_MAX];
	struct tally carriers;
	uint64_t counters[CSC_POOL_COUNTERS];
};

/* Blocks and carriers that others have sent to this instance. */
struct delayed_queue {
	/* Addresses of user memory; the first word there is the next element. */
	csc_word first;
	csc_word last;

	/* Last element that may be consumed, 0: none. */
	csc_word safe;

	/* Last element when `sealed` was taken, which becomes safe when progress passes it. */
	csc_word pending;
	uint64_t sealed;
};

/* A list of freed objects of one fixed size. */
struct fix_list {
	uint64_t object_bytes;

	/* Addresses of user memory; the first word there is the next element. */
	csc_word first;
	uint64_t length;

	int64_t allocated;
	int64_t used;

	/* With pool: least length in this period, and how many to give back. */
	uint64_t min_length;
	uint64_t shrink;

	/* Without pool. */
	int64_t limit;
	int64_t max_used;
};

struct csc_instance {
	struct csc_core *core;
	const struct strategy_ops *ops;

	/* In core->instances. */
	uint32_t handle;

	/* As events say it. */
	uint32_t index;
	uint32_t type;
	uint32_t mseg;

	bool has_pool;
	bool is_thread_preferred;
	bool has_own_area;

	csc_word min_block;
	/* Block header and allocation tag, in bytes. */
	csc_word overhead;
	csc_word mbc_header;
	csc_word sbc_header;
	csc_word sbct;

	struct csc_settings settings;

	/* What the strategy keeps. */
	union strategy_state state;

	struct carrier_list mbcs;
	struct carrier_list sbcs;
	csc_word main_carrier;

	struct carrier_group mbc;
	struct carrier_group sbc;
	uint64_t calls[CSC_CALLS];

	/* Carrier migration. */
	struct carrier_pool *pool;
	uint32_t disable_abandon;
	bool keeps_carriers;
	uint64_t abandon_limit;
	csc_word pooled_root;
	struct carrier_list pending;
	struct pool_group pooled;

	struct delayed_queue delayed;

	struct fix_list fixes[CSC_FIX_TYPES_MAX];
	uint32_t fix_count;
};

static inline struct csc_instance *core_instance(const struct csc_core *core, csc_word owner)
{
	CSC_ASSERT(owner >> 3 < core->instance_count && core->instances[owner >> 3]);
	return core->instances[owner >> 3];
}

/* Adds one block of `bytes` of a type to a group and raises the maxima. */
static inline void group_add(struct carrier_group *group, uint32_t type, csc_word bytes)
{
	struct tally_history *blocks = &group->blocks[type];

	blocks->now.count++;
	blocks->now.bytes += bytes;
	if (blocks->now.count > blocks->max.count) {
		blocks->max.count = blocks->now.count;
	}
	if (blocks->now.bytes > blocks->max.bytes) {
		blocks->max.bytes = blocks->now.bytes;
	}
}

static inline void group_take(struct carrier_group *group, uint32_t type, csc_word bytes)
{
	CSC_ASSERT(group->blocks[type].now.count > 0 && group->blocks[type].now.bytes >= bytes);
	group->blocks[type].now.count--;
	group->blocks[type].now.bytes -= bytes;
}

/* Says what a call did: `event`, or that it failed when `address` is 0; user addresses. */
static inline void emit_block(const struct csc_instance *instance, enum csc_event event,
		uint64_t address, uint64_t old_address, uint64_t bytes)
{
	/* One test for both, so that nothing is computed when nobody listens. */
	if (EMIT_WANTED(instance->core,
			    CSC_EVENT_BIT(event) | CSC_EVENT_BIT(CSC_EVENT_ALLOC_FAILURE))) {
		enum csc_event emitted = address ? event : CSC_EVENT_ALLOC_FAILURE;

		EMIT(instance->core, emitted, block,
				(&(struct csc_block_note){
						.allocator = instance->type,
						.instance = instance->index,
						.address = address,
						.old_address = old_address,
						.size_bytes = bytes,
				}));
	}
}

/* The block for a request of `bytes`: header and tag added, not below the minimum. */
static inline csc_word instance_block_bytes(const struct csc_instance *instance, csc_word bytes)
{
	csc_word need = instance->overhead + bytes;

	return need <= instance->min_block ? instance->min_block : word_up8(need);
}

#endif
