/* SPDX-License-Identifier: MIT */
/* What the core says, said to LTTng. */
#include "speech.h"

#include <stddef.h>

#include "carrierscope_tp.h"
#include "com_ericsson_otp.h"
#include "org_erlang_otp.h"

static const char *speech_name(const struct speech *speech, uint32_t allocator)
{
	const char *name = allocator < SPEECH_NAMES_MAX ? speech->names[allocator] : NULL;

	return name ? name : "unknown";
}

static bool speech_is_for_other(const struct speech *speech, enum csc_event event)
{
	return speech->other && (speech->other->enabled & CSC_EVENT_BIT(event));
}

static void speech_carrier(
		void *context, enum csc_event event, const struct csc_otp_carrier *values)
{
	const struct speech *speech = context;
	const char *name = speech_name(speech, values->allocator);
	int instance = (int)values->instance;
	struct otp_counters counters = {
		.mbc_carriers = values->mbc_carriers,
		.mbc_carriers_size = values->mbc_carriers_bytes,
		.mbc_blocks = values->mbc_blocks,
		.mbc_blocks_size = values->mbc_blocks_bytes,
		.sbc_carriers = values->sbc_carriers,
		.sbc_carriers_size = values->sbc_carriers_bytes,
		.sbc_blocks = values->sbc_blocks,
		.sbc_blocks_size = values->sbc_blocks_bytes,
	};

	if (event == CSC_EVENT_CARRIER_CREATE) {
		lttng_ust_tracepoint(org_erlang_otp, carrier_create, name, instance,
				values->size_bytes, &counters);
		lttng_ust_tracepoint(com_ericsson_otp, carrier_create, name, instance,
				values->size_bytes, &counters);
	} else {
		lttng_ust_tracepoint(org_erlang_otp, carrier_destroy, name, instance,
				values->size_bytes, &counters);
		lttng_ust_tracepoint(com_ericsson_otp, carrier_destroy, name, instance,
				values->size_bytes, &counters);
	}
	if (speech_is_for_other(speech, event)) {
		speech->other->carrier(speech->other->context, event, values);
	}
}

static void speech_pool(void *context, enum csc_event event, const struct csc_otp_pool *values)
{
	const struct speech *speech = context;
	const char *name = speech_name(speech, values->allocator);
	int instance = (int)values->instance;

	if (event == CSC_EVENT_POOL_PUT) {
		lttng_ust_tracepoint(org_erlang_otp, carrier_pool_put, name, instance,
				values->size_bytes);
		lttng_ust_tracepoint(com_ericsson_otp, carrier_pool_put, name, instance,
				values->size_bytes);
	} else {
		lttng_ust_tracepoint(org_erlang_otp, carrier_pool_get, name, instance,
				values->size_bytes);
		lttng_ust_tracepoint(com_ericsson_otp, carrier_pool_get, name, instance,
				values->size_bytes);
	}
	if (speech_is_for_other(speech, event)) {
		speech->other->pool(speech->other->context, event, values);
	}
}

static void speech_note(void *context, enum csc_event event, const struct csc_carrier_note *values)
{
	const struct speech *speech = context;

	if (speech_is_for_other(speech, event)) {
		speech->other->note(speech->other->context, event, values);
	}
}

static void speech_os(void *context, enum csc_event event, const struct csc_os_note *values)
{
	const struct speech *speech = context;

	if (speech_is_for_other(speech, event)) {
		speech->other->os(speech->other->context, event, values);
	}
}

/* A block was handed out, or is given back; a resized one is both. */
static void speech_say_block(const struct csc_block_note *values, uint64_t address, bool is_new)
{
	uint16_t type = (uint16_t)values->allocator;
	uint8_t allocator = (uint8_t)values->allocator;
	uint16_t instance = (uint16_t)values->instance;

	if (is_new) {
		lttng_ust_tracepoint(carrierscope, block_alloc, address, values->size_bytes, type,
				allocator, instance);
	} else {
		lttng_ust_tracepoint(
				carrierscope, block_free, address, 0, type, allocator, instance);
	}
}

static void speech_block(void *context, enum csc_event event, const struct csc_block_note *values)
{
	const struct speech *speech = context;

	if (event == CSC_EVENT_BLOCK_FREE) {
		speech_say_block(values, values->address, false);
	} else if (event == CSC_EVENT_BLOCK_REALLOC && values->old_address) {
		speech_say_block(values, values->old_address, false);
	}
	if (event == CSC_EVENT_BLOCK_ALLOC || event == CSC_EVENT_BLOCK_REALLOC) {
		speech_say_block(values, values->address, true);
	}
	if (speech_is_for_other(speech, event)) {
		speech->other->block(speech->other->context, event, values);
	}
}

void speech_refresh(struct speech *speech)
{
	uint32_t enabled = speech->other ? speech->other->enabled : 0;

	if (lttng_ust_tracepoint_enabled(org_erlang_otp, carrier_create) ||
			lttng_ust_tracepoint_enabled(com_ericsson_otp, carrier_create)) {
		enabled |= CSC_EVENT_BIT(CSC_EVENT_CARRIER_CREATE);
	}
	if (lttng_ust_tracepoint_enabled(org_erlang_otp, carrier_destroy) ||
			lttng_ust_tracepoint_enabled(com_ericsson_otp, carrier_destroy)) {
		enabled |= CSC_EVENT_BIT(CSC_EVENT_CARRIER_DESTROY);
	}
	if (lttng_ust_tracepoint_enabled(org_erlang_otp, carrier_pool_put) ||
			lttng_ust_tracepoint_enabled(com_ericsson_otp, carrier_pool_put)) {
		enabled |= CSC_EVENT_BIT(CSC_EVENT_POOL_PUT);
	}
	if (lttng_ust_tracepoint_enabled(org_erlang_otp, carrier_pool_get) ||
			lttng_ust_tracepoint_enabled(com_ericsson_otp, carrier_pool_get)) {
		enabled |= CSC_EVENT_BIT(CSC_EVENT_POOL_GET);
	}
	if (lttng_ust_tracepoint_enabled(carrierscope, block_alloc)) {
		enabled |= CSC_EVENT_BIT(CSC_EVENT_BLOCK_ALLOC) |
				CSC_EVENT_BIT(CSC_EVENT_BLOCK_REALLOC);
	}
	if (lttng_ust_tracepoint_enabled(carrierscope, block_free)) {
		enabled |= CSC_EVENT_BIT(CSC_EVENT_BLOCK_FREE) |
				CSC_EVENT_BIT(CSC_EVENT_BLOCK_REALLOC);
	}
	__atomic_store_n(&speech->listener.enabled, enabled, __ATOMIC_RELAXED);
}

void speech_init(struct speech *speech, const struct csc_listener *other)
{
	speech->other = other;
	speech->listener = (struct csc_listener){
		.context = speech,
		.carrier = speech_carrier,
		.pool = speech_pool,
		.note = speech_note,
		.os = speech_os,
		.block = speech_block,
	};
	speech_refresh(speech);
}
