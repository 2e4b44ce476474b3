/* SPDX-License-Identifier: MIT */
/*
 * Which source a carrier comes from, and what is asked of it.
 * Source: SOURCES.md 2.4.
 */
#include "internal.h"
#include "listener.h"

csc_word source_round_sys(const struct csc_instance *instance, csc_word bytes)
{
	csc_word unit = (csc_word)1 << instance->core->unit_bits;
	csc_word step;

	if (!instance->core->memory->has_mseg) {
		unit = 4096;
	}
	step = ((csc_word)instance->settings.ycs + unit - 1) & ~(unit - 1);

	/*
	 * With `ycs` 0 OTP 25 asks for nothing and writes into that, which is why +Muycs 0 is
	 * refused; for settings from elsewhere the exact size is tried here.
	 */
	if (!step) {
		return 0;
	}
	/* Sic: a mask, which is an ordinary rounding only for powers of two. */
	csc_word rounded = (bytes + step - 1) & ~(step - 1);
	return rounded < bytes ? 0 : rounded;
}

csc_word source_round_unit(const struct csc_instance *instance, csc_word bytes)
{
	csc_word unit = (csc_word)1 << instance->core->unit_bits;
	csc_word rounded = (bytes + unit - 1) & ~(unit - 1);

	return rounded < bytes ? 0 : rounded;
}

void emit_os_request(const struct csc_instance *instance, enum csc_call call, uint64_t asked_bytes,
		uint64_t alignment, bool is_retry, struct csc_extent got,
		const struct csc_extent *old)
{
	EMIT(instance->core, CSC_EVENT_OS_REQUEST, os,
			(&(struct csc_os_note){
					.allocator = instance->type,
					.instance = instance->index,
					.call = call,
					.is_retry = is_retry,
					.asked_bytes = asked_bytes,
					.alignment = alignment,
					.address = got.address,
					.size_bytes = got.address ? got.size_bytes : 0,
					.old_address = old ? old->address : 0,
					.old_bytes = old ? old->size_bytes : 0,
			}));
	if (!got.address && (call == CSC_CALL_SYS_ALLOC || call == CSC_CALL_SYS_REALLOC)) {
		csc_listener_heap(instance->core->listener, instance->core->memory, asked_bytes,
				alignment);
	}
}

static struct carrier_memory source_from_mseg(
		struct csc_instance *instance, const struct carrier_need *need)
{
	const struct csc_memory *memory = instance->core->memory;
	csc_word bytes = need->mseg_bytes;

	instance->calls[CSC_CALL_MSEG_ALLOC]++;
	if (need->is_multi) {
		bytes = source_round_unit(instance, bytes);
	}
	if (!bytes) {
		return (struct carrier_memory){ 0 };
	}

	struct csc_extent extent =
			memory->mseg_alloc(memory->context, instance->mseg, bytes, need->is_multi);
	emit_os_request(instance, CSC_CALL_MSEG_ALLOC, bytes,
			need->is_multi ? UINT64_C(1) << instance->core->unit_bits : 0, false,
			extent, NULL);
	return (struct carrier_memory){
		.address = (csc_word)extent.address,
		.size_bytes = (csc_word)extent.size_bytes,
		.source = CSC_SOURCE_MSEG,
	};
}

/*
 * What is asked of sys_alloc for a multi-block carrier of a port that trims them; `bytes` is what
 * would be asked without.
 */
static csc_word source_trim(const struct csc_instance *instance, const struct carrier_need *need,
		csc_word bytes)
{
	csc_word trim = (csc_word)instance->settings.carrier_trim;
	csc_word unit = (csc_word)1 << instance->core->unit_bits;

	if (!trim || !need->is_multi || bytes & (unit - 1) || bytes <= trim) {
		return bytes;
	}
	if (word_down8(bytes - trim) < word_up8(need->held_bytes)) {
		bytes += unit;
	}
	return bytes - trim;
}

static struct carrier_memory source_from_sys(
		struct csc_instance *instance, const struct carrier_need *need)
{
	const struct csc_memory *memory = instance->core->memory;
	uint64_t alignment = need->is_multi ? UINT64_C(1) << instance->core->unit_bits : 0;
	csc_word exact = word_up8(need->sys_bytes);
	csc_word bytes = need->is_exact ? exact : source_round_sys(instance, need->sys_bytes);
	struct csc_extent extent = { 0 };

