/* SPDX-License-Identifier: MIT */
/*
 * The inner steps of multi_calls.h and resize.c: counting, linking, handing out.
 * Source: SOURCES.md 3.1, 8.2.
 */
#ifndef CSC_MULTI_INLINE_H
#define CSC_MULTI_INLINE_H

#include "internal.h"
#include "tree.h"

/* Counts a block in or out; pooled carriers count with their creator's pool. */
static inline void multi_count(struct csc_instance *instance, csc_word address, uint32_t type,
		csc_word bytes, bool is_in)
{
	const struct csc_core *core = instance->core;
	struct carrier *carrier = carrier_at(core, address);
	struct carrier_count *count = carrier_counts(core, address) + (type - 1);
	csc_word step = is_in ? 1 : (csc_word)-1;
	csc_word size = is_in ? bytes : (csc_word)0 - bytes;

	CSC_ASSERT(is_in || (count->blocks > 0 && count->bytes >= bytes));
	count->blocks += step;
	count->bytes += size;
	carrier->block_bytes += size;
	if (is_in) {
		group_add(&instance->mbc, type, bytes);
	} else if (owner_of(carrier) & OWNER_IN_POOL) {
		core_lock(core, LOCK_POOLS);
		instance->pooled.blocks[type].count--;
		instance->pooled.blocks[type].bytes -= bytes;
		core_unlock(core, LOCK_POOLS);
	} else {
		group_take(&instance->mbc, type, bytes);
	}
}

/* Makes `block` a free block of `bytes` with these flags, which is not linked yet. */
static inline void multi_set_free(const struct csc_instance *instance, csc_word block,
		csc_word bytes, csc_word flags, csc_word carrier)
{
	const struct csc_core *core = instance->core;
	struct node *node = node_at(core, block);

	CSC_ASSERT(bytes % BLOCK_UNIT == 0 && bytes >= instance->min_block);
	node->head = bytes | flags | BLOCK_FREE;
	node->carrier = carrier;
	if (!(flags & BLOCK_LAST)) {
		*word_at(core, block + bytes - BLOCK_HEADER) = bytes;
		head_mark_prev_free(core, block + bytes);
	}
}

/* The same, and links it. */
static inline void multi_link(struct csc_instance *instance, const struct strategy_ops *ops,
		csc_word block, csc_word bytes, csc_word flags, csc_word carrier)
{
	multi_set_free(instance, block, bytes, flags, carrier);
	ops->link(instance, block, bytes, carrier);
}

/* Sets the header of an allocated block. */
static inline void multi_mark(const struct csc_core *core, csc_word block, csc_word bytes,
		csc_word flags, csc_word carrier)
{
	csc_word offset = (block >> core->unit_bits) - (carrier >> core->unit_bits);

	CSC_ASSERT((bytes & ~BLOCK_SIZE_MASK) == 0 && block > carrier);
	CSC_ASSERT(offset << BLOCK_OFFSET_SHIFT >> BLOCK_OFFSET_SHIFT == offset);
	*word_at(core, block) = offset << BLOCK_OFFSET_SHIFT | bytes | flags;
}

/* A free block that is no longer linked; its node may be overwritten already. */
struct loose {
	csc_word block;
	csc_word bytes;
	csc_word last;
	csc_word carrier;
};

/*
 * Hands out `want` bytes of a loose block, the rest of which becomes free again when it can be a
 * block.
 */
static inline void multi_hand_out(struct csc_instance *instance, const struct strategy_ops *ops,
		const struct loose *loose, csc_word want)
{
	const struct csc_core *core = instance->core;
	csc_word bytes = loose->bytes;

	if (bytes - instance->min_block >= want) {
		multi_mark(core, loose->block, want, 0, loose->carrier);
		multi_link(instance, ops, loose->block + want, bytes - want, loose->last,
				loose->carrier);
		bytes = want;
	} else {
		multi_mark(core, loose->block, bytes, loose->last, loose->carrier);
		if (!loose->last) {
			head_mark_prev_used(core, loose->block + bytes);
		}
	}
	multi_count(instance, loose->carrier, instance->type, bytes, true);
	pool_note_alloc(instance);
}

static inline struct loose multi_loose(const struct csc_core *core, csc_word block)
{
	const struct node *node = node_at(core, block);

	return (struct loose){
		.block = block,
		.bytes = node->head & ~BLOCK_FLAGS,
		.last = node->head & BLOCK_LAST,
		.carrier = node->carrier,
	};
}

#endif
