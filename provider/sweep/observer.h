/* SPDX-License-Identifier: MIT */
/*
 * What the carriers of a replay do over its time: a listener of the core that hears each request
 * for memory.
 */
#ifndef CSC_OBSERVER_H
#define CSC_OBSERVER_H

#include "decoded.h"
#include "emit.h"
#include "player.h"
#include "sweep.h"

struct observer {
	/* For player_create_heard(). */
	struct csc_listener listener;

	/* Weak; the player from observer_start() on. */
	const struct recording *recording;
	const struct player *player;
	struct recording_span span;

	/* By number of the generation. */
	enum csc_allocator allocators[CSC_TYPES_MAX];

	/* Of each allocator, and of all, now. */
	uint64_t bytes[SWEEP_ROWS];
	uint64_t mappings[SWEEP_ROWS];

	/* See sweep_figure.held_peak_bytes; with a super carrier it only grows. */
	uint64_t held_bytes;
	bool has_super_carrier;

	/* Bytes times nanoseconds until `last_ns`. */
	double product[SWEEP_ROWS];
	double held_product;
	int64_t last_ns;
	uint32_t bucket;

	/* What has been seen since observer_start(). */
	struct sweep_result *result;
};

/* `options` are settled; `result` is filled until observer_finish(). */
void observer_init(struct observer *observer, const struct recording *recording,
		const struct csc_options *options, struct sweep_result *result);

/* What was there before the first call is there: peaks begin here. */
void observer_start(struct observer *observer, const struct player *player);

/* After the last call. */
void observer_finish(struct observer *observer);

#endif
