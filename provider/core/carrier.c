/* SPDX-License-Identifier: MIT */
/*
 * Multi-block carriers: growth, creation, destruction.
 * Source: SOURCES.md 2, 5.5, 8.2.
 */
#include "internal.h"

#include <string.h>

#include "firstfit.h"

/* No carrier is smaller, in bytes. */
#define CARRIER_MIN_BYTES 16384

uint64_t carrier_share(uint64_t x, uint64_t percent)
{
	uint64_t product = x * percent;

	/* Sic: the second form is for overflow, and taken for 0 and 1 percent, too. */
	return product > x ? product / 100 : x / 100 * percent;
}

void carrier_update_limit(struct csc_instance *instance)
{
	if (instance->has_pool) {
		uint64_t bytes = instance->mbc.mseg.bytes + instance->mbc.sys.bytes;

		instance->abandon_limit = carrier_share(bytes, instance->settings.acul);
	}
}

/*
 * Size of the next multi-block carrier from mseg, in bytes, before rounding.  Carriers in the
 * pool do not count, nor does the main carrier.
 * Source: SOURCES.md 2.4.
 */
static csc_word carrier_growth(const struct csc_instance *instance)
{
	const struct csc_settings *settings = &instance->settings;
	uint64_t carriers = instance->mbc.mseg.count + instance->mbc.sys.count;
	uint64_t bytes = settings->lmbcs;

	if (instance->main_carrier) {
		carriers--;
	}
	if (carriers < settings->mbcgs) {
		uint64_t span = settings->lmbcs - settings->smbcs;

		bytes = settings->smbcs + carriers * span / settings->mbcgs;
	}
	return (csc_word)(bytes < CARRIER_MIN_BYTES ? CARRIER_MIN_BYTES : bytes);
}

/* Makes a new carrier out of raw memory; returns its only block, which is free and unlinked. */
static csc_word carrier_lay_out(
		struct csc_instance *instance, const struct carrier_memory *found, bool is_main)
{
	struct csc_core *core = instance->core;
	struct carrier *carrier = carrier_at(core, found->address);

	CSC_ASSERT(found->address % ((csc_word)1 << core->unit_bits) == 0);
	CSC_ASSERT(found->size_bytes >= instance->mbc_header + instance->min_block);
	memset(carrier, 0, instance->mbc_header);
	carrier->head = found->size_bytes | (found->source == CSC_SOURCE_MSEG ? CARRIER_MSEG : 0) |
			(is_main ? CARRIER_MAIN : 0);
	owner_set(carrier, (csc_word)instance->handle << 3);
	carrier->origin = instance->handle;
	carrier->abandon_limit =
			(csc_word)carrier_share(found->size_bytes, instance->settings.acul);
	carrier->message_head = BLOCK_MESSAGE;
	uint64_t birth = __atomic_add_fetch(&core->births, 1, __ATOMIC_RELAXED);

	if (instance->ops->largest) {
		firstfit_prepare(core, found->address, instance->settings.strategy, birth);
		memcpy(carrier->pooled.tail.birth,
				fit_carrier_at(core, found->address)->node.tail.birth,
				sizeof(carrier->pooled.tail.birth));
	}

	csc_word block = found->address + instance->mbc_header;
	struct node *node = node_at(core, block);
	node->head = word_down8(found->size_bytes - instance->mbc_header) | BLOCK_FREE | BLOCK_LAST;
	node->carrier = found->address;
	return block;
}

/* Employs new memory as a carrier; returns its only block. */
static csc_word carrier_add(
		struct csc_instance *instance, const struct carrier_memory *found, bool is_main)
{
	struct csc_core *core = instance->core;
	csc_word block = carrier_lay_out(instance, found, is_main);

	if (is_main) {
		instance->main_carrier = found->address;
	}
	carrier_list_append(core, &instance->mbcs, found->address);
	group_add_carrier(&instance->mbc, found->source, found->size_bytes);
	carrier_update_limit(instance);
	if (instance->ops->employ) {
		instance->ops->employ(instance, found->address);
	}
	EMIT(core, CSC_EVENT_CARRIER_ALLOC, note,
			(&(struct csc_carrier_note){
					.allocator = instance->type,
					.instance = instance->index,
					.address = found->address,
					.size_bytes = found->size_bytes,
					.kind = is_main ? CSC_CARRIER_MAIN : CSC_CARRIER_MBC,
					.source = found->source,
					.reason = is_main ? CSC_REASON_MAIN : CSC_REASON_FULL,
			}));
	if (EMIT_ENABLED(core, CSC_EVENT_CARRIER_CREATE)) {
		emit_carrier(instance, CSC_EVENT_CARRIER_CREATE, found->size_bytes);
	}
	return block;
}

csc_word carrier_create(struct csc_instance *instance, csc_word bytes)
{
	/* Sic: `bytes` is a block size by now, and gets a header once more. */
	csc_word block_bytes = instance_block_bytes(instance, bytes);
	csc_word need_bytes = instance->mbc_header + block_bytes;

	pool_forbid(instance);
	if (instance->has_pool) {
		csc_word fetched = pool_fetch(instance, block_bytes);

		if (fetched) {
			return instance->ops->take(instance, block_bytes, NULL);
		}
	}

	csc_word growth = carrier_growth(instance);
	csc_word least = (csc_word)instance->settings.smbcs;
	struct carrier_need need = {
		.is_multi = true,
		.mseg_bytes = growth > need_bytes ? growth : need_bytes,
		.sys_bytes = least > need_bytes ? least : need_bytes,
		.held_bytes = need_bytes,
	};
	struct carrier_memory found = source_obtain(instance, &need);
	return found.address ? carrier_add(instance, &found, false) : 0;
}

bool carrier_create_main(struct csc_instance *instance)
{
	csc_word bytes = (csc_word)instance->settings.mmbcs;

	bytes = bytes < CARRIER_MIN_BYTES ? CARRIER_MIN_BYTES : bytes;

	struct carrier_need need = {
		.is_multi = true,
		.force_sys = true,
		.is_exact = true,
		.mseg_bytes = bytes,
		.sys_bytes = bytes,
	};
	struct carrier_memory found = source_obtain(instance, &need);
	if (!found.address) {
		return false;
	}
	pool_forbid(instance);
	csc_word block = carrier_add(instance, &found, true);
	instance->ops->link(
			instance, block, block_size(head_of(instance->core, block)), found.address);
	return true;
}

void carrier_destroy(struct csc_instance *instance, csc_word address)
{
	struct csc_core *core = instance->core;
	struct carrier *carrier = carrier_at(core, address);
	csc_word size_bytes = carrier_size(carrier);

	CSC_ASSERT(address != instance->main_carrier);
	CSC_ASSERT(core_instance(core, owner_of(carrier)) == instance);
	if (owner_of(carrier) & OWNER_IN_POOL) {
		pool_drop(instance, address);
	} else {
		carrier_list_remove(core, &instance->mbcs, address);
		group_take_carrier(&instance->mbc,
				carrier->head & CARRIER_MSEG ? CSC_SOURCE_MSEG : CSC_SOURCE_SYS,
				size_bytes);
		carrier_update_limit(instance);
		if (instance->ops->dismiss) {
			instance->ops->dismiss(instance, address);
		}
	}
	if (EMIT_ENABLED(core, CSC_EVENT_CARRIER_DESTROY)) {
		emit_carrier(instance, CSC_EVENT_CARRIER_DESTROY, size_bytes);
	}
	pool_release(instance, address);
}
