/* SPDX-License-Identifier: MIT */
/* Walks an instance and checks that everything fits together. */
#include "instance.h"

#include "internal.h"
#include "layout.h"

/* What a walk over the carriers finds. */
struct walk {
	struct tally blocks;
	struct tally carriers;
};

/* Walks the blocks of a multi-block carrier. */
static bool valid_blocks(const struct csc_instance *instance, csc_word address, struct walk *walk)
{
	const struct csc_core *core = instance->core;
	const struct carrier *carrier = carrier_at(core, address);
	csc_word end = address + instance->mbc_header +
			word_down8(carrier_size(carrier) - instance->mbc_header);
	csc_word block = address + instance->mbc_header;
	csc_word free_before = 0;
	csc_word used = 0;

	for (;;) {
		csc_word head = *word_at(core, block);
		csc_word bytes = block_size(head);

		if (bytes < instance->min_block || bytes > end - block) {
			return false;
		}
		if ((head & BLOCK_PREV_FREE ? 1 : 0) != (free_before ? 1 : 0)) {
			return false;
		}
		if (head & BLOCK_FREE) {
			if (free_before || node_at(core, block)->carrier != address) {
				return false;
			}
			if (!(head & BLOCK_LAST) &&
					*word_at(core, block + bytes - BLOCK_HEADER) != bytes) {
				return false;
			}
			free_before = block;
		} else {
			if (block_carrier(core, block, head) != address) {
				return false;
			}
			walk->blocks.count++;
			walk->blocks.bytes += bytes;
			used += bytes;
			free_before = 0;
		}
		block += bytes;
		if (head & BLOCK_LAST) {
			break;
		}
	}
	return block == end && used == carrier->block_bytes;
}

static bool valid_multi(const struct csc_instance *instance, struct walk *walk)
{
	const struct csc_core *core = instance->core;
	csc_word before = 0;

	for (csc_word i = instance->mbcs.first; i; before = i, i = carrier_at(core, i)->next) {
		const struct carrier *carrier = carrier_at(core, i);

		if (carrier->prev != before || carrier->owner >> 3 != instance->handle ||
				carrier->owner & OWNER_IN_POOL) {
			return false;
		}
		walk->carriers.count++;
		walk->carriers.bytes += carrier_size(carrier);
		if (!valid_blocks(instance, i, walk)) {
			return false;
		}
	}
	return instance->mbcs.last == before;
}

static bool valid_single(const struct csc_instance *instance, struct walk *walk)
{
	const struct csc_core *core = instance->core;
	csc_word before = 0;

	for (csc_word i = instance->sbcs.first; i; before = i, i = carrier_at(core, i)->next) {
		const struct carrier *carrier = carrier_at(core, i);
		csc_word head = *word_at(core, i + instance->sbc_header);

		if (carrier->prev != before || carrier->owner >> 3 != instance->handle ||
				(head & BLOCK_FLAGS) != BLOCK_SINGLE ||
				block_size(head) + instance->sbc_header > carrier_size(carrier)) {
			return false;
		}
		walk->carriers.count++;
		walk->carriers.bytes += carrier_size(carrier);
		walk->blocks.count++;
		walk->blocks.bytes += block_size(head);
	}
	return instance->sbcs.last == before;
}

/* The figures of the group are those of the walk. */
static bool valid_figures(const struct carrier_group *group, const struct walk *walk)
{
	struct tally blocks = { 0 };

	for (int i = 0; i < CSC_TYPES_MAX; i++) {
		const struct tally_history *history = &group->blocks[i];

		blocks.count += history->now.count;
		blocks.bytes += history->now.bytes;
		if (history->now.count > history->max.count ||
				history->now.bytes > history->max.bytes) {
			return false;
		}
	}
	return blocks.count == walk->blocks.count && blocks.bytes == walk->blocks.bytes &&
			group->mseg.count + group->sys.count == walk->carriers.count &&
			group->mseg.bytes + group->sys.bytes == walk->carriers.bytes;
}

bool csc_instance_is_valid(const struct csc_instance *instance)
{
	struct walk multi = { 0 };
	struct walk single = { 0 };

	return valid_multi(instance, &multi) && valid_figures(&instance->mbc, &multi) &&
			valid_single(instance, &single) && valid_figures(&instance->sbc, &single) &&
			instance->ops->is_valid(instance) && pool_is_valid(instance);
}
