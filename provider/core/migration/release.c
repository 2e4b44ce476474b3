/* SPDX-License-Identifier: MIT */
/* Whose a block is, and freeing it there. */
#include "internal.h"

/* The owner word of the carrier around `block`. */
static csc_word release_owner_word(const struct csc_core *core, csc_word block)
{
	csc_word head = head_of(core, block);

	if ((head & BLOCK_FLAGS) == BLOCK_SINGLE) {
		return owner_of(carrier_at(core, block - SINGLE_HEADER));
	}
	return owner_of(carrier_at(core, block_carrier(core, block, head)));
}

struct csc_instance *release_owner(const struct csc_core *core, csc_word block)
{
	return core_instance(core, release_owner_word(core, block));
}

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
	multi_free(instance, type, block);
	return true;
}
