/*
 * SPDX-License-Identifier: MIT
 *
 * What `carrierscope load` and the sink component that it creates pass to each
 * other, beyond what a user of babeltrace2 can pass by parameters.  It travels
 * as the component's initialization data, which babeltrace2's own command
 * leaves NULL.
 */
#ifndef CSC_LOAD_CHANNEL_H
#define CSC_LOAD_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "diag.h"
#include "store.h"

/* Guards against a plugin of another version. */
#define LOAD_CHANNEL_MAGIC UINT64_C(0x6373635f6c6b3033)

/* Streams whose names begin with `copy` are recorded as if they began with `origin`. */
struct sink_path {
	const char *copy;
	const char *origin;
};

/* Something that was lost before the reader saw it. */
struct sink_loss {
	/* For lost_interval.cause and load_problem.name: "packet_header_damaged". */
	const char *cause;
	enum severity severity;
	const char *sentence;

	/* NULL: not of one file; then no interval is written. */
	const char *file;

	/* ROW_NULL: not known. */
	int64_t begin_ns;
	int64_t end_ns;
	int64_t events;
	int64_t packets;
	int64_t offset_bytes;
	int64_t length_bytes;
};

struct load_channel {
	uint64_t magic;

	/* Passed to the sink; borrowed until it is finalized. */
	const struct sink_path *paths;
	size_t path_count;
	const struct sink_loss *losses;
	size_t loss_count;

	/* What lay in the rings of nodes that were killed on this machine is taken. */
	bool takes_rings;

	/* Rights of what is written: see files.h; 0: the default.  The sink has a copy of its own.
	 */
	mode_t mode;

	/* Set by the sink, while it runs and at its end. */
	int64_t events;
	int64_t lost_events;
	int64_t lost_packets;
	int64_t problems;
	int64_t serious_problems;
	struct store_phase rows_phase;
	struct store_phase end_phase;

	/* CPU seconds of the threads that decode; 0: the reader's did. */
	double decoding_cpu_s;

	/* The sink's failure, if it was the sink's. */
	struct diag diag;
};

#endif
