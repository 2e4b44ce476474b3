/*
 * SPDX-License-Identifier: MIT
 *
 * Where events come from: the streams of traces, and what is known of each.
 */
#ifndef CSC_PACKER_STREAM_H
#define CSC_PACKER_STREAM_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "catalog.h"
#include "diag.h"
#include "load_channel.h"
#include "stream_order.h"

struct plan;
struct packer;

enum {
	/* Kept of a thread's name to compare with: 15 characters are all a kernel gives. */
	THREAD_NAME_BYTES = 32,
	/* A direct-mapped cache; a power of two. */
	PLAN_CACHE = 64,
};

/* Written by the packer before its first record, and then by the intake alone where so said. */
struct trace_state {
	/* A reference is held. */
	const bt_trace *trace;

	/* Whose it is, and the number of the component that it comes from. */
	const struct packer *packer;
	size_t source;

	/* ROW_NULL and 0: not recorded. */
	int64_t vpid;
	int64_t word_bits;

	/* Its tracer leaves no stream without a packet when it ends. */
	bool fills_streams;

	/* The intake's: texts go into the catalog; number there, -1: none yet. */
	struct catalog_trace entry;
	int32_t number;
};

struct stream_state {
	/* A reference is held. */
	const bt_stream *stream;
	struct trace_state *trace;

	struct stream_rank rank;

	/* After the renaming of copies; NULL: it has none. */
	char *name;

	/* Of its first packet: above 0, what was before was overwritten or lies elsewhere. */
	uint64_t first_seq;

	/* It is a file of LTTng's, as LTTng wrote it. */
	bool is_of_file;

	/* The packer's: place of its latest record, and context of its latest event. */
	int64_t order_ns;
	int64_t vpid;
	int64_t vtid;
	char procname[THREAD_NAME_BYTES];
	bool has_procname;
	bool has_context;

	/* The intake's, in lines of their own: number in the catalog, -1: none yet. */
	char apart[64];
	int32_t number;

	/* Whose event the stream's latest one was; runtime -1: none yet. */
	int32_t runtime;
	int32_t thread;

	/* Of its latest event; INT64_MIN: none yet. */
	int64_t event_ns;

	/* When its latest packet ended; ROW_NULL: not recorded. */
	int64_t packet_end_ns;
	bool has_first;
};

/* See packer.h. */
struct packer {
	/* Borrowed. */
	const struct sink_path *paths;
	size_t path_count;

	struct plan **plans;
	size_t plan_count;
	struct plan *plan_cache[PLAN_CACHE];

	struct stream_state **streams;
	size_t stream_count;
	struct stream_state *latest_stream;

	struct trace_state **traces;
	size_t trace_count;
};

/* The state of a stream, which is new if it was not met before. */
enum csc_status packer_find_stream(struct packer *packer, size_t source, const bt_stream *stream,
		struct stream_state **ret_state, bool *ret_is_new, struct diag *diag);

/* Frees streams and traces. */
void packer_streams_free(struct packer *packer);

#endif
