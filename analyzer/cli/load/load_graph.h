/*
 * SPDX-License-Identifier: MIT
 *
 * The graph of `carrierscope load`: sources, muxer, trimmer if asked for, and
 * our sink.
 */
#ifndef CSC_LOAD_GRAPH_H
#define CSC_LOAD_GRAPH_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>

#include "bt_classes.h"
#include "diag.h"
#include "inputs.h"
#include "load_channel.h"

/* What the graph is to be made of; all borrowed while load_graph_create() runs. */
struct load_plan {
	const struct bt_classes *classes;
	const struct inputs *inputs;

	const char *database;
	bool is_forced;
	bool is_appending;

	/* As the trimmer takes them; NULL: open. */
	const char *begin;
	const char *end;

	/* Borrowed until the graph is put; may be NULL. */
	bt_interrupter *interrupter;
	struct load_channel *channel;

	bt_logging_level log_level;
};

/*
 * Makes the graph.  The sink comes last: when a source cannot be opened, the
 * database was not touched.
 */
enum csc_status load_graph_create(
		const struct load_plan *plan, bt_graph **ret_graph, struct diag *diag);

/* A graph without components, for messages of the version that all of the plan's know. */
enum csc_status load_graph_begin(
		const struct load_plan *plan, bt_graph **ret_graph, struct diag *diag);

/* How many sources the plan's graphs have. */
size_t load_graph_source_count(const struct load_plan *plan);

/*
 * Adds the sources of the plan, in its order, to a graph, or the `wanted` ones where it is not
 * NULL; `ret_inputs` has the first input of each.  All have room for load_graph_source_count().
 * Errors: as of load_graph_create().
 */
enum csc_status load_graph_add_sources(const struct load_plan *plan, bt_graph *graph,
		const bool *wanted, const bt_component_source **ret_sources, size_t *ret_inputs,
		struct diag *diag);

enum csc_status load_graph_connect(bt_graph *graph, const bt_port_output *from,
		const bt_port_input *to, struct diag *diag);

/* Whether input `at` is read by the source of input `first`. */
bool load_graph_reads(const struct inputs *inputs, size_t first, size_t at);

#endif