	bytes = source_trim(instance, need, bytes);
	if (bytes) {
		instance->calls[CSC_CALL_SYS_ALLOC]++;
		extent = memory->sys_alloc(memory->context, instance->mseg, bytes, alignment);
		emit_os_request(instance, CSC_CALL_SYS_ALLOC, bytes, alignment, false, extent,
				NULL);
	}
	if (!extent.address && (!bytes || exact < bytes) && exact >= need->sys_bytes) {
		instance->calls[CSC_CALL_SYS_ALLOC]++;
		extent = memory->sys_alloc(memory->context, instance->mseg, exact, alignment);
		emit_os_request(instance, CSC_CALL_SYS_ALLOC, exact, alignment, true, extent, NULL);
	}
	return (struct carrier_memory){
		.address = (csc_word)extent.address,
		.size_bytes = word_down8((csc_word)extent.size_bytes),
		.source = CSC_SOURCE_SYS,
	};
}

/* The limits on segments send the next carrier to sys_alloc. */
static bool source_prefers_sys(const struct csc_instance *instance, bool is_multi)
{
	const struct csc_memory *memory = instance->core->memory;
	const struct csc_settings *settings = &instance->settings;

	if (memory->mseg_segments(memory->context, instance->mseg) >= settings->mmc) {
		return true;
	}
	if (is_multi) {
		return instance->mbc.mseg.count >= settings->mmmbc;
	}
	return instance->sbc.mseg.count >= settings->mmsbc;
}

/*
 * From the area for literals: counted like a segment, but not a power of two.  A single-block
 * carrier, of an emergency or beyond a given sbct, is a multiple of a page.
 * Source: seen on OTP 25.2.3: a block of 320048 bytes got 323584 when no carrier did fit any more.
 */
static struct carrier_memory source_from_area(
		struct csc_instance *instance, const struct carrier_need *need)
{
	const struct csc_memory *memory = instance->core->memory;
	uint64_t alignment = need->is_multi ? UINT64_C(1) << instance->core->unit_bits : 0;
	csc_word page = (csc_word)memory->page_bytes;
	csc_word bytes = need->is_multi ? source_round_unit(instance, need->mseg_bytes)
					: (need->mseg_bytes + page - 1) / page * page;
	struct csc_extent extent = { 0 };

	instance->calls[CSC_CALL_MSEG_ALLOC]++;
	if (bytes >= need->mseg_bytes) {
		extent = memory->area_alloc(memory->context, bytes, alignment);
		emit_os_request(instance, CSC_CALL_MSEG_ALLOC, bytes, alignment, false, extent,
				NULL);
	}
	return (struct carrier_memory){
		.address = (csc_word)extent.address,
		.size_bytes = (csc_word)extent.size_bytes,
		.source = CSC_SOURCE_MSEG,
	};
}

struct carrier_memory source_obtain(struct csc_instance *instance, const struct carrier_need *need)
{
	struct carrier_memory found = { 0 };

	CSC_ASSERT(!(need->force_sys && need->force_mseg));
	if (instance->has_own_area) {
		return source_from_area(instance, need);
	}
	if (!instance->core->memory->has_mseg) {
		return instance->settings.sac ? source_from_sys(instance, need) : found;
	}
	if (!instance->settings.sac || need->force_mseg) {
		return source_from_mseg(instance, need);
	}
	if (need->force_sys) {
		return source_from_sys(instance, need);
	}
	if (source_prefers_sys(instance, need->is_multi)) {
		found = source_from_sys(instance, need);
		return found.address ? found : source_from_mseg(instance, need);
	}
	found = source_from_mseg(instance, need);
	return found.address ? found : source_from_sys(instance, need);
}

void source_return(struct csc_instance *instance, csc_word address)
{
	struct csc_core *core = instance->core;
	const struct csc_memory *memory = core->memory;
	csc_word head = carrier_at(core, address)->head;
	struct csc_extent extent = {
		.address = address,
		.size_bytes = head & ~(csc_word)7,
	};

	EMIT(core, CSC_EVENT_CARRIER_FREE, note,
			(&(struct csc_carrier_note){
					.allocator = instance->type,
					.instance = instance->index,
					.address = address,
					.size_bytes = extent.size_bytes,
					.kind = head & CARRIER_SINGLE ? CSC_CARRIER_SBC
								      : CSC_CARRIER_MBC,
					.source = head & CARRIER_MSEG ? CSC_SOURCE_MSEG
								      : CSC_SOURCE_SYS,
					.reason = CSC_REASON_EMPTY,
			}));
	emit_os_request(instance, head & CARRIER_MSEG ? CSC_CALL_MSEG_DEALLOC : CSC_CALL_SYS_FREE,
			0, 0, false, (struct csc_extent){ 0 }, &extent);
	if (head & CARRIER_MSEG) {
		instance->calls[CSC_CALL_MSEG_DEALLOC]++;
		if (instance->has_own_area) {
			memory->area_dealloc(memory->context, extent);
			return;
		}
		memory->mseg_dealloc(
				memory->context, instance->mseg, extent, !(head & CARRIER_SINGLE));
	} else {
		instance->calls[CSC_CALL_SYS_FREE]++;
		memory->sys_free(memory->context, extent);
	}
}
