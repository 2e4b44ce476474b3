/* SPDX-License-Identifier: MIT */
/*
 * The listener, for lttng_listener.c and statedump.c.
 */
#ifndef CSC_LTTNG_LISTENER_INTERNAL_H
#define CSC_LTTNG_LISTENER_INTERNAL_H

#include "listener.h"

struct lttng_listener {
	struct csc_listener listener;

	/* Borrowed; NULL: nothing runs. */
	const struct csc_listener_subject *runtime;

	/* Of the probes that hear a dump; another value: somebody has come or gone. */
	uintptr_t stamp;

	/* The dump that is being emitted, or was the last. */
	uint32_t dump_id;
	uint64_t dump_carriers;
	uint64_t dump_blocks;

	/* Block events are packed where somebody wants batches. */
	bool has_batches;

	/* Until the next tick: all batches are emitted. */
	bool is_at_rest;

	/* The snapshot of the own figures that was recorded last. */
	uint32_t snapshot_id;
};

/* Emits names, options, and everything that is there. */
void statedump_emit(struct lttng_listener *lttng);

/* Emits one carrier of a dump and, if wanted, its blocks. */
void statedump_carrier(struct lttng_listener *lttng, const struct csc_carrier_note *values);

/* Records the figures of all instances, as a node records its own: a snapshot. */
void statedump_figures(struct lttng_listener *lttng);

void statedump_name(void *context, const struct csc_name_note *values);
void statedump_option(void *context, const struct csc_option_note *values);

#endif
