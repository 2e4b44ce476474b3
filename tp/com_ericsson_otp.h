/*
 * SPDX-License-Identifier: MIT
 *
 * LTTng-UST provider `com_ericsson_otp`: what the LTTng chapter of 2016 says, and OTP 19.0-rc1 and -rc2 emitted.
 * Include this header to emit the events of otp_carrier_events.inc.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER com_ericsson_otp

/* What LTTng reads again, once for each thing it makes of an event. */
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "otp_carrier_events.inc"

#undef OTP_PROVIDER
#define OTP_PROVIDER com_ericsson_otp

#ifndef CSC_COM_ERICSSON_OTP_H
#define CSC_COM_ERICSSON_OTP_H

#include <lttng/tracepoint.h>

#include "otp_counters.h"

#include "otp_carrier_events.inc"

#endif

/* Outside the guard: tp/com_ericsson_otp.c needs it, and needs it last. */
#include <lttng/tracepoint-event.h>
