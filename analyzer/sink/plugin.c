/*
 * SPDX-License-Identifier: MIT
 *
 * What Babeltrace sees of the plugin: declarations only.
 */
#include <babeltrace2/babeltrace.h>

#include "sink.h"

BT_PLUGIN_MODULE();

BT_PLUGIN(carrierscope);
BT_PLUGIN_DESCRIPTION("Loads events of Erlang's memory allocators into an SQLite database");
BT_PLUGIN_AUTHOR("The Carrierscope authors");
BT_PLUGIN_LICENSE("MIT");
BT_PLUGIN_VERSION(CSC_VERSION_MAJOR, CSC_VERSION_MINOR, CSC_VERSION_PATCH, NULL);

/* sink.carrierscope.sqlite */
BT_PLUGIN_SINK_COMPONENT_CLASS(sqlite, sink_consume);
BT_PLUGIN_SINK_COMPONENT_CLASS_INITIALIZE_METHOD(sqlite, sink_initialize);
BT_PLUGIN_SINK_COMPONENT_CLASS_FINALIZE_METHOD(sqlite, sink_finalize);
BT_PLUGIN_SINK_COMPONENT_CLASS_GET_SUPPORTED_MIP_VERSIONS_METHOD(
		sqlite, sink_get_supported_mip_versions);
BT_PLUGIN_SINK_COMPONENT_CLASS_GRAPH_IS_CONFIGURED_METHOD(sqlite, sink_graph_is_configured);
BT_PLUGIN_SINK_COMPONENT_CLASS_DESCRIPTION(
		sqlite, "Write the allocator events of Erlang/OTP into an SQLite database");
BT_PLUGIN_SINK_COMPONENT_CLASS_HELP(sqlite,
		"Reads the events of OTP's LTTng providers (org_erlang_otp, com_ericsson_otp and\n"
		"their dyntrace companions), derives what they leave out, and writes one SQLite\n"
		"database whose views answer questions about carriers, blocks and the pool.\n"
		"\n"
		"Parameters:\n"
		"  path=FILE    [string, required]  the database to write\n"
		"  force=yes    [boolean]           replace FILE if it exists\n"
		"  append=yes   [boolean]           add this trace to FILE as one more source\n"
		"\n"
		"The file gets its name when it is whole.  If the graph is interrupted,\n"
		"table source has complete = 0.  While a live source is idle, what came so far is\n"
		"in FILE already, in WAL mode.\n"
		"\n"
		"Events that the database cannot hold, lost events and missing contexts are rows\n"
		"of load_problem and lost_interval.\n"
		"\n"
		"Example:\n"
		"  babeltrace2 TRACE -c sink.carrierscope.sqlite -p 'path=\"run.db\"'\n"
		"  sqlite3 -box run.db 'SELECT * FROM report_utilisation'\n"
		"\n"
		"See babeltrace2-sink.carrierscope.sqlite(7) and carrierscope-schema(7).");
