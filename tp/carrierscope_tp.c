/*
 * SPDX-License-Identifier: MIT
 *
 * Makes the probes of provider `carrierscope`.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "carrierscope_tp.h"
