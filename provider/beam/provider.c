/* SPDX-License-Identifier: MIT */
/* Makes the probes, and hands their registration out. */
#define LTTNG_UST_TRACEPOINT_PROVIDER_HIDDEN_DEFINITION
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "carrierscope_tp.h"

#include "provider.h"

/* LTTng's constructor has opened it when the library was mapped. */
static int is_closed;

void provider_open(void)
{
	if (is_closed) {
		lttng_ust__events_init__carrierscope();
		is_closed = 0;
	}
}

void provider_close(void)
{
	if (!is_closed) {
		lttng_ust__events_exit__carrierscope();
		is_closed = 1;
	}
}
