/* SPDX-License-Identifier: MIT */
/*
 * Single-block carriers.
 * Source: SOURCES.md 2.4, 3.5, 8.2.
 */
#include "internal.h"

#include <string.h>

static void single_count(struct csc_instance *instance, const struct carrier_memory *found,
		csc_word block_bytes)
{
	group_add_carrier(&instance->sbc, found->source, found->size_bytes);
	group_add(&instance->sbc, instance->type, block_bytes);
}

static void single_uncount(struct csc_instance *instance, csc_word head, csc_word block_bytes)
{
	group_take_carrier(&instance->sbc, head & CARRIER_MSEG ? CSC_SOURCE_MSEG : CSC_SOURCE_SYS,
			head & ~(csc_word)7);
	group_take(&instance->sbc, instance->type, block_bytes);
}

/* Writes the headers of the carrier and its block; returns the block. */
static csc_word single_lay_out(struct csc_instance *instance, const struct carrier_memory *found,
		csc_word block_bytes)
{
	struct csc_core *core = instance->core;
	struct carrier *carrier = carrier_at(core, found->address);
	csc_word block = found->address + instance->sbc_header;

	carrier->head = found->size_bytes | CARRIER_SINGLE |
			(found->source == CSC_SOURCE_MSEG ? CARRIER_MSEG : 0);
	*word_at(core, block) = block_bytes | BLOCK_SINGLE;
	return block;
}

static struct csc_carrier_note single_note(const struct csc_instance *instance,
		const struct carrier_memory *found, csc_word old_address)
{
	return (struct csc_carrier_note){
		.allocator = instance->type,
		.instance = instance->index,
		.address = found->address,
		.old_address = old_address,
		.size_bytes = found->size_bytes,
		.kind = CSC_CARRIER_SBC,
		.source = found->source,
	};
}

/* Employs new memory as a carrier of one block. */
static csc_word single_add(struct csc_instance *instance, const struct carrier_memory *found,
		csc_word block_bytes, enum csc_carrier_reason reason)
{
	struct csc_core *core = instance->core;
	csc_word block = single_lay_out(instance, found, block_bytes);

	owner_set(carrier_at(core, found->address), (csc_word)instance->handle << 3);
	carrier_list_append(core, &instance->sbcs, found->address);
	single_count(instance, found, block_bytes);
	if (EMIT_ENABLED(core, CSC_EVENT_CARRIER_ALLOC)) {
		struct csc_carrier_note note = single_note(instance, found, 0);

		note.reason = reason;

		core->listener->note(core->listener->context, CSC_EVENT_CARRIER_ALLOC, &note);
	}
	if (EMIT_ENABLED(core, CSC_EVENT_CARRIER_CREATE)) {
		emit_carrier(instance, CSC_EVENT_CARRIER_CREATE, found->size_bytes);
	}
	return block;
}

csc_word single_create(struct csc_instance *instance, csc_word bytes, enum single_source source)
{
	static const enum csc_carrier_reason reasons[] = {
		[SINGLE_ANY] = CSC_REASON_LARGE,
		[SINGLE_SYS] = CSC_REASON_RESIZE,
		[SINGLE_MSEG] = CSC_REASON_RESIZE,
		[SINGLE_EMERGENCY] = CSC_REASON_EMERGENCY,
	};
	csc_word block_bytes = instance_block_bytes(instance, bytes);
	csc_word carrier_bytes = block_bytes + instance->sbc_header;
	struct carrier_need need = {
		.force_sys = source == SINGLE_SYS || source == SINGLE_EMERGENCY,
		.force_mseg = source == SINGLE_MSEG,
		.is_exact = source == SINGLE_EMERGENCY,
		.mseg_bytes = carrier_bytes,
		.sys_bytes = carrier_bytes,
	};

	pool_forbid(instance);
	if (carrier_bytes < block_bytes) {
		return 0;
	}

	struct carrier_memory found = source_obtain(instance, &need);
	return found.address ? single_add(instance, &found, block_bytes, reasons[source]) : 0;
}

void single_destroy(struct csc_instance *instance, csc_word block)
{
	struct csc_core *core = instance->core;
	csc_word address = block - instance->sbc_header;

	carrier_list_remove(core, &instance->sbcs, address);
	single_uncount(instance, carrier_at(core, address)->head,
			block_size(*word_at(core, block)));
	source_return(instance, address);
}

