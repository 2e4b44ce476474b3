/*
 * SPDX-License-Identifier: MIT
 *
 * Makes the probes of provider `com_ericsson_otp`.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "com_ericsson_otp.h"
