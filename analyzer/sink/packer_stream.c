/*
 * SPDX-License-Identifier: MIT
 *
 * Traces and streams that events come from.
 */
#include "packer_stream.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Fills what the catalog is to have of a trace.  False: out of memory. */
static bool describe_trace(const bt_trace *trace, struct catalog_trace *entry)
{
	return describe_uuid(trace, &entry->uuid) &&
			copy(env_text(trace, "trace_name"), &entry->name) &&
			copy(env_text(trace, "hostname"), &entry->hostname) &&
			copy(env_text(trace, "tracer_buffering_scheme"), &entry->buffering) &&
			copy(env_text(trace, "trace_creation_datetime"), &entry->created) &&
			copy(env_text(trace, "procname"), &entry->procname) &&
			describe_tracer(trace, &entry->tracer);
}

/* LTTng-UST from the version on that was looked at. */
static bool fills_streams(const bt_trace *trace)
{
	const char *tracer = env_text(trace, "tracer_name");
	int64_t major = 0;
	int64_t minor = 0;

	return tracer && strcmp(tracer, "lttng-ust") == 0 &&
			env_integer(trace, "tracer_major", &major) &&
			env_integer(trace, "tracer_minor", &minor) &&
			(major > 2 || (major == 2 && minor >= 13));
}

static enum csc_status find_trace(struct packer *packer, size_t source, const bt_trace *trace,
		struct trace_state **ret_state, struct diag *diag)
{
	struct trace_state *state;

	for (size_t i = 0; i < packer->trace_count; i++) {
		if (packer->traces[i]->trace == trace) {
			*ret_state = packer->traces[i];
			return CSC_OK;
		}
	}

	if (!csc_grow_by_one(&packer->traces, packer->trace_count, sizeof(struct trace_state *))) {
		return DIAG_NO_MEMORY(diag);
	}

	state = calloc(1, sizeof(*state));
	if (!state) {
		return DIAG_NO_MEMORY(diag);
	}

	state->trace = trace;
	state->packer = packer;
	state->source = source;
	state->number = -1;
	state->vpid = ROW_NULL;
	state->fills_streams = fills_streams(trace);
	bt_trace_get_ref(trace);
	packer->traces[packer->trace_count++] = state;
	(void)env_integer(trace, "vpid", &state->vpid);
	(void)env_integer(trace, "architecture_bit_width", &state->word_bits);
	if (state->word_bits != 0 && state->word_bits != 32 && state->word_bits != 64) {
		const char *name = bt_trace_get_name(trace);

		return DIAG_FAIL(diag,
				"trace '%s' has architecture_bit_width = %lld; 32 and 64 can be read",
				name ? name : "", (long long)state->word_bits);
	}

	state->entry.vpid = state->vpid;
	state->entry.word_bits = state->word_bits;
	*ret_state = state;
	return describe_trace(trace, &state->entry) ? CSC_OK : DIAG_NO_MEMORY(diag);
}

/* What a stream is called, after the renaming of copies; the caller frees it. */
static bool stream_name(const struct packer *packer, const bt_stream *stream, char **ret_name)
{
	const char *name = bt_stream_get_name(stream);

	for (size_t i = 0; name && i < packer->path_count; i++) {
		const struct sink_path *path = &packer->paths[i];
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

/* Reads the front of a stream's file.  False: it is none of LTTng's. */
static bool read_first_packet(const bt_trace *trace, const char *path, uint64_t *ret_seq)
{
	const char *tracer = env_text(trace, "tracer_name");

	return tracer && strncmp(tracer, "lttng", strlen("lttng")) == 0 &&
			first_packet_seq(path, ret_seq);
}

static void destroy_stream(struct stream_state *state)
{
	if (state->stream) {
		bt_stream_put_ref(state->stream);
	}
	free(state->name);
	free(state);
}

static enum csc_status fill_stream(struct packer *packer, size_t source, struct stream_state *state,
		const bt_stream *stream, struct diag *diag)
{
	const bt_stream_class *class = bt_stream_borrow_class_const(stream);
	const bt_trace *trace = bt_stream_borrow_trace_const(stream);
	const char *name = bt_stream_get_name(stream);
	enum csc_status status;

	if (!stream_name(packer, stream, &state->name)) {
		return DIAG_NO_MEMORY(diag);
	}

	if (!bt_stream_class_borrow_default_clock_class_const(class)) {
		return DIAG_FAIL(diag, "stream '%s' has no clock: its events cannot be put in time",
				state->name ? state->name : "");
	}

	status = find_trace(packer, source, trace, &state->trace, diag);
	if (status == CSC_OK) {
		bool is_read = name && read_first_packet(trace, name, &state->first_seq);

		state->is_of_file = is_read && state->name && strcmp(state->name, name) == 0;
	}

	return status;
}

static enum csc_status add_stream(struct packer *packer, size_t source, const bt_stream *stream,
		struct stream_state **ret_state, struct diag *diag)
{
	struct stream_state *state = calloc(1, sizeof(*state));
	enum csc_status status;

	if (!state ||
			!csc_grow_by_one(&packer->streams, packer->stream_count,
					sizeof(struct stream_state *))) {
		free(state);
		return DIAG_NO_MEMORY(diag);
	}

	status = fill_stream(packer, source, state, stream, diag);
	if (status != CSC_OK) {
		destroy_stream(state);
		return status;
	}

	state->stream = stream;
	bt_stream_get_ref(stream);
	state->rank = stream_rank_of(stream);
	state->order_ns = INT64_MIN;
	state->event_ns = INT64_MIN;
	state->number = -1;
	state->packet_end_ns = ROW_NULL;
	state->runtime = -1;
	state->thread = -1;
	packer->streams[packer->stream_count++] = state;
	packer->latest_stream = state;
	*ret_state = state;
	return CSC_OK;
}

enum csc_status packer_find_stream(struct packer *packer, size_t source, const bt_stream *stream,
		struct stream_state **ret_state, bool *ret_is_new, struct diag *diag)
{
	*ret_is_new = false;
	if (packer->latest_stream && packer->latest_stream->stream == stream) {
		*ret_state = packer->latest_stream;
		return CSC_OK;
	}

	assert(stream);
	for (size_t i = 0; i < packer->stream_count; i++) {
		if (packer->streams[i]->stream == stream) {
			packer->latest_stream = packer->streams[i];
			*ret_state = packer->streams[i];
			return CSC_OK;
		}
	}

	*ret_is_new = true;
	return add_stream(packer, source, stream, ret_state, diag);
}

void packer_streams_free(struct packer *packer)
{
	for (size_t i = 0; i < packer->stream_count; i++) {
		destroy_stream(packer->streams[i]);
	}

	for (size_t i = 0; i < packer->trace_count; i++) {
		bt_trace_put_ref(packer->traces[i]->trace);
		catalog_trace_finish(&packer->traces[i]->entry);
		free(packer->traces[i]);
	}

	free(packer->streams);
	free(packer->traces);
}
