/*
 * SPDX-License-Identifier: MIT
 *
 * A graph of src.ctf.fs and a sink that counts, without a muxer between.
 */
#include "salvage_probe.h"

#include <babeltrace2/babeltrace.h>

struct probe {
	/* Borrowed from the graph while it runs. */
	bt_message_iterator *iterator;

	uint64_t packets;
	uint64_t events;

	uint64_t last_cycles;

	/* Time went back, or does not fit in ns: muxers stop there. */
	bool is_untimely;
};

static bt_component_class_initialize_method_status sink_init(bt_self_component_sink *self,
		bt_self_component_sink_configuration *configuration, const bt_value *parameters,
		void *data)
{
	(void)configuration;
	(void)parameters;
	bt_self_component_set_data(bt_self_component_sink_as_self_component(self), data);
	return bt_self_component_sink_add_input_port(self, "in", NULL, NULL) ==
					BT_SELF_COMPONENT_ADD_PORT_STATUS_OK
			? BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK
			: BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
}

static bt_component_class_sink_graph_is_configured_method_status sink_configured(
		bt_self_component_sink *self)
{
	struct probe *probe =
			bt_self_component_get_data(bt_self_component_sink_as_self_component(self));

	return bt_message_iterator_create_from_sink_component(self,
			       bt_self_component_sink_borrow_input_port_by_index(self, 0),
			       &probe->iterator) ==
					BT_MESSAGE_ITERATOR_CREATE_FROM_SINK_COMPONENT_STATUS_OK
			? BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK
			: BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_ERROR;
}

static void time_check(struct probe *probe, const bt_clock_snapshot *snapshot)
{
	uint64_t cycles = bt_clock_snapshot_get_value(snapshot);
	int64_t ns;

	if (bt_clock_snapshot_get_ns_from_origin(snapshot, &ns) !=
			BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK) {
		bt_current_thread_clear_error();
		probe->is_untimely = true;
	}
	probe->is_untimely |= cycles < probe->last_cycles;
	probe->last_cycles = cycles;
}

static void message_take(struct probe *probe, const bt_message *message)
{
	const bt_clock_snapshot *clock = NULL;

	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_PACKET_BEGINNING: {
		const bt_stream_class *class =
				bt_stream_borrow_class_const(bt_packet_borrow_stream_const(
						bt_message_packet_beginning_borrow_packet_const(
								message)));

		probe->packets++;
		if (bt_stream_class_packets_have_beginning_default_clock_snapshot(class)) {
			clock = bt_message_packet_beginning_borrow_default_clock_snapshot_const(
					message);
		}
		break;
	}
	case BT_MESSAGE_TYPE_PACKET_END: {
		const bt_stream_class *class =
				bt_stream_borrow_class_const(bt_packet_borrow_stream_const(
						bt_message_packet_end_borrow_packet_const(
								message)));

		if (bt_stream_class_packets_have_end_default_clock_snapshot(class)) {
			clock = bt_message_packet_end_borrow_default_clock_snapshot_const(message);
		}
		break;
	}
	case BT_MESSAGE_TYPE_EVENT:
		probe->events++;
		if (bt_message_event_borrow_stream_class_default_clock_class_const(message)) {
			clock = bt_message_event_borrow_default_clock_snapshot_const(message);
		}
		break;
	default:
		break;
	}

	if (clock) {
		time_check(probe, clock);
	}
}

static bt_component_class_sink_consume_method_status sink_consume(bt_self_component_sink *self)
{
	struct probe *probe =
			bt_self_component_get_data(bt_self_component_sink_as_self_component(self));
	bt_message_array_const messages;
	uint64_t count;
	bt_message_iterator_next_status status =
			bt_message_iterator_next(probe->iterator, &messages, &count);

	if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_OK) {
		for (uint64_t i = 0; i < count; i++) {
			if (!probe->is_untimely) {
				message_take(probe, messages[i]);
			}
			bt_message_put_ref(messages[i]);
		}
	}
	return probe->is_untimely ? BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR
				  : (bt_component_class_sink_consume_method_status)status;
}

