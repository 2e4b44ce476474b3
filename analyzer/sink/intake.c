/*
 * SPDX-License-Identifier: MIT
 *
 * Messages, and what the tracer lost.
 */
#include "intake.h"

#include <stdlib.h>
#include <string.h>

#include "intake_event.h"
#include "intake_stream.h"
#include "plan.h"

enum csc_status intake_create(struct store *store, const struct sink_path *paths, size_t path_count,
		struct intake **ret_intake, struct diag *diag)
{
	struct intake *intake = calloc(1, sizeof(*intake));

	if (!intake) {
		return DIAG_NO_MEMORY(diag);
	}

	intake->store = store;
	intake->catalog = store_catalog(store);
	intake->paths = paths;
	intake->path_count = path_count;
	for (size_t i = 0; i < INSTANCE_CACHE; i++) {
		intake->instance_cache[i].runtime = -1;
	}

	*ret_intake = intake;
	return CSC_OK;
}

void intake_destroy(struct intake *intake)
{
	if (!intake) {
		return;
	}

	for (size_t i = 0; i < intake->plan_count; i++) {
		plan_destroy(intake->plans[i]);
	}

	for (size_t i = 0; i < intake->stream_count; i++) {
		bt_stream_put_ref(intake->streams[i]->stream);
		free(intake->streams[i]);
	}

	for (size_t i = 0; i < intake->trace_count; i++) {
		bt_trace_put_ref(intake->traces[i]);
	}

	free(intake->plans);
	free(intake->streams);
	free(intake->traces);
	free(intake);
}

static int64_t snapshot_ns(const bt_clock_snapshot *snapshot)
{
	int64_t ns;

	return bt_clock_snapshot_get_ns_from_origin(snapshot, &ns) ==
					BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK
			? ns
			: ROW_NULL;
}

/* Stores a stretch in which the tracer lost something. */
static enum csc_status take_loss(struct intake *intake, const bt_stream *stream, const char *cause,
		const bt_clock_snapshot *begin, const bt_clock_snapshot *end, bool has_count,
		uint64_t count, bool is_packets, struct diag *diag)
{
	struct stream_state *state;
	enum csc_status status = intake_find_stream(intake, stream, &state, diag);
	struct lost_row *row;

	if (status == CSC_OK) {
		status = store_begin_event(intake->store, diag);
	}

	if (status != CSC_OK) {
		return status;
	}

	row = store_lost_row(intake->store, state->number);
	row->begin_ns = begin ? snapshot_ns(begin) : ROW_NULL;
	row->end_ns = end ? snapshot_ns(end) : ROW_NULL;
	if (has_count && is_packets) {
		row->packets = (int64_t)count;
		catalog_count(&intake->catalog->lost_packets, count);
	} else if (has_count) {
		row->events = (int64_t)count;
		catalog_count(&intake->catalog->lost_events, count);
	}

	if (!store_text(intake->store, cause, &row->cause)) {
		return DIAG_NO_MEMORY(diag);
	}

	status = store_problem(intake->store, cause, SEVERITY_DATA_LOSS, 1, diag,
			"the tracer lost %s: see lost_interval; figures that overlap it are marked",
			is_packets ? "whole packets" : "events");
	if (status == CSC_OK && has_count && count > INT64_MAX) {
		status = store_problem(intake->store, "lost_counter_ran_back", SEVERITY_NOTICE, 1,
				diag,
				"the tracer's counter of lost events ran back by %llu in '%s'; the "
				"interval has that negative count, and only sums are sensible",
				(unsigned long long)-count,
				intake->catalog->streams[state->number].name
						? intake->catalog->streams[state->number].name
						: "");
	}

	return status;
}

/* What Babeltrace says of one kind of loss. */
struct discarded {
	const char *cause;
	bool is_packets;
	const bt_stream *(*stream)(const bt_message *message);
	bt_bool (*has_clock)(const bt_stream_class *class);
	bt_property_availability (*count)(const bt_message *message, uint64_t *ret_count);
	const bt_clock_snapshot *(*begin)(const bt_message *message);
	const bt_clock_snapshot *(*end)(const bt_message *message);
};

