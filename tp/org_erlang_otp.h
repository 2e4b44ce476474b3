/*
 * SPDX-License-Identifier: MIT
 *
 * LTTng-UST provider `org_erlang_otp`: what every released OTP emits.
 * Include this header to emit the events of otp_carrier_events.inc.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER org_erlang_otp

/* What LTTng reads again, once for each thing it makes of an event. */
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "otp_carrier_events.inc"

#undef OTP_PROVIDER
#define OTP_PROVIDER org_erlang_otp

#ifndef CSC_ORG_ERLANG_OTP_H
#define CSC_ORG_ERLANG_OTP_H

#include <lttng/tracepoint.h>

#include "otp_counters.h"

#include "otp_carrier_events.inc"

#endif

/* Outside the guard: tp/org_erlang_otp.c needs it, and needs it last. */
#include <lttng/tracepoint-event.h>
