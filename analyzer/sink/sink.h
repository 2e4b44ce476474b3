/*
 * SPDX-License-Identifier: MIT
 *
 * The component class sink.carrierscope.sqlite: its methods, as Babeltrace
 * calls them.  How a sink ends decides what becomes of the file:
 *
 *	upstream ended           the file is complete
 *	graph was interrupted    the file is there, with complete = 0
 *	something failed         no file, unless it was published live before
 */
#ifndef CSC_SINK_H
#define CSC_SINK_H

#include <babeltrace2/babeltrace.h>

bt_component_class_initialize_method_status sink_initialize(bt_self_component_sink *self_sink,
		bt_self_component_sink_configuration *configuration, const bt_value *params,
		void *initialize_method_data);

bt_component_class_sink_graph_is_configured_method_status sink_graph_is_configured(
		bt_self_component_sink *self_sink);

bt_component_class_sink_consume_method_status sink_consume(bt_self_component_sink *self_sink);

/* Messages of versions 0 and, where this Babeltrace has it (2.1), 1: traces in CTF 2. */
bt_component_class_get_supported_mip_versions_method_status sink_get_supported_mip_versions(
		bt_self_component_class_sink *self_class, const bt_value *params,
		void *initialize_method_data, bt_logging_level log_level,
		bt_integer_range_set_unsigned *supported_versions);

void sink_finalize(bt_self_component_sink *self_sink);

#endif
