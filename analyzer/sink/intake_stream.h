/*
 * SPDX-License-Identifier: MIT
 *
 * Where events come from: the streams of traces, the processes and threads of their
 * contexts, and what is known of each.
 */
#ifndef CSC_INTAKE_STREAM_H
#define CSC_INTAKE_STREAM_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "load_channel.h"

struct catalog;
struct plan;
struct store;

enum {
	/* Kept of a thread's name to compare with: 15 characters are all a kernel gives. */
	THREAD_NAME_BYTES = 32,
	ALLOCATOR_NAME_BYTES = 32,
	/* Direct-mapped caches; powers of two. */
	PLAN_CACHE = 64,
	INSTANCE_CACHE = 64,
};

struct stream_state {
	/* A reference is held. */
	const bt_stream *stream;
	int32_t trace;
	int32_t number;

	/* When its latest packet ended; ROW_NULL: not recorded. */
	int64_t packet_end_ns;

	/* Of its first packet: above 0, what was before was overwritten or lies elsewhere. */
	uint64_t first_seq;
	bool has_first;

	/* Whose event the stream's latest one was; runtime -1: none yet. */
	int64_t vpid;
	int64_t vtid;
	char procname[THREAD_NAME_BYTES];
	bool has_procname;
	int32_t runtime;
	int32_t thread;
};

/* An instance that was met lately. */
struct instance_cache {
	char type[ALLOCATOR_NAME_BYTES];
	int64_t number;
	int32_t runtime;
	int32_t allocator;
	int32_t instance;
};

struct intake {
	/* Borrowed. */
	struct store *store;
	struct catalog *catalog;
	const struct sink_path *paths;
	size_t path_count;

	struct plan **plans;
	size_t plan_count;
	struct plan *plan_cache[PLAN_CACHE];

	struct stream_state **streams;
	size_t stream_count;
	struct stream_state *latest_stream;

	/* References are held. */
	const bt_trace **traces;
	size_t trace_count;

	struct instance_cache instance_cache[INSTANCE_CACHE];
};

/* The state of a stream, which is new if it was not met before. */
enum csc_status intake_find_stream(struct intake *intake, const bt_stream *stream,
		struct stream_state **ret_state, struct diag *diag);

/* Finds process and thread of an event, when they are not those of the stream's latest. */
enum csc_status intake_change_thread(struct intake *intake, struct stream_state *state,
		int64_t vpid, int64_t vtid, const char *procname, struct diag *diag);

#endif
