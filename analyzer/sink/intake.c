/*
 * SPDX-License-Identifier: MIT
 *
 * Streams, contexts and messages; events are intake_event.c.
 */
#include "intake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "first_packet.h"
#include "intake_stream.h"

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

static const char *env_text(const bt_trace *trace, const char *name)
{
	const bt_value *value = bt_trace_borrow_environment_entry_value_by_name_const(trace, name);

	return value && bt_value_is_string(value) ? bt_value_string_get(value) : NULL;
}

static bool env_integer(const bt_trace *trace, const char *name, int64_t *ret_value)
{
	const bt_value *value = bt_trace_borrow_environment_entry_value_by_name_const(trace, name);

	if (!value || !bt_value_is_signed_integer(value)) {
		return false;
	}

	*ret_value = bt_value_integer_signed_get(value);
	return true;
}

/* Copies a text that may be NULL; false: out of memory. */
static bool copy(const char *text, char **ret_copy)
{
	*ret_copy = text ? strdup(text) : NULL;
	return !text || *ret_copy;
}

static bool describe_tracer(const bt_trace *trace, char **ret_text)
{
	const char *name = env_text(trace, "tracer_name");
	int64_t major;
	int64_t minor;

	if (name && env_integer(trace, "tracer_major", &major) &&
			env_integer(trace, "tracer_minor", &minor)) {
		if (asprintf(ret_text, "%s %lld.%lld", name, (long long)major, (long long)minor) <
				0) {
			*ret_text = NULL;
			return false;
		}
		return true;
	}

	return copy(name, ret_text);
}

static bool describe_uuid(const bt_trace *trace, char **ret_text)
{
	bt_uuid uuid;
	char text[37];
	size_t at = 0;

#ifdef CSC_HAS_MIP_1
	/* Messages of version 1 call it a UID, and any text may be one. */
	if (bt_trace_class_get_graph_mip_version(bt_trace_borrow_class_const(trace)) > 0) {
		return copy(bt_trace_get_uid(trace), ret_text);
	}
#endif
	uuid = bt_trace_get_uuid(trace);

	if (!uuid) {
		*ret_text = NULL;
		return true;
	}

	for (size_t i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10) {
			text[at++] = '-';
		}
		(void)snprintf(text + at, sizeof(text) - at, "%02x", uuid[i]);
		at += 2;
	}

	return copy(text, ret_text);
}

static enum csc_status add_trace(struct intake *intake, const bt_trace *trace, int32_t *ret_number,
		struct diag *diag)
{
	struct catalog_trace entry = { .vpid = ROW_NULL };
	const bt_trace **grown;

	for (size_t i = 0; i < intake->trace_count; i++) {
		if (intake->traces[i] == trace) {
			*ret_number = (int32_t)i;
			return CSC_OK;
		}
	}

	(void)env_integer(trace, "vpid", &entry.vpid);
	(void)env_integer(trace, "architecture_bit_width", &entry.word_bits);
	if (entry.word_bits != 0 && entry.word_bits != 32 && entry.word_bits != 64) {
		const char *name = bt_trace_get_name(trace);

		return DIAG_FAIL(diag,
				"trace '%s' says architecture_bit_width = %lld; 32 and 64 can be read",
				name ? name : "", (long long)entry.word_bits);
	}

	grown = realloc(intake->traces, (intake->trace_count + 1) * sizeof(const bt_trace *));
	if (grown) {
		intake->traces = grown;
	}

	if (!grown || !describe_uuid(trace, &entry.uuid) ||
			!copy(env_text(trace, "trace_name"), &entry.name) ||
			!copy(env_text(trace, "hostname"), &entry.hostname) ||
			!copy(env_text(trace, "tracer_buffering_scheme"), &entry.buffering) ||
			!copy(env_text(trace, "trace_creation_datetime"), &entry.created) ||
			!copy(env_text(trace, "procname"), &entry.procname) ||
			!describe_tracer(trace, &entry.tracer) ||
			catalog_add_trace(intake->catalog, &entry) < 0) {
		free(entry.uuid);
		free(entry.name);
		free(entry.hostname);
		free(entry.buffering);
		free(entry.created);
		free(entry.procname);
		free(entry.tracer);
		return DIAG_NO_MEMORY(diag);
	}

	bt_trace_get_ref(trace);
	intake->traces[intake->trace_count] = trace;
	*ret_number = (int32_t)intake->trace_count++;
	return CSC_OK;
}

/* What a stream is called, after the renaming of copies; the caller frees it. */
static bool stream_name(const struct intake *intake, const bt_stream *stream, char **ret_name)
{
	const char *name = bt_stream_get_name(stream);

	for (size_t i = 0; name && i < intake->path_count; i++) {
		const struct sink_path *path = &intake->paths[i];
		size_t length = strlen(path->copy);

		if (strncmp(name, path->copy, length) == 0) {
			if (asprintf(ret_name, "%s%s", path->origin, name + length) < 0) {
				*ret_name = NULL;
				return false;
			}
			return true;
		}
	}

	return copy(name, ret_name);
}

