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
	bool is_gmt;

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

#endif
