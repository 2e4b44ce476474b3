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

/*
 * Hands out `want` bytes of a block that is linked.  False: it does not keep its place, or nothing
 * would be left of it; nothing has happened.
 */
MULTI_INLINE bool multi_cut(struct csc_instance *instance, csc_word block, csc_word want,
		const struct strategy_ops *ops)
{
	struct loose whole = multi_loose(instance->core, block);

	if (whole.bytes - instance->min_block < want ||
			!ops->keeps_places(instance, whole.carrier)) {
		return false;
	}
	multi_set_free(instance, block + want, whole.bytes - want, whole.last, whole.carrier);
	ops->cut(instance, block, block + want);
	multi_mark(instance->core, block, want, 0, whole.carrier);
	multi_count(instance, whole.carrier, instance->type, want, true);
	pool_note_alloc(instance);
	return true;
}

/* See multi_alloc(). */
MULTI_INLINE csc_word multi_alloc_by(
		struct csc_instance *instance, csc_word bytes, const struct strategy_ops *ops)
{
	csc_word want = instance_block_bytes(instance, bytes);
	csc_word block;

	if (ops->choose) {
		block = ops->choose(instance, want);
		if (block && multi_cut(instance, block, want, ops)) {
			return block;
		}
		if (block) {
			ops->unlink(instance, block, node_at(instance->core, block)->carrier);
		}
	} else {
		block = ops->take(instance, want, NULL);
	}

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
	csc_word prev = 0;
	csc_word next = 0;

	CSC_ASSERT(address == block_carrier(core, block, head));
	CSC_ASSERT(!(head & BLOCK_FREE) && bytes >= instance->min_block);
	CSC_ASSERT(core_instance(instance->core, owner_of(carrier)) == instance);
	pool_note_free(instance);
	multi_count(instance, address, type, bytes, false);
	if (head & BLOCK_PREV_FREE) {
		csc_word prev_bytes = *word_at(core, block - BLOCK_HEADER);

		block -= prev_bytes;
		bytes += prev_bytes;
		prev = block;
	}
	if (!last) {
		csc_word next_head = *word_at(core, block + bytes);

		if (next_head & BLOCK_FREE) {
			next = block + bytes;
			bytes += block_size(next_head);
			last = next_head & BLOCK_LAST;
		}
	}

	bool is_whole = block == address + instance->mbc_header && last &&
			!(carrier->head & CARRIER_MAIN);
	if (!is_whole && ops->keeps_places && (prev || next) &&
			ops->keeps_places(instance, address)) {
		if (prev && next) {
			ops->unlink(instance, next, address);
		}
		multi_set_free(instance, block, bytes, last, address);
		if (prev) {
			ops->grow(instance, block);
		} else {
			ops->extend(instance, next, block);
		}
	} else {
		if (prev) {
			ops->unlink(instance, prev, address);
		}
		if (next) {
			ops->unlink(instance, next, address);
		}
		if (is_whole) {
			struct node *node = node_at(core, block);

			node->head = bytes | BLOCK_FREE | BLOCK_LAST;
			node->carrier = address;
			carrier_destroy(instance, address);
			return;
		}
		multi_link(instance, ops, block, bytes, last, address);
	}
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
