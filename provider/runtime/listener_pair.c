/* SPDX-License-Identifier: MIT */
/* Two listeners. */
#include "listener_pair.h"

#include <stdbool.h>
#include <stddef.h>

static bool listener_pair_wants(const struct csc_listener *listener, enum csc_event event)
{
	return listener && (listener->enabled & CSC_EVENT_BIT(event));
}

#define PAIR_FUNCTION(shape, type)                                                      \
	static void listener_pair_##shape(                                              \
			void *context, enum csc_event event, const struct type *values) \
	{                                                                               \
		const struct listener_pair *pair = context;                             \
		if (listener_pair_wants(pair->first, event)) {                          \
			pair->first->shape(pair->first->context, event, values);        \
		}                                                                       \
		if (listener_pair_wants(pair->second, event)) {                         \
			pair->second->shape(pair->second->context, event, values);      \
		}                                                                       \
	}

PAIR_FUNCTION(carrier, csc_otp_carrier)
PAIR_FUNCTION(pool, csc_otp_pool)
PAIR_FUNCTION(note, csc_carrier_note)
PAIR_FUNCTION(os, csc_os_note)
PAIR_FUNCTION(block, csc_block_note)
PAIR_FUNCTION(heap, csc_heap_note)

void listener_pair_init(
		struct listener_pair *pair, struct csc_listener *first, struct csc_listener *second)
{
	*pair = (struct listener_pair){
		.listener = {
			.context = pair,
			.carrier = listener_pair_carrier,
			.pool = listener_pair_pool,
			.note = listener_pair_note,
			.os = listener_pair_os,
			.block = listener_pair_block,
			.heap = listener_pair_heap,
		},
		.first = first,
		.second = second,
	};
	listener_pair_refresh(pair);
}

void listener_pair_refresh(struct listener_pair *pair)
{
	pair->listener.enabled = pair->first->enabled | (pair->second ? pair->second->enabled : 0);
}