/* Resizes the memory of a segment carrier; address 0: refused. */
static struct carrier_memory single_resize_mseg(
		struct csc_instance *instance, struct csc_extent extent, csc_word carrier_bytes)
{
	const struct csc_memory *memory = instance->core->memory;
	struct csc_shrink shrink = {
		.absolute_bytes = instance->settings.asbcst,
		.relative_percent = instance->settings.rsbcst,
	};
	/* Sic: creation rounds to a page only. */
	csc_word rounded = source_round_unit(instance, carrier_bytes);
	struct csc_extent now = { 0 };

	instance->calls[CSC_CALL_MSEG_REALLOC]++;
	if (rounded) {
		now = instance->has_own_area
				? memory->area_realloc(memory->context, extent, rounded)
				: memory->mseg_realloc(memory->context, instance->mseg, extent,
						  rounded, shrink);
		emit_os_request(instance, CSC_CALL_MSEG_REALLOC, rounded, 0, false, now, &extent);
	}
	return (struct carrier_memory){
		.address = (csc_word)now.address,
		.size_bytes = (csc_word)now.size_bytes,
		.source = CSC_SOURCE_MSEG,
	};
}

static struct carrier_memory single_resize_sys(
		struct csc_instance *instance, struct csc_extent extent, csc_word carrier_bytes)
{
	const struct csc_memory *memory = instance->core->memory;
	csc_word rounded = source_round_sys(instance, carrier_bytes);
	csc_word exact = word_up8(carrier_bytes);
	struct csc_extent now = { 0 };

	if (rounded) {
		instance->calls[CSC_CALL_SYS_REALLOC]++;
		now = memory->sys_realloc(memory->context, instance->mseg, extent, rounded);
		emit_os_request(instance, CSC_CALL_SYS_REALLOC, rounded, 0, false, now, &extent);
	}
	if (!now.address && rounded != exact && exact >= carrier_bytes) {
		instance->calls[CSC_CALL_SYS_REALLOC]++;
		now = memory->sys_realloc(memory->context, instance->mseg, extent, exact);
		emit_os_request(instance, CSC_CALL_SYS_REALLOC, exact, 0, true, now, &extent);
	}
	return (struct carrier_memory){
		.address = (csc_word)now.address,
		.size_bytes = (csc_word)now.size_bytes,
		.source = CSC_SOURCE_SYS,
	};
}

/* The neighbours in the list follow a carrier that has moved. */
static void single_relink(struct csc_instance *instance, csc_word address)
{
	const struct csc_core *core = instance->core;
	const struct carrier *carrier = carrier_at(core, address);

	if (carrier->prev) {
		carrier_at(core, carrier->prev)->next = address;
	} else {
		instance->sbcs.first = address;
	}
	if (carrier->next) {
		carrier_at(core, carrier->next)->prev = address;
	} else {
		instance->sbcs.last = address;
	}
}

csc_word single_resize(struct csc_instance *instance, csc_word block, csc_word bytes)
{
	struct csc_core *core = instance->core;
	csc_word address = block - instance->sbc_header;
	csc_word head = carrier_at(core, address)->head;
	csc_word old_bytes = block_size(*word_at(core, block));
	csc_word block_bytes = instance_block_bytes(instance, bytes);
	csc_word carrier_bytes = block_bytes + instance->sbc_header;
	struct csc_extent extent = {
		.address = address,
		.size_bytes = head & ~(csc_word)7,
	};
	struct carrier_memory found;

	if (head & CARRIER_MSEG) {
		found = single_resize_mseg(instance, extent, carrier_bytes);
	} else {
		found = single_resize_sys(instance, extent, carrier_bytes);
	}
	if (!found.address) {
		csc_word other = single_create(
				instance, bytes, head & CARRIER_MSEG ? SINGLE_SYS : SINGLE_MSEG);

		if (other) {
			csc_word kept = old_bytes < block_bytes ? old_bytes : block_bytes;

			multi_copy(core, block, other, kept - BLOCK_HEADER);
			single_destroy(instance, block);
		}
		return other;
	}

	single_uncount(instance, head, old_bytes);
	block = single_lay_out(instance, &found, block_bytes);
	single_count(instance, &found, block_bytes);
	if (found.address != address) {
		single_relink(instance, found.address);
	}
	if (EMIT_ENABLED(core, CSC_EVENT_CARRIER_REALLOC)) {
		struct csc_carrier_note note = single_note(instance, &found, address);

		note.reason = CSC_REASON_RESIZE;
		core->listener->note(core->listener->context, CSC_EVENT_CARRIER_REALLOC, &note);
	}
	return block;
}
