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
#include "held.h"
#include "numbering.h"
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

/* What a ring's latest batch was. */
struct ring_state {
	bool is_known;
	uint64_t next_ordinal;
	int64_t last_ns;

	/* Its records; the last one's time before the offset of its trace was added. */
	uint32_t records;
	uint64_t last_raw_ns;
	int64_t offset_ns;
};

/* A thread that made batches; it has no name until it emits an event itself. */
struct batch_thread {
	int32_t runtime;
	int64_t vtid;
	int32_t number;
};

/* The events that records of a batch would have been. */
enum { RECORD_EVENTS = 5 };

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

	/* The latest row of block_event; INT64_MIN: none. */
	int64_t last_block_ns;

	/* Of batches.  record_events: 1 + number in the catalog; 0: none yet. */
	struct held held;

	/* Rings of processes that were killed are looked for. */
	bool takes_rings;

	/* Records of processes that were cut off. */
	uint64_t left_out;
	struct numbering rings;
	struct ring_state *ring_states;
	size_t ring_capacity;
	struct batch_thread *batch_threads;
	size_t batch_thread_count;
	int32_t record_events[RECORD_EVENTS];
};

/* Notes what was planned of a class, unless another packer planned the same before. */
enum csc_status intake_number_plan(struct intake *intake, struct plan *plan,
		const struct stream_state *stream, struct diag *diag);

/* Finds the process of a context, and names it if that is its main thread. */
enum csc_status intake_find_runtime(struct intake *intake, const struct stream_state *state,
		const struct packed_context *context, const char *procname, int32_t *ret_runtime,
		struct diag *diag);

/* Finds a thread that made a batch, by its id; `name` may be NULL.  -1: out of memory. */
int32_t intake_find_thread(struct intake *intake, int32_t runtime, int64_t vtid, const char *name);

/* Takes the context of an event into its stream's state. */
enum csc_status intake_take_context(
		struct intake *intake, const struct packed_event *record, struct diag *diag);

#endif
