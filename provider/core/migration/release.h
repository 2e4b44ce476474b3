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
	return (head_of(core, block) & BLOCK_FLAGS) == BLOCK_SINGLE;
}

/* The instance that owns the block now. */
struct csc_instance *release_owner(const struct csc_core *core, csc_word block);

/*
 * Frees a block of ours, which counts as `type`.  False: its carrier was in the pool and has just
 * been fetched by somebody else; nothing has happened.
 */
bool release_block(struct csc_instance *instance, uint32_t type, csc_word block);

#endif
