/*
 * SPDX-License-Identifier: MIT
 *
 * A part of the streams of the inputs: a graph of Babeltrace's of its own, which a thread runs, and
 * whose sink packs what comes into a queue, in order of time.
 *
 * Graphs are made and put by one thread; only while they run are they on threads of their own:
 * what graphs share of Babeltrace (classes of components, plugins) is not counted atomically.
 */
#ifndef CSC_LOAD_PART_H
#define CSC_LOAD_PART_H

#include <babeltrace2/babeltrace.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "chunk_queue.h"
#include "diag.h"
#include "packer.h"
#include "stream_order.h"

/* One stream of a part. */
struct part_feed {
	/* Number of the component that it comes from. */
	size_t source;

	bt_message_iterator *upstream;
	bt_message_array_const messages;
	uint64_t count;
	uint64_t at;
	bool has_ended;

	/* Of the message at `at`. */
	int64_t order_ns;
	struct stream_rank rank;
	bool has_rank;
	bool has_clock;
};

struct part {
	bt_graph *graph;
	struct packer *packer;

	/* Owned. */
	struct part_feed *feeds;
	size_t feed_count;

	struct chunk_queue queue;

	/* How its first run ended, which is not the thread's. */
	bt_graph_run_once_status first;
	pthread_t thread;
	bool has_thread;
	/* Of the thread, once it has ended; seconds. */
	double cpu_s;

	/* Set when PACKED_FAILURE is the last record: the reader's failure, or, where none is set,
	 * what Babeltrace said. */
	struct diag diag;
	const bt_error *error;
};

/* The class of the sinks of parts; put with bt_component_class_sink_put_ref(). */
bt_component_class_sink *load_part_class(void);

/* Adds the sink of a part, with an input port for each of its feeds.  Errors: out of memory. */
enum csc_status load_part_add_sink(struct part *part, const bt_component_class_sink *class,
		const bt_component_sink **ret_sink, struct diag *diag);

/* Runs the graph once, which makes its iterators, and then in a thread.  Errors: no thread. */
enum csc_status load_part_start(struct part *part, struct diag *diag);

/* Stops the thread at its next chunk, and waits for it. */
void load_part_join(struct part *part);

/* Frees what the part has, after load_part_join(). */
void load_part_finish(struct part *part);

#endif
