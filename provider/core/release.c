/* SPDX-License-Identifier: MIT */
/* Whose a block is, and freeing it there. */
#include "release.h"

#include "carrier.h"
#include "delayed.h"
#include "multi.h"
#include "pool.h"

/* The owner word of the carrier around `block`. */
static csc_word release_owner_word(const struct csc_core *core, csc_word block)
{
	csc_word head = head_load(core, block);

	if ((head & BLOCK_FLAGS) == BLOCK_SINGLE) {
		return owner_load(carrier_at(core, block - SINGLE_HEADER));
	}
	return owner_load(carrier_at(core, block_carrier(core, block, head)));
}

struct csc_instance *release_owner(const struct csc_core *core, csc_word block)
{
	return core_instance(core, release_owner_word(core, block));
}

bool release_claim(struct csc_instance *instance, csc_word block)
{
	const struct csc_core *core = instance->core;
	csc_word owner = release_owner_word(core, block);

	if (owner >> 3 != instance->handle) {
		return false;
	}
	if (!core->give_way || !(owner & OWNER_IN_POOL)) {
		return true;
	}
	pool_enter(instance);
	if (release_owner_word(core, block) >> 3 == instance->handle) {
		return true;
	}
	/* Somebody was faster and employs the carrier now. */
	pool_leave(instance);
	return false;
}

void release_disclaim(struct csc_instance *instance)
{
	if (instance->pool_depth) {
		pool_leave(instance);
	}
}

void release_block(struct csc_instance *instance, uint32_t type, csc_word block)
{
	if (release_is_single(instance->core, block)) {
		single_destroy(instance, block);
	} else {
		multi_free(instance, type, block);
	}
}

void release_or_send(struct csc_instance *instance, uint32_t type, csc_word block)
{
	if (!release_claim(instance, block)) {
		delayed_send_block(instance->core, type, block);
		return;
	}
	release_block(instance, type, block);
	release_disclaim(instance);
}
