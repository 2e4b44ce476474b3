/*
 * SPDX-License-Identifier: MIT
 *
 * Packets: a descriptor before the first event of each track; a heap profile with the names that it
 * needs.
 */
#include "perfetto.h"

#include <string.h>

#include "stack.h"

/* Numbers of fields in Perfetto's messages. */
enum {
	TRACE_PACKET = 1,

	PACKET_CLOCKS = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_PROFILE = 37,
	PACKET_TRACK = 60,

	CLOCKS_CLOCK = 1,
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,

	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,

	PROCESS_PID = 1,
	PROCESS_NAME = 6,

	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,

	COUNTER_UNIT = 3,

	EVENT_NOTE = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_COUNTER_VALUE = 30,

	NOTE_TEXT = 6,
	NOTE_NAME = 10,

	PROFILE_STRING = 1,
	PROFILE_FRAME = 2,
	PROFILE_STACK = 3,
	PROFILE_MAPPING = 4,
	PROFILE_PROCESS = 5,
	PROFILE_INDEX = 7,

	STRING_ID = 1,
	STRING_TEXT = 2,

	FRAME_ID = 1,
	FRAME_NAME = 2,
	FRAME_MAPPING = 3,
	FRAME_ADDRESS = 4,

	STACK_ID = 1,
	STACK_FRAME_ID = 2,

	MAPPING_ID = 1,

	HEAP_PID = 1,
	HEAP_SAMPLE = 2,
	HEAP_TIMESTAMP = 9,

	SAMPLE_STACK = 1,
	SAMPLE_MADE_BYTES = 2,
	SAMPLE_FREED_BYTES = 3,
	SAMPLE_MADE_BLOCKS = 5,
	SAMPLE_FREED_BLOCKS = 6,
};

/* Heap profiles are of the coarse one. */
enum clock { CLOCK_OF_DAY = 1, CLOCK_COARSE = 4, CLOCK_DEFAULT = 6 };
enum unit { UNIT_BYTES = 3 };
enum event_type { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };
enum track_kind { KIND_PROCESS, KIND_THREAD, KIND_PLAIN, KIND_COUNTER };

/* All packets are of one writer. */
enum { SEQUENCE = 1 };

/* Writes a packet that has `message` as `field`. */
static void write_packet(struct perfetto *trace, unsigned int field)
{
	protobuf_part(&trace->packet, field, &trace->message);
	protobuf_unsigned(&trace->packet, PACKET_SEQUENCE, SEQUENCE);
	protobuf_part(&trace->trace, TRACE_PACKET, &trace->packet);
	trace->has_failed = trace->has_failed || trace->trace.has_failed;
	(void)fwrite(trace->trace.bytes, 1, trace->trace.length, trace->stream);
	protobuf_clear(&trace->message);
	protobuf_clear(&trace->packet);
	protobuf_clear(&trace->trace);
}

/* Ends a message within `message`. */
static void add_part(struct perfetto *trace, unsigned int field)
{
	protobuf_part(&trace->message, field, &trace->part);
	protobuf_clear(&trace->part);
}

void perfetto_open(struct perfetto *trace, FILE *stream, int64_t first_ns)
{
	static const enum clock clocks[] = { CLOCK_DEFAULT, CLOCK_OF_DAY, CLOCK_COARSE };

	*trace = (struct perfetto){ .stream = stream };
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		protobuf_unsigned(&trace->part, CLOCK_ID, clocks[i]);
		protobuf_unsigned(&trace->part, CLOCK_TIMESTAMP, (uint64_t)first_ns);
		add_part(trace, CLOCKS_CLOCK);
	}

	protobuf_unsigned(&trace->packet, PACKET_TIMESTAMP, (uint64_t)first_ns);
	write_packet(trace, PACKET_CLOCKS);
}

/* The id of a track; *ret_is_new: it begins a descriptor, which is to be written. */
static uint64_t find_track(struct perfetto *trace, enum track_kind kind, int64_t owner,
		const char *name, bool *ret_is_new)
{
	size_t before = trace->tracks.count;
	int32_t number = numbering_find(&trace->tracks, kind, owner, name);

	trace->has_failed = trace->has_failed || number < 0;
	*ret_is_new = trace->tracks.count > before;
	if (*ret_is_new) {
		protobuf_unsigned(&trace->message, TRACK_UUID, (uint64_t)number + 1);
		protobuf_text(&trace->message, TRACK_NAME, name);
	}

	return (uint64_t)((int64_t)number + 1);
}

