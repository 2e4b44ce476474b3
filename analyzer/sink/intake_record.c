/*
 * SPDX-License-Identifier: MIT
 *
 * Streams, packets, and what the tracer lost.
 */
#include "intake_record.h"

#include <string.h>

#include "catalog.h"
#include "growing.h"
#include "intake_event.h"
#include "intake_source.h"
#include "packer_stream.h"
#include "store.h"

enum csc_status intake_add_loss(struct intake *intake, int32_t stream, const char *cause,
		int64_t begin_ns, int64_t end_ns, int64_t events, struct diag *diag)
{
	enum csc_status status = store_begin_event(intake->store, diag);
	struct lost_row *row;

	if (status != CSC_OK) {
		return status;
	}

	row = store_lost_row(intake->store, stream);
	row->begin_ns = begin_ns;
	row->end_ns = end_ns;
	row->events = events;
	if (events != ROW_NULL) {
		catalog_count(&intake->catalog->lost_events, (uint64_t)events);
	}

	return store_text(intake->store, cause, &row->cause) ? CSC_OK : DIAG_NO_MEMORY(diag);
}

/* Stores a stretch in which the tracer lost something. */
static enum csc_status take_loss(
		struct intake *intake, const struct packed_span *span, struct diag *diag)
{
	const struct stream_state *state = span->head.stream;
	bool is_packets = (span->head.flags & PACKED_IS_PACKETS) != 0;
	bool has_count = (span->head.flags & PACKED_HAS_COUNT) != 0;
	const char *cause = is_packets ? "discarded_packets" : "discarded_events";
	enum csc_status status = store_begin_event(intake->store, diag);
	struct lost_row *row;

	if (status != CSC_OK) {
		return status;
	}

	row = store_lost_row(intake->store, state->number);
	row->begin_ns = span->begin_ns;
	row->end_ns = span->end_ns;
	if (has_count && is_packets) {
		row->packets = (int64_t)span->count;
		catalog_count(&intake->catalog->lost_packets, span->count);
	} else if (has_count) {
		row->events = (int64_t)span->count;
		catalog_count(&intake->catalog->lost_events, span->count);
	}

	if (!store_text(intake->store, cause, &row->cause)) {
		return DIAG_NO_MEMORY(diag);
	}

	status = store_problem(intake->store, cause, SEVERITY_DATA_LOSS, 1, diag,
			"the tracer lost %s: see lost_interval; figures that overlap it are marked",
			is_packets ? "whole packets" : "events");
	if (status == CSC_OK && has_count && span->count > INT64_MAX) {
		status = store_problem(intake->store, "lost_counter_ran_back", SEVERITY_NOTICE, 1,
				diag,
				"the tracer's counter of lost events ran back by %llu in '%s'; the "
				"interval has that negative count, and only sums are sensible",
				(unsigned long long)-span->count, state->name ? state->name : "");
	}

	return status;
}

/*
 * The first packet of the stream is not number 0: it was overwritten in a flight recorder, or lies
 * in another chunk of the trace.  What was before is not known, and neither how much it was.
 */
static enum csc_status take_late_begin(
		struct intake *intake, const struct packed_span *span, struct diag *diag)
{
	const struct stream_state *state = span->head.stream;
	enum csc_status status = store_begin_event(intake->store, diag);
	struct lost_row *row;

	if (status != CSC_OK) {
		return status;
	}

	row = store_lost_row(intake->store, state->number);
	row->end_ns = span->begin_ns;
	if (!store_text(intake->store, "not_recorded_before", &row->cause)) {
		return DIAG_NO_MEMORY(diag);
	}

	return store_problem(intake->store, "not_recorded_before", SEVERITY_NOTICE, 1, diag,
			"stream '%s' begins with packet %llu: the packets before it were overwritten, or "
			"lie in another chunk; the state at its begin is not known",
			state->name ? state->name : "", (unsigned long long)state->first_seq);
}

