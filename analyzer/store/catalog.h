/*
 * SPDX-License-Identifier: MIT
 *
 * What the events of a source come from: traces, streams, processes, threads,
 * allocators and their instances, event names.  Filled while reading, written
 * to the small tables at the end.
 */
#ifndef CSC_CATALOG_H
#define CSC_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "numbering.h"

/* Texts are owned; NULL: the trace has none. */
struct catalog_trace {
	char *uuid;
	char *name;
	char *hostname;
	char *tracer;
	char *buffering;
	char *created;

	/* 32 or 64; 0: not recorded. */
	int64_t word_bits;

	/* Of per-PID buffers; ROW_NULL and NULL: not recorded. */
	int64_t vpid;
	char *procname;
};

struct catalog_stream {
	/* Number of its trace. */
	int32_t trace;
	char *name;
	int64_t packets;
	int64_t events;
};

/* Longer than a runtime prints a process; what is longer is cut. */
enum { CATALOG_PID_BYTES = 32 };

struct catalog_thread {
	int64_t carrier_events;
	int64_t events;

	/* Its first event and its last, ns since the Unix epoch; of events that come in order of
	 * time. */
	int64_t first_ns;
	int64_t last_ns;

	/* The Erlang process and port it runs, "" for none; pid_changed: since its latest block. */
	char pid[CATALOG_PID_BYTES];
	char port[CATALOG_PID_BYTES];
	bool pid_changed;
};

struct catalog_event {
	int64_t events;
};

/* What a source that is no trace has or has not; both are static texts. */
struct catalog_capability {
	const char *name;
	bool is_available;
	const char *reason;
};

enum { CATALOG_CAPABILITIES = 16 };

/*
 * What a reader of something else than a trace records of its source.  All zeroes:
 * the source is a trace.
 */
struct catalog_file {
	/* source.kind; a static text. */
	const char *kind;

	/* Owned. */
	char *path;

	/* Over all its bytes. */
	uint64_t content_hash;

	/* Some of it is missing: source.complete is 0 then. */
	bool is_partial;

	/* first_ns and last_ns of the catalog are set. */
	bool has_times;

	struct catalog_capability capabilities[CATALOG_CAPABILITIES];
	size_t capability_count;
};

/* All zeroes is an empty one. */
struct catalog {
	struct catalog_file file;

	struct catalog_trace *traces;
	size_t trace_count;

	struct catalog_stream *streams;
	size_t stream_count;

	/* vpid (ROW_NULL: not known), 0, hostname. */
	struct numbering runtimes;

	/* Name of the main thread of each runtime; NULL: not seen. */
	char **runtime_names;
	size_t runtime_name_count;

	/* Number of the runtime, vtid (ROW_NULL: not known), thread name. */
	struct numbering threads;
	struct catalog_thread *thread_counts;
	size_t thread_capacity;

	/* 0, 0, name. */
	struct numbering allocators;

	/* Number of the runtime, number of the allocator * 2^32 + instance; no text. */
	struct numbering instances;

	/* 0, 0, full name. */
	struct numbering events;
	struct catalog_event *event_counts;
	size_t event_capacity;

	/* Over all events. */
	int64_t event_total;
	int64_t first_ns;
	int64_t last_ns;

	/* Carrier and block events that came without a context. */
	int64_t without_vpid;
	int64_t without_vtid;
	int64_t without_procname;

	/* Carrier, block and other OTP events that were kept. */
	int64_t carrier_events;
	int64_t block_events;
	int64_t otp_events;

	/* Sums of the lost intervals, modulo 2^64 as the tracer counts. */
	int64_t lost_events;
	int64_t lost_packets;
};

/* Each finds or adds; all yield -1 when out of memory.  The texts of an added trace are taken. */
int32_t catalog_add_trace(struct catalog *catalog, struct catalog_trace *trace);
int32_t catalog_add_stream(struct catalog *catalog, int32_t trace, const char *name);
int32_t catalog_runtime(struct catalog *catalog, const char *hostname, int64_t vpid);
int32_t catalog_thread(struct catalog *catalog, int32_t runtime, int64_t vtid, const char *name);
int32_t catalog_allocator(struct catalog *catalog, const char *name);
int32_t catalog_instance(
		struct catalog *catalog, int32_t runtime, int32_t allocator, int32_t number);
int32_t catalog_event(struct catalog *catalog, const char *full_name);

/* Adds to a sum modulo 2^64, as the tracer counts: its counters may run back. */
static inline void catalog_count(int64_t *sum, uint64_t more)
{
	*sum = (int64_t)((uint64_t)*sum + more);
}

/* Names a runtime by its main thread; the first name stays.  False: out of memory. */
bool catalog_name_runtime(struct catalog *catalog, int32_t runtime, const char *name);

/*
 * The deepest folder that holds all streams whose names are paths, or NULL if
 * there is none.  The caller frees it.  `*ret_ok` false: out of memory.
 */
char *catalog_common_folder(const struct catalog *catalog, bool *ret_ok);

/* Notes a moment of a source that is no trace: its first and last are kept. */
void catalog_note_time(struct catalog *catalog, int64_t ts_ns);

/* Notes what the source has; both texts are static.  More than there is room for: dropped. */
void catalog_capability(
		struct catalog *catalog, const char *name, bool is_available, const char *reason);

/* Frees the texts of a trace that was not added. */
void catalog_trace_finish(struct catalog_trace *trace);

void catalog_finish(struct catalog *catalog);

#endif