/* Whether nobody had this pid; there is none below 0. */
static bool take_pid(struct perfetto *trace, int64_t pid)
{
	size_t before = trace->pids.count;

	if (pid < 0) {
		return false;
	}

	trace->has_failed = trace->has_failed || numbering_find(&trace->pids, pid, 0, NULL) < 0;
	return trace->pids.count > before;
}

uint64_t perfetto_process(struct perfetto *trace, int64_t owner, const char *name, int64_t pid)
{
	bool is_new;
	uint64_t track = find_track(trace, KIND_PROCESS, owner, name, &is_new);

	if (is_new) {
		if (take_pid(trace, pid)) {
			protobuf_signed(&trace->part, PROCESS_PID, pid);
			protobuf_text(&trace->part, PROCESS_NAME, name);
			add_part(trace, TRACK_PROCESS);
		}

		write_packet(trace, PACKET_TRACK);
	}

	return track;
}

uint64_t perfetto_thread(struct perfetto *trace, int64_t pid, int64_t tid, const char *name)
{
	bool is_new;
	uint64_t track = find_track(trace, KIND_THREAD, tid, name, &is_new);

	if (is_new) {
		protobuf_signed(&trace->part, THREAD_PID, pid);
		protobuf_signed(&trace->part, THREAD_TID, tid);
		protobuf_text(&trace->part, THREAD_NAME, name);
		add_part(trace, TRACK_THREAD);
		write_packet(trace, PACKET_TRACK);
	}

	return track;
}

/* A track below another. */
static uint64_t find_child(
		struct perfetto *trace, enum track_kind kind, uint64_t parent, const char *name)
{
	bool is_new;
	uint64_t track = find_track(trace, kind, (int64_t)parent, name, &is_new);

	if (is_new) {
		protobuf_unsigned(&trace->message, TRACK_PARENT, parent);
		if (kind == KIND_COUNTER) {
			protobuf_unsigned(&trace->part, COUNTER_UNIT, UNIT_BYTES);
			add_part(trace, TRACK_COUNTER);
		}

		write_packet(trace, PACKET_TRACK);
	}

	return track;
}

uint64_t perfetto_track(struct perfetto *trace, uint64_t parent, const char *name)
{
	return find_child(trace, KIND_PLAIN, parent, name);
}

uint64_t perfetto_counter(struct perfetto *trace, uint64_t parent, const char *name)
{
	return find_child(trace, KIND_COUNTER, parent, name);
}

/* What all events have; the packet is begun. */
static void begin_event(struct perfetto *trace, enum event_type type, uint64_t track, int64_t ts_ns)
{
	protobuf_unsigned(&trace->packet, PACKET_TIMESTAMP, (uint64_t)ts_ns);
	protobuf_unsigned(&trace->message, EVENT_TYPE, type);
	protobuf_unsigned(&trace->message, EVENT_TRACK, track);
}

void perfetto_set(struct perfetto *trace, uint64_t counter, int64_t ts_ns, int64_t value)
{
	begin_event(trace, COUNTER, counter, ts_ns);
	protobuf_signed(&trace->message, EVENT_COUNTER_VALUE, value);
	write_packet(trace, PACKET_EVENT);
}

static void write_named(struct perfetto *trace, enum event_type type, uint64_t track, int64_t ts_ns,
		const char *name, const struct perfetto_note *notes)
{
	begin_event(trace, type, track, ts_ns);
	protobuf_text(&trace->message, EVENT_NAME, name);
	for (; notes->name; notes++) {
		if (notes->text) {
			protobuf_text(&trace->part, NOTE_NAME, notes->name);
			protobuf_text(&trace->part, NOTE_TEXT, notes->text);
			add_part(trace, EVENT_NOTE);
		}
	}

	write_packet(trace, PACKET_EVENT);
}

