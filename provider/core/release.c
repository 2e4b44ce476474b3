/* SPDX-License-Identifier: MIT */
/* Whose a block is, and freeing it there. */
#include "release.h"

#include "carrier.h"
#include "multi.h"

/* The owner word of the carrier around `block`. */
static csc_word release_owner_word(const struct csc_core *core, csc_word block)
{
	csc_word head = *word_at(core, block);

	if ((head & BLOCK_FLAGS) == BLOCK_SINGLE) {
		return carrier_at(core, block - SINGLE_HEADER)->owner;
	}
	return carrier_at(core, block_carrier(core, block, head))->owner;
}

struct csc_instance *release_owner(const struct csc_core *core, csc_word block)
{
	return core_instance(core, release_owner_word(core, block));
}

void release_block(struct csc_instance *instance, uint32_t type, csc_word block)
{
	if (release_is_single(instance->core, block)) {
		single_destroy(instance, block);
	} else {
		multi_free(instance, type, block);
	}
}
