/* SPDX-License-Identifier: MIT */
/* Two listeners. */
#include "listener_pair.h"

#include <stdbool.h>
#include <stddef.h>

static bool tee_wants(const struct csc_listener *listener, enum csc_event event)
{
	return listener && (listener->enabled & CSC_EVENT_BIT(event));
}

#define TEE_CALL(shape)                                                          \
	do {                                                                     \
		const struct tee *tee = context;                                 \
		if (tee_wants(tee->first, event)) {                              \
			tee->first->shape(tee->first->context, event, values);   \
		}                                                                \
		if (tee_wants(tee->second, event)) {                             \
			tee->second->shape(tee->second->context, event, values); \
		}                                                                \
	} while (0)

static void tee_carrier(void *context, enum csc_event event, const struct csc_otp_carrier *values)
{
	TEE_CALL(carrier);
}

static void tee_pool(void *context, enum csc_event event, const struct csc_otp_pool *values)
{
	TEE_CALL(pool);
}

static void tee_note(void *context, enum csc_event event, const struct csc_carrier_note *values)
{
	TEE_CALL(note);
}

static void tee_os(void *context, enum csc_event event, const struct csc_os_note *values)
{
	TEE_CALL(os);
}

static void tee_block(void *context, enum csc_event event, const struct csc_block_note *values)
{
	TEE_CALL(block);
}

static void tee_heap(void *context, enum csc_event event, const struct csc_heap_note *values)
{
	TEE_CALL(heap);
}

void tee_init(struct tee *tee, struct csc_listener *first, struct csc_listener *second)
{
	*tee = (struct tee){
		.listener = {
			.context = tee,
			.carrier = tee_carrier,
			.pool = tee_pool,
			.note = tee_note,
			.os = tee_os,
			.block = tee_block,
			.heap = tee_heap,
		},
		.first = first,
		.second = second,
	};
	tee_refresh(tee);
}

void tee_refresh(struct tee *tee)
{
	tee->listener.enabled = tee->first->enabled | (tee->second ? tee->second->enabled : 0);
}
