/*
 * SPDX-License-Identifier: MIT
 *
 * What an intake has of its source: traces, streams and classes, of one packer or of several.
 */
#ifndef CSC_INTAKE_SOURCE_H
#define CSC_INTAKE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "packing.h"

struct catalog;
struct plan;
struct packer;
struct store;
struct stream_state;
struct trace_state;

enum {
	ALLOCATOR_NAME_BYTES = 32,
	/* A direct-mapped cache; a power of two. */
	INSTANCE_CACHE = 64,
};

/* An instance that was met lately. */
struct instance_cache {
	char type[ALLOCATOR_NAME_BYTES];
	int64_t number;
	int32_t runtime;
	int32_t allocator;
	int32_t instance;
};

/* The first plan that was met of a class. */
struct known_plan {
	const struct plan *plan;
	const struct packer *packer;

	/* Number of its trace. */
	int32_t trace;
};

struct intake {
	/* Borrowed. */
	struct store *store;
	struct catalog *catalog;

	/* For messages, and the records of the latest one. */
	struct packer *packer;
	struct packing packing;

	/* In the order of their numbers; of the packers. */
	struct stream_state **streams;
	size_t stream_count;
	struct trace_state **traces;
	size_t trace_count;

	struct known_plan *plans;
	size_t plan_count;
	struct instance_cache instance_cache[INSTANCE_CACHE];
};

/* Notes what was planned of a class, unless another packer planned the same before. */
enum csc_status intake_number_plan(struct intake *intake, struct plan *plan,
		const struct stream_state *stream, struct diag *diag);

/* Takes the context of an event into its stream's state. */
enum csc_status intake_take_context(
		struct intake *intake, const struct packed_event *record, struct diag *diag);

#endif
