/* SPDX-License-Identifier: MIT */
/* Makes the probes of CSC_PROVIDER, and hands their registration out. */
#include <lttng/ust-compiler.h>

/*
 * LTTng would register them as soon as the library is mapped: too early where the module turns out
 * to be refused, since another image of this library has its hooks in place.
 */
#undef LTTNG_UST_DECLARE_CONSTRUCTOR_DESTRUCTOR
#define LTTNG_UST_DECLARE_CONSTRUCTOR_DESTRUCTOR(name, constructor, destructor, attribute)

#define LTTNG_UST_TRACEPOINT_PROVIDER_HIDDEN_DEFINITION
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include CSC_PROVIDER_HEADER

#include "provider.h"

#define OF_PROVIDER(action) \
	LTTNG_UST__TP_COMBINE_TOKENS(lttng_ust__events_##action##__, CSC_PROVIDER)

static int is_open;

void provider_open(void)
{
	if (!is_open) {
		OF_PROVIDER(init)();
		is_open = 1;
	}
}

/* Also when the process ends, as LTTng's own would; after destructors without a number. */
__attribute__((destructor(101))) void provider_close(void)
{
	if (is_open) {
		OF_PROVIDER(exit)();
		is_open = 0;
	}
}