static void sink_finalize(bt_self_component_sink *self)
{
	struct probe *probe =
			bt_self_component_get_data(bt_self_component_sink_as_self_component(self));

	if (probe) {
		bt_message_iterator_put_ref(probe->iterator);
		probe->iterator = NULL;
	}
}

static const bt_component_class_sink *class_make(void)
{
	bt_component_class_sink *class = bt_component_class_sink_create("probe", sink_consume);

	if (class &&
			(bt_component_class_sink_set_initialize_method(class, sink_init) != 0 ||
					bt_component_class_sink_set_graph_is_configured_method(
							class, sink_configured) != 0 ||
					bt_component_class_sink_set_finalize_method(
							class, sink_finalize) != 0)) {
		bt_component_class_sink_put_ref(class);
		class = NULL;
	}
	return class;
}

static bt_value *parameters_make(const char *trace_dir)
{
	bt_value *parameters = bt_value_map_create();
	bt_value *inputs = NULL;

	if (parameters &&
			(bt_value_map_insert_empty_array_entry(parameters, "inputs", &inputs) !=
							0 ||
					bt_value_array_append_string_element(inputs, trace_dir) !=
							0)) {
		bt_value_put_ref(parameters);
		parameters = NULL;
	}
	return parameters;
}

/* Decodes the stream of one port; *ret_port_count is how many there are. */
static enum salvage_probe_result port_probe(const bt_component_class_source *source_class,
		const char *trace_dir, bool opening_only, uint64_t port, struct probe *probe,
		uint64_t *ret_port_count)
{
	enum salvage_probe_result result = SALVAGE_PROBE_NO_MEMORY;
	bt_graph *graph = bt_graph_create(0);
	bt_value *parameters = parameters_make(trace_dir);
	const bt_component_class_sink *sink_class = class_make();
	const bt_component_source *source;
	const bt_component_sink *sink;
	bt_graph_run_status status;

	if (!graph || !parameters || !sink_class) {
		goto end;
	}
	result = SALVAGE_PROBE_FAILED;
	if (bt_graph_add_source_component(graph, source_class, "source", parameters,
			    BT_LOGGING_LEVEL_NONE, &source) != 0) {
		goto end;
	}
	*ret_port_count = bt_component_source_get_output_port_count(source);
	if (opening_only || port >= *ret_port_count) {
		result = SALVAGE_PROBE_READ;
		goto end;
	}
	if (bt_graph_add_sink_component_with_initialize_method_data(graph, sink_class, "probe",
			    NULL, probe, BT_LOGGING_LEVEL_NONE, &sink) != 0 ||
			bt_graph_connect_ports(graph,
					bt_component_source_borrow_output_port_by_index_const(
							source, port),
					bt_component_sink_borrow_input_port_by_index_const(sink, 0),
					NULL) != 0) {
		goto end;
	}
	do {
		status = bt_graph_run(graph);
	} while (status == BT_GRAPH_RUN_STATUS_AGAIN);
	if (status == BT_GRAPH_RUN_STATUS_OK) {
		result = SALVAGE_PROBE_READ;
	}
end:
	bt_component_class_sink_put_ref(sink_class);
	bt_value_put_ref(parameters);
	bt_graph_put_ref(graph);
	bt_current_thread_clear_error();
	return result;
}

enum salvage_probe_result salvage_probe(const char *trace_dir, bool opening_only,
		uint64_t *ret_packet, uint64_t *ret_events)
{
	const bt_plugin *plugin = NULL;
	const bt_component_class_source *source_class;
	enum salvage_probe_result result = SALVAGE_PROBE_READ;
	uint64_t events = 0;
	uint64_t port_count = 1;

	if (bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &plugin) != 0) {
		bt_current_thread_clear_error();
		return SALVAGE_PROBE_NO_MEMORY;
	}
	source_class = bt_plugin_borrow_source_component_class_by_name_const(plugin, "fs");
	for (uint64_t port = 0; port < port_count && result == SALVAGE_PROBE_READ; port++) {
		struct probe probe = { .packets = 0 };

		result = port_probe(
				source_class, trace_dir, opening_only, port, &probe, &port_count);
		events += probe.events;
		*ret_packet = probe.packets ? probe.packets - 1 : 0;
	}
	*ret_events = events;
	bt_plugin_put_ref(plugin);
	return result;
}