static const struct discarded discarded_events = {
	"discarded_events",
	false,
	bt_message_discarded_events_borrow_stream_const,
	bt_stream_class_discarded_events_have_default_clock_snapshots,
	bt_message_discarded_events_get_count,
	bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const,
	bt_message_discarded_events_borrow_end_default_clock_snapshot_const,
};

static const struct discarded discarded_packets = {
	"discarded_packets",
	true,
	bt_message_discarded_packets_borrow_stream_const,
	bt_stream_class_discarded_packets_have_default_clock_snapshots,
	bt_message_discarded_packets_get_count,
	bt_message_discarded_packets_borrow_beginning_default_clock_snapshot_const,
	bt_message_discarded_packets_borrow_end_default_clock_snapshot_const,
};

static enum csc_status take_discarded(struct intake *intake, const bt_message *message,
		const struct discarded *kind, struct diag *diag)
{
	const bt_stream *stream = kind->stream(message);
	bool has_clock = kind->has_clock(bt_stream_borrow_class_const(stream));
	uint64_t count = 0;
	bool has_count = kind->count(message, &count) == BT_PROPERTY_AVAILABILITY_AVAILABLE;

	return take_loss(intake, stream, kind->cause, has_clock ? kind->begin(message) : NULL,
			has_clock ? kind->end(message) : NULL, has_count, count, kind->is_packets,
			diag);
}

/*
 * The first packet of the stream is not number 0: it was overwritten in a flight recorder, or lies
 * in another chunk of the trace.  What was before is not known, and neither how much it was.
 */
static enum csc_status take_late_begin(struct intake *intake, const bt_message *message,
		struct stream_state *state, struct diag *diag)
{
	const char *name = intake->catalog->streams[state->number].name;
	struct lost_row *row = store_lost_row(intake->store, state->number);

	if (bt_stream_class_packets_have_beginning_default_clock_snapshot(
			    bt_stream_borrow_class_const(state->stream))) {
		row->end_ns = snapshot_ns(
				bt_message_packet_beginning_borrow_default_clock_snapshot_const(
						message));
	}
	if (!store_text(intake->store, "not_recorded_before", &row->cause)) {
		return DIAG_NO_MEMORY(diag);
	}

	return store_problem(intake->store, "not_recorded_before", SEVERITY_NOTICE, 1, diag,
			"stream '%s' begins with packet %llu: the packets before it were overwritten, or "
			"lie in another chunk; the state at its begin is not known",
			name ? name : "", (unsigned long long)state->first_seq);
}

/*
 * A packet that begins before the one in front of it ends: overlapping copies of one trace, whose
 * events would count twice.  The muxer of Babeltrace 2.0 stops there by itself, that of 2.1 does
 * not.
 */
static enum csc_status take_packet(
		struct intake *intake, const bt_message *message, struct diag *diag)
{
	const bt_stream *stream = bt_packet_borrow_stream_const(
			bt_message_packet_beginning_borrow_packet_const(message));
	struct stream_state *state;
	enum csc_status status = intake_find_stream(intake, stream, &state, diag);
	int64_t begin_ns;

	if (status != CSC_OK) {
		return status;
	}

	intake->catalog->streams[state->number].packets++;
	if (state->first_seq > 0 && !state->has_first) {
		status = store_begin_event(intake->store, diag);
		if (status == CSC_OK) {
			status = take_late_begin(intake, message, state, diag);
		}
		if (status != CSC_OK) {
			return status;
		}
	}
	state->has_first = true;
	if (state->packet_end_ns == ROW_NULL ||
			!bt_stream_class_packets_have_beginning_default_clock_snapshot(
					bt_stream_borrow_class_const(stream))) {
		return CSC_OK;
	}

