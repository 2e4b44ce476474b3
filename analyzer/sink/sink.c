/*
 * SPDX-License-Identifier: MIT
 *
 * The life of the component: initialize, configured, consume…, finalize.
 */
#include "sink.h"

#include <stdlib.h>

#include "files.h"
#include "filling.h"
#include "load_channel.h"
#include "sink_params.h"
#include "store.h"

struct sink {
	struct filling filling;
	bt_message_iterator *upstream;

	/* Some message was asked for; nothing may be asked for again. */
	bool has_begun;
	bool has_failed;
	bool is_live;
	struct diag diag;
};

static struct sink *borrow_sink(bt_self_component_sink *self_sink)
{
	return bt_self_component_get_data(bt_self_component_sink_as_self_component(self_sink));
}

/* Hands a failure to Babeltrace's chain of causes and to `carrierscope load`. */
static enum csc_status report(
		bt_self_component_sink *self_sink, struct sink *sink, enum csc_status status)
{
	if (status == CSC_OK) {
		return CSC_OK;
	}

	sink->has_failed = true;
	if (sink->filling.channel && !sink->filling.channel->diag.file) {
		sink->filling.channel->diag = sink->diag;
	}

	(void)bt_current_thread_error_append_cause_from_component(
			bt_self_component_sink_as_self_component(self_sink),
			sink->diag.file ? sink->diag.file : __FILE__,
			sink->diag.file ? sink->diag.line : __LINE__, "%s",
			sink->diag.file ? sink->diag.text : "out of memory");
	return status;
}

static void destroy_sink(struct sink *sink)
{
	if (!sink) {
		return;
	}

	filling_destroy(&sink->filling);
	if (sink->upstream) {
		bt_message_iterator_put_ref(sink->upstream);
	}
	free(sink);
}

static enum csc_status open_sink(struct sink *sink, const bt_value *params, void *data)
{
	struct store_options options = { 0 };
	struct load_channel *channel = data;
	enum csc_status status;

	if (channel && channel->magic != LOAD_CHANNEL_MAGIC) {
		return DIAG_FAIL(&sink->diag,
				"the plugin and the command are of different versions");
	}

	if (channel && channel->mode) {
		files_set_mode(channel->mode);
	}

	sink->filling.channel = channel;
	status = sink_params_read(params, &options, &sink->diag);
	return status == CSC_OK ? filling_open(&sink->filling, &options, channel, &sink->diag)
				: status;
}

/* What version 1 changes of what is read here: intake.c asks for the trace's id in another way. */
enum { GREATEST_MIP_VERSION = 1 };

bt_component_class_get_supported_mip_versions_method_status sink_get_supported_mip_versions(
		bt_self_component_class_sink *self_class, const bt_value *params,
		void *initialize_method_data, bt_logging_level log_level,
		bt_integer_range_set_unsigned *supported_versions)
{
	uint64_t greatest = bt_get_maximal_mip_version();

	(void)self_class;
	(void)params;
	(void)initialize_method_data;
	(void)log_level;
	if (greatest > GREATEST_MIP_VERSION) {
		greatest = GREATEST_MIP_VERSION;
	}

	return (bt_component_class_get_supported_mip_versions_method_status)(int)
			bt_integer_range_set_unsigned_add_range(supported_versions, 0, greatest);
}

bt_component_class_initialize_method_status sink_initialize(bt_self_component_sink *self_sink,
		bt_self_component_sink_configuration *configuration, const bt_value *params,
		void *initialize_method_data)
{
	struct sink *sink = calloc(1, sizeof(*sink));
	bt_self_component_add_port_status port_status;
	enum csc_status status;

	(void)configuration;
	if (!sink) {
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
	}

	status = report(self_sink, sink, open_sink(sink, params, initialize_method_data));
	if (status != CSC_OK) {
		destroy_sink(sink);
		return (bt_component_class_initialize_method_status)status;
	}

	port_status = bt_self_component_sink_add_input_port(self_sink, "in", NULL, NULL);
	if (port_status != BT_SELF_COMPONENT_ADD_PORT_STATUS_OK) {
		destroy_sink(sink);
		return (bt_component_class_initialize_method_status)(int)port_status;
	}

	bt_self_component_set_data(bt_self_component_sink_as_self_component(self_sink), sink);
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

bt_component_class_sink_graph_is_configured_method_status sink_graph_is_configured(
		bt_self_component_sink *self_sink)
{
	struct sink *sink = borrow_sink(self_sink);

	return (bt_component_class_sink_graph_is_configured_method_status)(int)
			bt_message_iterator_create_from_sink_component(self_sink,
					bt_self_component_sink_borrow_input_port_by_index(
							self_sink, 0),
					&sink->upstream);
}

bt_component_class_sink_consume_method_status sink_consume(bt_self_component_sink *self_sink)
{
	struct sink *sink = borrow_sink(self_sink);
	enum csc_status status = CSC_OK;
	bt_message_array_const messages;
	bt_message_iterator_next_status next;
	uint64_t count;

	sink->has_begun = true;
	next = bt_message_iterator_next(sink->upstream, &messages, &count);
	if (next == BT_MESSAGE_ITERATOR_NEXT_STATUS_END) {
		status = report(self_sink, sink, filling_close(&sink->filling, true, &sink->diag));
		return status == CSC_OK ? BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_END
					: (bt_component_class_sink_consume_method_status)status;
	}

	/* Only a live source has nothing yet: what came so far may be looked at. */
	if (next == BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN) {
		sink->is_live = true;
		status = report(self_sink, sink, store_go_live(sink->filling.store, &sink->diag));
		filling_report(&sink->filling);
		return status == CSC_OK ? BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_AGAIN
					: (bt_component_class_sink_consume_method_status)status;
	}

	if (next != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK) {
		sink->has_failed = true;
		return (bt_component_class_sink_consume_method_status)(int)next;
	}

	/* Every message is ours to put, also those behind one that failed. */
	for (uint64_t i = 0; i < count; i++) {
		if (status == CSC_OK) {
			status = intake_take(sink->filling.intake, messages[i], &sink->diag);
		}

		bt_message_put_ref(messages[i]);
	}

	filling_report(&sink->filling);
	return (bt_component_class_sink_consume_method_status)report(self_sink, sink, status);
}

void sink_finalize(bt_self_component_sink *self_sink)
{
	struct sink *sink = borrow_sink(self_sink);

	/* The graph was interrupted, or a live source broke off: keep what came so far. */
	if (sink->filling.store && sink->has_begun && (!sink->has_failed || sink->is_live)) {
		enum csc_status status = filling_close(&sink->filling, false, &sink->diag);

		if (status != CSC_OK && sink->filling.channel &&
				!sink->filling.channel->diag.file) {
			sink->filling.channel->diag = sink->diag;
		}
	}

	destroy_sink(sink);
}
