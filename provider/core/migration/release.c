/* SPDX-License-Identifier: MIT */
/* Whose a block is, and freeing it there. */
#include "internal.h"

bool release_block(struct csc_instance *instance, uint32_t type, csc_word block)
{
	const struct csc_core *core = instance->core;
	csc_word address;

	if (release_is_single(core, block)) {
		single_destroy(instance, block);
		return true;
	}
	address = block_carrier(core, block, head_of(core, block));
	if (!pool_hold(instance, address)) {
		return false;
	}
	multi_free(instance, type, block, address);
	return true;
}