void perfetto_slice(struct perfetto *trace, uint64_t track, int64_t begin_ns, int64_t end_ns,
		const char *name, const struct perfetto_note *notes)
{
	write_named(trace, SLICE_BEGIN, track, begin_ns, name, notes);
	begin_event(trace, SLICE_END, track, end_ns);
	write_packet(trace, PACKET_EVENT);
}

void perfetto_instant(struct perfetto *trace, uint64_t track, int64_t ts_ns, const char *name,
		const struct perfetto_note *notes)
{
	write_named(trace, INSTANT, track, ts_ns, name, notes);
}

/* Frames refer to functions by their number + 1. */
static void add_stack(struct perfetto *trace, char *functions)
{
	char *rest = NULL;

	protobuf_unsigned(&trace->part, STACK_ID, ++trace->stacks);
	for (char *name = strtok_r(functions, STACK_SEPARATOR, &rest); name;
			name = strtok_r(NULL, STACK_SEPARATOR, &rest)) {
		int32_t number = numbering_find(&trace->functions, 0, 0, name);

		trace->has_failed = trace->has_failed || number < 0;
		protobuf_unsigned(&trace->part, STACK_FRAME_ID, (uint64_t)((int64_t)number + 1));
	}
	add_part(trace, PROFILE_STACK);
}

void perfetto_sample(struct perfetto *trace, char *functions, const struct perfetto_made *made)
{
	add_stack(trace, functions);
	protobuf_unsigned(&trace->part, SAMPLE_STACK, trace->stacks);
	protobuf_unsigned(&trace->part, SAMPLE_MADE_BYTES, made->bytes);
	protobuf_unsigned(&trace->part, SAMPLE_FREED_BYTES, made->freed_bytes);
	protobuf_unsigned(&trace->part, SAMPLE_MADE_BLOCKS, made->blocks);
	protobuf_unsigned(&trace->part, SAMPLE_FREED_BLOCKS, made->freed_blocks);
	protobuf_part(&trace->samples, HEAP_SAMPLE, &trace->part);
	protobuf_clear(&trace->part);
}

/* All are in one mapping, each at an address of its own, since readers merge equal addresses. */
static void add_functions(struct perfetto *trace)
{
	protobuf_unsigned(&trace->part, MAPPING_ID, 1);
	add_part(trace, PROFILE_MAPPING);
	for (size_t i = 0; i < trace->functions.count; i++) {
		protobuf_unsigned(&trace->part, STRING_ID, i + 1);
		protobuf_text(&trace->part, STRING_TEXT, trace->functions.entries[i].text);
		add_part(trace, PROFILE_STRING);
		protobuf_unsigned(&trace->part, FRAME_ID, i + 1);
		protobuf_unsigned(&trace->part, FRAME_NAME, i + 1);
		protobuf_unsigned(&trace->part, FRAME_MAPPING, 1);
		protobuf_unsigned(&trace->part, FRAME_ADDRESS, i + 1);
		add_part(trace, PROFILE_FRAME);
	}
}

void perfetto_profile(struct perfetto *trace, int64_t pid, int64_t ts_ns)
{
	add_functions(trace);
	protobuf_unsigned(&trace->samples, HEAP_PID, (uint64_t)pid);
	protobuf_unsigned(&trace->samples, HEAP_TIMESTAMP, (uint64_t)ts_ns);
	protobuf_part(&trace->message, PROFILE_PROCESS, &trace->samples);
	protobuf_clear(&trace->samples);
	protobuf_unsigned(&trace->message, PROFILE_INDEX, trace->profiles++);
	protobuf_unsigned(&trace->packet, PACKET_TIMESTAMP, (uint64_t)ts_ns);
	write_packet(trace, PACKET_PROFILE);
	numbering_finish(&trace->functions);
	trace->stacks = 0;
}

enum csc_status perfetto_close(struct perfetto *trace, struct diag *diag)
{
	bool has_failed = trace->has_failed;

	numbering_finish(&trace->tracks);
	numbering_finish(&trace->pids);
	numbering_finish(&trace->functions);
	protobuf_finish(&trace->trace);
	protobuf_finish(&trace->packet);
	protobuf_finish(&trace->message);
	protobuf_finish(&trace->part);
	protobuf_finish(&trace->samples);
	return has_failed ? DIAG_NO_MEMORY(diag) : CSC_OK;
}
