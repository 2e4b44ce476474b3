/*
 * SPDX-License-Identifier: MIT
 *
 * LTTng-UST provider `carrierscope`.  Include this header to emit the events of
 * carrierscope_events.inc; the list itself says what they are.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER carrierscope

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "carrierscope_probes.inc"

#ifndef CSC_CARRIERSCOPE_TP_H
#define CSC_CARRIERSCOPE_TP_H

#include <stdint.h>

#include <lttng/tracepoint.h>

#include "heap_figures.h"

#include "carrierscope_events.inc"

#endif

/* Outside the guard: tp/carrierscope_tp.c needs it, and needs it last. */
#include <lttng/tracepoint-event.h>
