/* SPDX-License-Identifier: MIT */
/* The listener, and its mask. */
#include "lttng_listener.h"

#include "carrierscope_tp.h"
#include "com_ericsson_otp.h"
#include "org_erlang_otp.h"

#include "block_batches.h"
#include "lttng_listener_internal.h"
#include "sessions.h"

/* What the calls of this thread are about. */
static _Thread_local struct {
	uint16_t type_id;
	uint64_t size_bytes;
} next_block;

static struct lttng_listener lttng;

#define STATE_OF(provider, event) \
	((uint32_t)(CMM_LOAD_SHARED(lttng_ust_tracepoint_##provider##___##event.state) != 0))

/* The bit of an event of the core if a session wants it: of ours, or of OTP's. */
#define OUR_BIT(bit, event) (STATE_OF(carrierscope, event) << (bit))
#define OTP_BIT(bit, event) \
	((STATE_OF(org_erlang_otp, event) | STATE_OF(com_ericsson_otp, event)) << (bit))

#define BLOCK_BITS                                                                    \
	(CSC_EVENT_BIT(CSC_EVENT_BLOCK_ALLOC) | CSC_EVENT_BIT(CSC_EVENT_BLOCK_FREE) | \
			CSC_EVENT_BIT(CSC_EVENT_BLOCK_REALLOC))

static bool packs_blocks(void)
{
	return lttng.has_batches && STATE_OF(carrierscope, block_batch);
}

static uint32_t wanted_events(void)
{
	return OTP_BIT(CSC_EVENT_CARRIER_CREATE, carrier_create) |
			OTP_BIT(CSC_EVENT_CARRIER_DESTROY, carrier_destroy) |
			OTP_BIT(CSC_EVENT_CARRIER_POOL_PUT, carrier_pool_put) |
			OTP_BIT(CSC_EVENT_CARRIER_POOL_GET, carrier_pool_get) |
			OUR_BIT(CSC_EVENT_CARRIER_ALLOC, carrier_alloc) |
			OUR_BIT(CSC_EVENT_CARRIER_FREE, carrier_free) |
			OUR_BIT(CSC_EVENT_CARRIER_REALLOC, carrier_realloc) |
			OUR_BIT(CSC_EVENT_OS_REQUEST, os_request) |
			(packs_blocks() ? BLOCK_BITS
					: OUR_BIT(CSC_EVENT_BLOCK_ALLOC, block_alloc) |
									OUR_BIT(CSC_EVENT_BLOCK_FREE,
											block_free) |
									OUR_BIT(CSC_EVENT_BLOCK_REALLOC,
											block_realloc)) |
			OUR_BIT(CSC_EVENT_ALLOC_FAILURE, alloc_failure) |
			OUR_BIT(CSC_EVENT_HEAP_STATE, heap_state) |
			OUR_BIT(CSC_EVENT_CARRIER_MOVED, carrier_moved) |
			/* Emitted only while statedump_emit() asks for it. */
			CSC_EVENT_BIT(CSC_EVENT_STATE_CARRIER);
}

static const char *allocator_name(uint32_t allocator)
{
	const struct csc_listener_subject *runtime = lttng.runtime;
	const char *name = NULL;

	if (runtime && allocator < CSC_TYPES_MAX) {
		name = runtime->allocator_names[allocator];
	}
	return name ? name : "sys_alloc";
}

#define EMIT_OTP(event, ...)                                                \
	do {                                                                \
		lttng_ust_tracepoint(org_erlang_otp, event, __VA_ARGS__);   \
		lttng_ust_tracepoint(com_ericsson_otp, event, __VA_ARGS__); \
	} while (0)

#define COPY_COUNTER(name) .name = values->name,

static void emit_carrier(void *context, enum csc_event event, const struct csc_otp_carrier *values)
{
	const char *name = allocator_name(values->allocator);
	int instance = (int)values->instance;
	struct otp_counters counters = { OTP_COUNTERS(COPY_COUNTER) };

	(void)context;
	if (event == CSC_EVENT_CARRIER_CREATE) {
		EMIT_OTP(carrier_create, name, instance, values->size_bytes, &counters);
	} else {
		EMIT_OTP(carrier_destroy, name, instance, values->size_bytes, &counters);
	}
}

static void emit_pool(void *context, enum csc_event event, const struct csc_otp_pool *values)
{
	const char *name = allocator_name(values->allocator);
	int instance = (int)values->instance;

	(void)context;
	if (event == CSC_EVENT_CARRIER_POOL_PUT) {
		EMIT_OTP(carrier_pool_put, name, instance, values->size_bytes);
	} else {
		EMIT_OTP(carrier_pool_get, name, instance, values->size_bytes);
	}
}

static void emit_note(void *context, enum csc_event event, const struct csc_carrier_note *values)
{
	uint8_t allocator_id = (uint8_t)values->allocator;
	uint16_t instance = (uint16_t)values->instance;
	uint8_t kind = (uint8_t)values->kind;
	uint8_t source = (uint8_t)values->source;
	uint8_t reason = (uint8_t)values->reason;

	switch (event) {
	case CSC_EVENT_CARRIER_ALLOC:
		lttng_ust_tracepoint(carrierscope, carrier_alloc, values->address,
				values->size_bytes, allocator_id, instance, kind, source, reason);
		break;
	case CSC_EVENT_CARRIER_FREE:
		lttng_ust_tracepoint(carrierscope, carrier_free, values->address,
				values->size_bytes, allocator_id, instance, kind, source, reason);
		break;
	case CSC_EVENT_CARRIER_REALLOC:
		lttng_ust_tracepoint(carrierscope, carrier_realloc, values->address,
				values->old_address, values->size_bytes, allocator_id, instance,
				kind, source, reason);
		break;
	case CSC_EVENT_CARRIER_MOVED:
		lttng_ust_tracepoint(carrierscope, carrier_moved, values->address,
				values->size_bytes, allocator_id, instance,
				(uint16_t)values->origin, (uint8_t)values->place);
		break;
	default:
		statedump_carrier(context, values);
		break;
	}
}

static void emit_os(void *context, enum csc_event event, const struct csc_os_note *values)
{
	uint8_t call = (uint8_t)(values->call - CSC_CALL_MSEG_ALLOC);

	(void)context;
	(void)event;
	lttng_ust_tracepoint(carrierscope, os_request, (uint8_t)values->allocator,
			(uint16_t)values->instance, call, values->asked_bytes, values->alignment,
			values->address, values->size_bytes, values->old_address, values->old_bytes,
			(uint8_t)values->is_retry);
}

/* Puts a block event into a batch.  False: it is an event of its own. */
static bool pack_block(enum csc_event event, const struct csc_block_note *values)
{
	bool is_free = event == CSC_EVENT_BLOCK_FREE;
	bool is_realloc = event == CSC_EVENT_BLOCK_REALLOC;
	struct batch_record record = {
		.kind = is_free		     ? BATCH_FREE
				: is_realloc ? BATCH_REALLOC
					     : BATCH_ALLOC,
		.address = values->address,
		.old_address = is_realloc ? values->old_address : 0,
		.bytes = is_free ? next_block.size_bytes : values->size_bytes,
		.type = next_block.type_id,
		.allocator = (uint8_t)values->allocator,
		.instance = (uint16_t)values->instance,
	};

	return event != CSC_EVENT_ALLOC_FAILURE && packs_blocks() && block_batches_add(&record);
}

static void emit_block(void *context, enum csc_event event, const struct csc_block_note *values)
{
	uint8_t allocator_id = (uint8_t)values->allocator;
	uint16_t instance = (uint16_t)values->instance;

	(void)context;
	if (pack_block(event, values)) {
		return;
	}
	switch (event) {
	case CSC_EVENT_BLOCK_ALLOC:
		lttng_ust_tracepoint(carrierscope, block_alloc, values->address, values->size_bytes,
				next_block.type_id, allocator_id, instance);
		break;
	case CSC_EVENT_BLOCK_FREE:
		lttng_ust_tracepoint(carrierscope, block_free, values->address,
				next_block.size_bytes, next_block.type_id, allocator_id, instance);
		break;
	case CSC_EVENT_BLOCK_REALLOC:
		lttng_ust_tracepoint(carrierscope, block_realloc, values->address,
				values->old_address, values->size_bytes, next_block.type_id,
				allocator_id, instance);
		break;
	default:
		lttng_ust_tracepoint(carrierscope, alloc_failure, values->size_bytes,
				values->old_address, next_block.type_id, allocator_id, instance);
		break;
	}
}

static void emit_heap(void *context, enum csc_event event, const struct csc_heap_note *values)
{
	(void)context;
	(void)event;
	lttng_ust_tracepoint(carrierscope, heap_state, values->asked_bytes, values->alignment,
			values->figures);
}

static void on_next_block(void *context, uint32_t type, uint64_t size_bytes)
{
	(void)context;
	next_block.type_id = (uint16_t)type;
	next_block.size_bytes = size_bytes;
}

static void emit_work(void *context, uint32_t kind, uint32_t scheduler)
{
	(void)context;
	lttng_ust_tracepoint(carrierscope, runtime_work, (uint8_t)kind, (uint16_t)scheduler);
}

static void on_tick(void *context)
{
	uint32_t enabled = wanted_events();
	uintptr_t stamp = sessions_stamp();

	(void)context;
	if (stamp != lttng.stamp) {
		sessions_settle();
		/* Once more: sessions that came since get it too. */
		stamp = sessions_stamp();
		enabled = wanted_events();
		lttng.stamp = stamp;
		if (stamp && lttng.runtime) {
			if (packs_blocks()) {
				block_batches_begin();
			}
			statedump_emit(&lttng);
		}
	}
	if (lttng.is_at_rest) {
		lttng.is_at_rest = false;
		block_batches_begin();
	}
	if (lttng.has_batches) {
		block_batches_settle(false);
	}
	if (enabled != lttng.listener.enabled) {
		__atomic_store_n(&lttng.listener.enabled, enabled, __ATOMIC_RELAXED);
	}
}

static void on_begin(void *context, const struct csc_listener_subject *runtime)
{
	lttng.runtime = runtime;
	lttng.stamp = 0;
	on_tick(context);
}

static void on_end(void *context)
{
	(void)context;
	if (lttng.runtime) {
		statedump_figures(&lttng);
	}
	if (packs_blocks()) {
		block_batches_end();
	}
	lttng.runtime = NULL;
}

static void on_rest(void *context)
{
	(void)context;
	if (packs_blocks()) {
		block_batches_end();
		lttng.is_at_rest = true;
	}
}

static struct lttng_listener lttng = {
	.listener = {
		.context = &lttng,
		.enabled = CSC_EVENT_BIT(CSC_EVENT_STATE_CARRIER),
		.carrier = emit_carrier,
		.pool = emit_pool,
		.note = emit_note,
		.os = emit_os,
		.block = emit_block,
		.heap = emit_heap,
		.begin = on_begin,
		.tick = on_tick,
		.end = on_end,
		.rest = on_rest,
		.next_block = on_next_block,
		.name = statedump_name,
		.option = statedump_option,
		.work = emit_work,
	},
};

void lttng_listener_pack(void)
{
	lttng.has_batches = block_batches_open();
}

struct csc_listener *lttng_listener(void)
{
	return &lttng.listener;
}
