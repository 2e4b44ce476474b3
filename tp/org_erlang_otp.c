/*
 * SPDX-License-Identifier: MIT
 *
 * Makes the probes of provider `org_erlang_otp`.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "org_erlang_otp.h"
