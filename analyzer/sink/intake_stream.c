/*
 * SPDX-License-Identifier: MIT
 *
 * Traces, streams and threads that events come from.
 */
#include "intake_stream.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog.h"
#include "first_packet.h"
#include "growing.h"

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
				"trace '%s' has architecture_bit_width = %lld; 32 and 64 can be read",
				name ? name : "", (long long)entry.word_bits);
	}

	if (!csc_grow_by_one(&intake->traces, intake->trace_count, sizeof(const bt_trace *)) ||
			!describe_uuid(trace, &entry.uuid) ||
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

	state = calloc(1, sizeof(*state));
	if (!state ||
			!csc_grow_by_one(&intake->streams, intake->stream_count,
					sizeof(struct stream_state *))) {
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
	intake->streams[intake->stream_count++] = state;
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

	assert(stream);
	for (size_t i = 0; i < intake->stream_count; i++) {
		if (intake->streams[i]->stream == stream) {
			intake->latest_stream = intake->streams[i];
			*ret_state = intake->streams[i];
			return CSC_OK;
		}
	}

	return add_stream(intake, stream, ret_state, diag);
}

enum csc_status intake_change_thread(struct intake *intake, struct stream_state *state,
		int64_t vpid, int64_t vtid, const char *procname, struct diag *diag)
{
	struct catalog *catalog = intake->catalog;
	const struct catalog_trace *trace = &catalog->traces[state->trace];
	const char *main_name = trace->procname;

	state->runtime = catalog_runtime(catalog, trace->hostname, vpid);
	if (state->runtime < 0) {
		return DIAG_NO_MEMORY(diag);
	}

	state->vpid = vpid;
	state->vtid = vtid;
	/* A name that does not fit compares with nothing, and is looked up each time. */
	state->has_procname = procname && strlen(procname) < sizeof(state->procname);
	if (procname) {
		(void)strncpy(state->procname, procname, sizeof(state->procname) - 1);
	}

	if (!main_name && procname && vpid != ROW_NULL && vtid == vpid) {
		main_name = procname;
	}

	if (main_name && !catalog_name_runtime(catalog, state->runtime, main_name)) {
		return DIAG_NO_MEMORY(diag);
	}

	state->thread = -1;
	if (vtid != ROW_NULL || procname) {
		state->thread = catalog_thread(catalog, state->runtime, vtid, procname);
		if (state->thread < 0) {
			return DIAG_NO_MEMORY(diag);
		}
	}

	return CSC_OK;
}