	begin_ns = snapshot_ns(
			bt_message_packet_beginning_borrow_default_clock_snapshot_const(message));
	if (begin_ns != ROW_NULL && begin_ns < state->packet_end_ns) {
		const char *name = intake->catalog->streams[state->number].name;

		return DIAG_FAIL(diag, "stream '%s' goes back in time from %lld ns to %lld ns",
				name ? name : "", (long long)state->packet_end_ns,
				(long long)begin_ns);
	}

	return CSC_OK;
}

static enum csc_status take_packet_end(
		struct intake *intake, const bt_message *message, struct diag *diag)
{
	const bt_stream *stream = bt_packet_borrow_stream_const(
			bt_message_packet_end_borrow_packet_const(message));
	struct stream_state *state;
	enum csc_status status = intake_find_stream(intake, stream, &state, diag);

	if (status == CSC_OK &&
			bt_stream_class_packets_have_end_default_clock_snapshot(
					bt_stream_borrow_class_const(stream))) {
		state->packet_end_ns = snapshot_ns(
				bt_message_packet_end_borrow_default_clock_snapshot_const(message));
	}

	return status;
}

enum csc_status intake_take(struct intake *intake, const bt_message *message, struct diag *diag)
{
	struct stream_state *state;

	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_EVENT:
		return intake_take_event(intake, message, diag);
	case BT_MESSAGE_TYPE_STREAM_BEGINNING:
		return intake_find_stream(intake,
				bt_message_stream_beginning_borrow_stream_const(message), &state,
				diag);
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		return take_packet(intake, message, diag);
	case BT_MESSAGE_TYPE_PACKET_END:
		return take_packet_end(intake, message, diag);
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		return take_discarded(intake, message, &discarded_events, diag);
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		return take_discarded(intake, message, &discarded_packets, diag);
	case BT_MESSAGE_TYPE_STREAM_END:
	case BT_MESSAGE_TYPE_MESSAGE_ITERATOR_INACTIVITY:
		break;
	}

	return CSC_OK;
}

/*
 * Event classes that the trace declares and no event is of: they were recorded, and nothing
 * happened, which is another thing than not to have been recorded.
 */
static enum csc_status note_classes(struct intake *intake, struct diag *diag)
{
	for (size_t i = 0; i < intake->stream_count; i++) {
		const bt_stream_class *class =
				bt_stream_borrow_class_const(intake->streams[i]->stream);
		uint64_t count = bt_stream_class_get_event_class_count(class);

		for (uint64_t k = 0; k < count; k++) {
			const char *name = bt_event_class_get_name(
					bt_stream_class_borrow_event_class_by_index_const(
							class, k));

			if (name && catalog_event(intake->catalog, name) < 0) {
				return DIAG_NO_MEMORY(diag);
			}
		}
	}

	return CSC_OK;
}

enum csc_status intake_end(struct intake *intake, struct diag *diag)
{
	const struct catalog *catalog = intake->catalog;
	enum csc_status status = note_classes(intake, diag);

	if (status == CSC_OK && catalog->without_vpid > 0) {
		status = store_problem(intake->store, "context_missing_vpid", SEVERITY_NOTICE,
				catalog->without_vpid, diag,
				"events do not name their process, and are kept under one unknown "
				"runtime; record with 'lttng add-context -u -t vpid -t vtid "
				"-t procname'");
	}

	if (status == CSC_OK && catalog->without_vtid > 0) {
		status = store_problem(intake->store, "context_missing_vtid", SEVERITY_INFO,
				catalog->without_vtid, diag,
				"events do not name their thread; record with "
				"'lttng add-context -u -t vtid'");
	}

	if (status == CSC_OK && catalog->without_procname > 0) {
		status = store_problem(intake->store, "context_missing_procname", SEVERITY_INFO,
				catalog->without_procname, diag,
				"events do not have the thread's name; record with "
				"'lttng add-context -u -t procname'");
	}

	return status;
}
