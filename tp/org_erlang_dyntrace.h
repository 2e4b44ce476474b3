/*
 * SPDX-License-Identifier: MIT
 *
 * LTTng-UST provider `org_erlang_dyntrace`: what OTP's tracer for LTTng emits.
 * Include this header to emit the events of otp_dyntrace_events.inc.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER org_erlang_dyntrace

/* What LTTng reads again, once for each thing it makes of an event. */
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "otp_dyntrace_events.inc"

#undef DYNTRACE_PROVIDER
#define DYNTRACE_PROVIDER org_erlang_dyntrace

#ifndef CSC_ORG_ERLANG_DYNTRACE_H
#define CSC_ORG_ERLANG_DYNTRACE_H

#include <lttng/tracepoint.h>

#include "otp_dyntrace_events.inc"

#endif

/* Outside the guard: tp/org_erlang_dyntrace.c needs it, and needs it last. */
#include <lttng/tracepoint-event.h>
