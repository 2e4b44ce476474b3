/*
 * SPDX-License-Identifier: MIT
 *
 * A trace of Perfetto: tracks, counters, slices and instants on them, and heap profiles, as packets
 * of protocol buffers that are written as they come.  Packets may come in any order of time.
 *
 * Times are nanoseconds since the Unix epoch, on Perfetto's default clock; the first packet states
 * that the clock of the day is the same.
 *
 * Source: the published messages of Perfetto (TracePacket, TrackDescriptor, TrackEvent,
 * ProfilePacket: field numbers and their meaning).
 */
#ifndef CSC_PERFETTO_H
#define CSC_PERFETTO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "diag.h"
#include "numbering.h"
#include "protobuf.h"

struct perfetto {
	/* Borrowed. */
	FILE *stream;

	/* Tracks: kind (a), parent or number of the owner (b), name.  A track's id is its number
	 * + 1. */
	struct numbering tracks;

	/* Process ids that have a track. */
	struct numbering pids;

	/* Of the heap profile that is begun, and how many there were before. */
	struct numbering functions;
	struct protobuf samples;
	uint64_t stacks;
	uint64_t profiles;

	/* Room for a packet, a message in it, and two within that. */
	struct protobuf trace;
	struct protobuf packet;
	struct protobuf message;
	struct protobuf part;
	bool has_failed;
};

/* What is shown beside a slice or an instant; the list ends with a name of NULL, a text may be
 * NULL. */
struct perfetto_note {
	const char *name;
	const char *text;
};

/* What a stack of functions made since the recording began, and what of that is gone. */
struct perfetto_made {
	uint64_t blocks;
	uint64_t bytes;
	uint64_t freed_blocks;
	uint64_t freed_bytes;
};

/* Begins a trace whose clock is stated at `first_ns`. */
void perfetto_open(struct perfetto *trace, FILE *stream, int64_t first_ns);

/*
 * The id of a track, which is written when it is first asked for.  `owner` tells processes of the
 * same name apart; `pid` is that of the operating system, or -1.  Of several processes with the
 * same pid the first has it.
 */
uint64_t perfetto_process(struct perfetto *trace, int64_t owner, const char *name, int64_t pid);
uint64_t perfetto_thread(struct perfetto *trace, int64_t pid, int64_t tid, const char *name);
uint64_t perfetto_track(struct perfetto *trace, uint64_t parent, const char *name);

/* The same for bytes over time. */
uint64_t perfetto_counter(struct perfetto *trace, uint64_t parent, const char *name);

void perfetto_set(struct perfetto *trace, uint64_t counter, int64_t ts_ns, int64_t value);
void perfetto_slice(struct perfetto *trace, uint64_t track, int64_t begin_ns, int64_t end_ns,
		const char *name, const struct perfetto_note *notes);
void perfetto_instant(struct perfetto *trace, uint64_t track, int64_t ts_ns, const char *name,
		const struct perfetto_note *notes);

/* Adds to a heap profile.  `functions` are those of a stack, from the outermost
 * on, with STACK_SEPARATOR between; changed. */
void perfetto_sample(struct perfetto *trace, char *functions, const struct perfetto_made *made);

/* Writes what was added as the heap profile at `ts_ns` of the process that has this id. */
void perfetto_profile(struct perfetto *trace, int64_t pid, int64_t ts_ns);

/* Ends it, in every case.  Errors: out of memory; errors of the stream: see ferror(). */
enum csc_status perfetto_close(struct perfetto *trace, struct diag *diag);

#endif
