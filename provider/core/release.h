/* SPDX-License-Identifier: MIT */
/*
 * Whose a block is, and freeing it there.
 * Source: facts/allocator-core.md 5.6, 11.2.
 */
#ifndef CSC_RELEASE_H
#define CSC_RELEASE_H

#include "instance.h"
#include "layout.h"

/* The block fills a single-block carrier. */
static inline bool release_is_single(const struct csc_core *core, csc_word block)
{
	return (head_load(core, block) & BLOCK_FLAGS) == BLOCK_SINGLE;
}

/* The instance that owns the block now. */
struct csc_instance *release_owner(const struct csc_core *core, csc_word block);

/*
 * The block is ours, and stays so until release_disclaim(): nobody fetches its carrier from the
 * pool in between.  False: it belongs to another instance, and there is nothing to disclaim.
 */
bool release_claim(struct csc_instance *instance, csc_word block);
void release_disclaim(struct csc_instance *instance);

/* Frees a block if it is ours, and otherwise sends it to its owner; no call is counted. */
void release_or_send(struct csc_instance *instance, uint32_t type, csc_word block);

/* Frees a claimed block, which counts as `type`. */
void release_block(struct csc_instance *instance, uint32_t type, csc_word block);

#endif
