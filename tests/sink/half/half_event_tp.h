/*
 * SPDX-License-Identifier: MIT
 *
 * An event that is never finished, of a provider that recorders listen to.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER org_erlang_dyntrace

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "half_event_tp.h"

#if !defined(CSC_HALF_EVENT_TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define CSC_HALF_EVENT_TP_H

#include <stddef.h>
#include <stdint.h>

#include <lttng/tracepoint.h>

/* Bytes that are read after the event has got its place, and not before. */
LTTNG_UST_TRACEPOINT_EVENT(org_erlang_dyntrace, process_half,
		LTTNG_UST_TP_ARGS(const uint8_t *, bytes, size_t, count),
		LTTNG_UST_TP_FIELDS(lttng_ust_field_sequence(uint8_t, bytes, bytes, size_t, count)))

#endif

#include <lttng/tracepoint-event.h>
