/*
 * SPDX-License-Identifier: MIT
 */
#include "scripted_graph.h"

#include <stdint.h>
#include <stdlib.h>

#include "scripted_source.h"
#include "sink.h"

static const bt_component_class_source *source_class;
static bt_component_class_sink *sink_class;

bool scripted_graph_begin(void)
{
	source_class = scripted_source_create();
	sink_class = bt_component_class_sink_create("sqlite", sink_consume);
	return source_class && sink_class &&
			bt_component_class_sink_set_initialize_method(
					sink_class, sink_initialize) == 0 &&
			bt_component_class_sink_set_finalize_method(sink_class, sink_finalize) ==
			0 &&
			bt_component_class_sink_set_graph_is_configured_method(
					sink_class, sink_graph_is_configured) == 0;
}

bt_graph *scripted_graph_create(const char *script, const bt_value *params)
{
	bt_graph *graph = bt_graph_create(0);
	const bt_component_source *source;
	const bt_component_sink *sink;

	if (!graph ||
			bt_graph_add_source_component_with_initialize_method_data(graph,
					source_class, "source", NULL, (void *)(uintptr_t)script,
					BT_LOGGING_LEVEL_NONE, &source) != 0) {
		abort();
	}

	if (bt_graph_add_sink_component(
			    graph, sink_class, "sink", params, BT_LOGGING_LEVEL_NONE, &sink) != 0) {
		bt_graph_put_ref(graph);
		return NULL;
	}

	if (bt_graph_connect_ports(graph,
			    bt_component_source_borrow_output_port_by_index_const(source, 0),
			    bt_component_sink_borrow_input_port_by_index_const(sink, 0),
			    NULL) != 0) {
		abort();
	}

	return graph;
}

void scripted_graph_end(void)
{
	bt_component_class_source_put_ref(source_class);
	bt_component_class_sink_put_ref(sink_class);
}
