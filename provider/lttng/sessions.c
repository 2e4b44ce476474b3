/* SPDX-License-Identifier: MIT */
/* Who listens. */
#include "sessions.h"

#include <lttng/ust-events.h>

#include "carrierscope_tp.h"

#define PROBES_OF(event) \
	((uintptr_t)CMM_LOAD_SHARED(lttng_ust_tracepoint_carrierscope___##event.probes))

uintptr_t sessions_stamp(void)
{
	/* Each session that comes or goes replaces the list; factors keep swaps apart. */
	return PROBES_OF(state_begin) + 3 * PROBES_OF(state_carrier) + 5 * PROBES_OF(state_block) +
			7 * PROBES_OF(name_allocator) + 11 * PROBES_OF(name_class) +
			13 * PROBES_OF(name_type) + 17 * PROBES_OF(option) +
			19 * PROBES_OF(hook_begin);
}

bool sessions_are_there(void)
{
	return (sessions_stamp() | PROBES_OF(block_alloc) | PROBES_OF(sample_alloc) |
			       PROBES_OF(snapshot_figure)) != 0;
}

/*
 * A session's events are connected one by one, and before it records.  The tracer does that under
 * a lock, which registering a provider takes, too: an empty one is registered for the wait alone.
 */
void sessions_settle(void)
{
	static const struct lttng_ust_event_desc *const no_events[1];
	static const struct lttng_ust_probe_desc empty = {
		.struct_size = sizeof(empty),
		.provider_name = "carrierscope_settle",
		.event_desc = no_events,
		.nr_events = 0,
		.major = LTTNG_UST_PROVIDER_MAJOR,
		.minor = LTTNG_UST_PROVIDER_MINOR,
	};
	struct lttng_ust_registered_probe *registered = lttng_ust_probe_register(&empty);

	if (registered) {
		lttng_ust_probe_unregister(registered);
	}
}