/*
 * A packet that begins before the one in front of it ends: overlapping copies of one trace, whose
 * events would count twice.  The muxer of Babeltrace 2.0 stops there by itself, that of 2.1 does
 * not.
 */
static enum csc_status take_packet(
		struct intake *intake, const struct packed_span *span, struct diag *diag)
{
	struct stream_state *state = span->head.stream;

	intake->catalog->streams[state->number].packets++;
	if (state->first_seq > 0 && !state->has_first) {
		enum csc_status status = take_late_begin(intake, span, diag);

		if (status != CSC_OK) {
			return status;
		}
	}
	state->has_first = true;
	if (state->packet_end_ns != ROW_NULL && span->begin_ns != ROW_NULL &&
			span->begin_ns < state->packet_end_ns) {
		return DIAG_FAIL(diag, "stream '%s' goes back in time from %lld ns to %lld ns",
				state->name ? state->name : "", (long long)state->packet_end_ns,
				(long long)span->begin_ns);
	}

	return CSC_OK;
}

/* Finds the trace among those of other packers; -1: it is new. */
static int32_t find_trace(const struct intake *intake, const struct trace_state *trace)
{
	const char *uuid = trace->entry.uuid ? trace->entry.uuid : "";
	const char *name = trace->entry.name ? trace->entry.name : "";

	for (size_t i = 0; i < intake->trace_count; i++) {
		const struct trace_state *known = intake->traces[i];
		const struct catalog_trace *entry = &intake->catalog->traces[known->number];

		if (known->packer != trace->packer && known->source == trace->source &&
				strcmp(entry->uuid ? entry->uuid : "", uuid) == 0 &&
				strcmp(entry->name ? entry->name : "", name) == 0) {
			return known->number;
		}
	}

	return -1;
}

/* Numbers a trace that is met first. */
static enum csc_status number_trace(
		struct intake *intake, struct trace_state *trace, struct diag *diag)
{
	if (trace->number >= 0) {
		return CSC_OK;
	}

	trace->number = find_trace(intake, trace);
	if (trace->number >= 0) {
		return CSC_OK;
	}

	if (!csc_grow_by_one(&intake->traces, intake->trace_count, sizeof(struct trace_state *))) {
		return DIAG_NO_MEMORY(diag);
	}

	trace->number = catalog_add_trace(intake->catalog, &trace->entry);
	if (trace->number < 0) {
		return DIAG_NO_MEMORY(diag);
	}

	intake->traces[intake->trace_count++] = trace;
	return CSC_OK;
}

static enum csc_status take_stream(
		struct intake *intake, struct stream_state *state, struct diag *diag)
{
	enum csc_status status = number_trace(intake, state->trace, diag);

	if (status != CSC_OK) {
		return status;
	}

	if (!csc_grow_by_one(&intake->streams, intake->stream_count,
			    sizeof(struct stream_state *))) {
		return DIAG_NO_MEMORY(diag);
	}

	state->number = catalog_add_stream(intake->catalog, state->trace->number, state->name);
	if (state->number < 0) {
		return DIAG_NO_MEMORY(diag);
	}

	intake->streams[intake->stream_count++] = state;
	return CSC_OK;
}

enum csc_status intake_take_now(
		struct intake *intake, const struct packed *record, struct diag *diag)
{
	const struct packed_span *span = (const struct packed_span *)(const void *)record;

	switch ((enum packed_kind)record->kind) {
	case PACKED_EVENT:
		return intake_take_event(
				intake, (const struct packed_event *)(const void *)record, diag);
	case PACKED_STREAM:
		return take_stream(intake, record->stream, diag);
	case PACKED_PACKET:
		return take_packet(intake, span, diag);
	case PACKED_PACKET_END:
		if (span->end_ns != ROW_NULL) {
			record->stream->packet_end_ns = span->end_ns;
		}
		break;
	case PACKED_LOSS:
		return take_loss(intake, span, diag);
	case PACKED_FAILURE:
		break;
	}

	return CSC_OK;
}
