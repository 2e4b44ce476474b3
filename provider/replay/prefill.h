/* SPDX-License-Identifier: MIT */
/*
 * A runtime as it was when the node was read first.
 *
 * Numbers of blocks and their bytes are those of the node; blocks that are known one by one have
 * their sizes, the others the mean of what is left.  Where they lie is an estimate: carriers are
 * made one after another as the instance makes them, of which those stay whose sizes add up to what
 * the node had, and each of these gets a block; the others go where the strategy puts them.
 */
#ifndef CSC_PREFILL_H
#define CSC_PREFILL_H

#include "player.h"
#include "start_state.h"

/* Before the first call. */
enum csc_status prefill(struct player *player, const struct start_state *start,
		const struct reading *reading, uint32_t allocators, struct diag *diag);

#endif
