/* SPDX-License-Identifier: MIT */
/*
 * Allocation and release of blocks of multi-block carriers, once for each strategy: with its
 * operations constant they are called directly, or become part of the function.
 * Source: SOURCES.md 3.1, 3.2.
 */
#ifndef CSC_MULTI_CALLS_H
#define CSC_MULTI_CALLS_H

#include "internal.h"
#include "multi_inline.h"

#define MULTI_INLINE static inline __attribute__((always_inline))

/* See multi_alloc(). */
MULTI_INLINE csc_word multi_alloc_by(
		struct csc_instance *instance, csc_word bytes, const struct strategy_ops *ops)
{
	csc_word want = instance_block_bytes(instance, bytes);
	csc_word block = ops->take(instance, want, NULL);

	if (!block) {
		block = carrier_create(instance, want);
	}
	if (!block) {
		return single_create(instance, bytes, SINGLE_EMERGENCY);
	}

	struct loose loose = multi_loose(instance->core, block);
	CSC_ASSERT(loose.bytes >= want);
	multi_hand_out(instance, ops, &loose, want);
	return block;
}

MULTI_INLINE void multi_free_by(struct csc_instance *instance, uint32_t type, csc_word block,
		csc_word address, const struct strategy_ops *ops)
{
	const struct csc_core *core = instance->core;
	csc_word head = head_of(core, block);
	struct carrier *carrier = carrier_at(core, address);
	csc_word bytes = block_size(head);
	csc_word last = head & BLOCK_LAST;

	CSC_ASSERT(address == block_carrier(core, block, head));
	CSC_ASSERT(!(head & BLOCK_FREE) && bytes >= instance->min_block);
	CSC_ASSERT(core_instance(instance->core, owner_of(carrier)) == instance);
	pool_note_free(instance);
	multi_count(instance, address, type, bytes, false);
	if (head & BLOCK_PREV_FREE) {
		csc_word prev_bytes = *word_at(core, block - BLOCK_HEADER);

		block -= prev_bytes;
		bytes += prev_bytes;
		ops->unlink(instance, block);
	}
	if (!last) {
		csc_word next_head = *word_at(core, block + bytes);

		if (next_head & BLOCK_FREE) {
			ops->unlink(instance, block + bytes);
			bytes += block_size(next_head);
			last = next_head & BLOCK_LAST;
		}
	}

	bool is_whole = block == address + instance->mbc_header && last;
	if (is_whole && !(carrier->head & CARRIER_MAIN)) {
		struct node *node = node_at(core, block);

		node->head = bytes | BLOCK_FREE | BLOCK_LAST;
		node->carrier = address;
		carrier_destroy(instance, address);
		return;
	}
	multi_link(instance, ops, block, bytes, last, address);
	if (owner_of(carrier) & OWNER_IN_POOL) {
		pool_note_larger(instance, address);
	} else {
		pool_check_abandon(instance, address);
	}
}

/* The members `alloc` and `free` of a strategy: functions named after it, afit_alloc() ... */
#define MULTI_CALLS(strategy)                                                                     \
	static csc_word strategy##_alloc(struct csc_instance *instance, csc_word bytes)           \
	{                                                                                         \
		return multi_alloc_by(instance, bytes, &strategy##_ops);                          \
	}                                                                                         \
	static void strategy##_free(struct csc_instance *instance, uint32_t type, csc_word block, \
			csc_word carrier)                                                         \
	{                                                                                         \
		multi_free_by(instance, type, block, carrier, &strategy##_ops);                   \
	}

#endif