/* 0: the stream's first packet is its first, or nothing is known of it. */
static uint64_t first_packet_number(const bt_trace *trace, const char *path)
{
	const bt_value *tracer =
			bt_trace_borrow_environment_entry_value_by_name_const(trace, "tracer_name");
	uint64_t seq = 0;

	if (!tracer || !bt_value_is_string(tracer) ||
			strncmp(bt_value_string_get(tracer), "lttng", strlen("lttng")) != 0 ||
			!first_packet_seq(path, &seq)) {
		return 0;
	}

	return seq;
}

static enum csc_status add_stream(struct intake *intake, const bt_stream *stream,
		struct stream_state **ret_state, struct diag *diag)
{
	const bt_stream_class *class = bt_stream_borrow_class_const(stream);
	const bt_trace *trace = bt_stream_borrow_trace_const(stream);
	struct stream_state **grown;
	struct stream_state *state;
	enum csc_status status;
	int32_t trace_number;
	char *name;

	if (!stream_name(intake, stream, &name)) {
		return DIAG_NO_MEMORY(diag);
	}

	if (!bt_stream_class_borrow_default_clock_class_const(class)) {
		status = DIAG_FAIL(diag,
				"stream '%s' has no clock: its events cannot be put in time",
				name ? name : "");
		free(name);
		return status;
	}

	status = add_trace(intake, trace, &trace_number, diag);
	if (status != CSC_OK) {
		free(name);
		return status;
	}

	grown = realloc(intake->streams,
			(intake->stream_count + 1) * sizeof(struct stream_state *));
	state = calloc(1, sizeof(*state));
	if (grown) {
		intake->streams = grown;
	}

	if (!grown || !state) {
		free(state);
		free(name);
		return DIAG_NO_MEMORY(diag);
	}

	state->stream = stream;
	state->trace = trace_number;
	state->number = catalog_add_stream(intake->catalog, trace_number, name);
	state->packet_end_ns = ROW_NULL;
	state->first_seq = bt_stream_get_name(stream)
			? first_packet_number(trace, bt_stream_get_name(stream))
			: 0;
	state->runtime = -1;
	state->thread = -1;
	free(name);
	if (state->number < 0) {
		free(state);
		return DIAG_NO_MEMORY(diag);
	}

	bt_stream_get_ref(stream);
	grown[intake->stream_count++] = state;
	*ret_state = state;
	return CSC_OK;
}

enum csc_status intake_find_stream(struct intake *intake, const bt_stream *stream,
		struct stream_state **ret_state, struct diag *diag)
{
	if (intake->latest_stream && intake->latest_stream->stream == stream) {
		*ret_state = intake->latest_stream;
		return CSC_OK;
	}

	for (size_t i = 0; i < intake->stream_count; i++) {
		if (intake->streams[i]->stream == stream) {
			intake->latest_stream = intake->streams[i];
			*ret_state = intake->streams[i];
			return CSC_OK;
		}
	}

	return add_stream(intake, stream, ret_state, diag);
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

static enum csc_status take_discarded_events(
		struct intake *intake, const bt_message *message, struct diag *diag)
{
	const bt_stream *stream = bt_message_discarded_events_borrow_stream_const(message);
	bool has_clock = bt_stream_class_discarded_events_have_default_clock_snapshots(
			bt_stream_borrow_class_const(stream));
	uint64_t count = 0;
	bool has_count = bt_message_discarded_events_get_count(message, &count) ==
			BT_PROPERTY_AVAILABILITY_AVAILABLE;

	return take_loss(intake, stream, "discarded_events",
			has_clock ? bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const(
						    message)
				  : NULL,
			has_clock ? bt_message_discarded_events_borrow_end_default_clock_snapshot_const(
						    message)
				  : NULL,
			has_count, count, false, diag);
}

static enum csc_status take_discarded_packets(
		struct intake *intake, const bt_message *message, struct diag *diag)
{
	const bt_stream *stream = bt_message_discarded_packets_borrow_stream_const(message);
	bool has_clock = bt_stream_class_discarded_packets_have_default_clock_snapshots(
			bt_stream_borrow_class_const(stream));
	uint64_t count = 0;
	bool has_count = bt_message_discarded_packets_get_count(message, &count) ==
			BT_PROPERTY_AVAILABILITY_AVAILABLE;

	return take_loss(intake, stream, "discarded_packets",
			has_clock ? bt_message_discarded_packets_borrow_beginning_default_clock_snapshot_const(
						    message)
				  : NULL,
			has_clock ? bt_message_discarded_packets_borrow_end_default_clock_snapshot_const(
						    message)
				  : NULL,
			has_count, count, true, diag);
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
		return take_discarded_events(intake, message, diag);
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		return take_discarded_packets(intake, message, diag);
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
				"events do not say which process they are of, and are kept as those of "
				"one unknown runtime; record with 'lttng add-context -u -t vpid -t vtid "
				"-t procname'");
	}

	if (status == CSC_OK && catalog->without_vtid > 0) {
		status = store_problem(intake->store, "context_missing_vtid", SEVERITY_INFO,
				catalog->without_vtid, diag,
				"events do not say which thread they are of; record with "
				"'lttng add-context -u -t vtid'");
	}

	if (status == CSC_OK && catalog->without_procname > 0) {
		status = store_problem(intake->store, "context_missing_procname", SEVERITY_INFO,
				catalog->without_procname, diag,
				"events do not carry the thread's name; record with "
				"'lttng add-context -u -t procname'");
	}

	return status;
}
