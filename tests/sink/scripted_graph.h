/*
 * SPDX-License-Identifier: MIT
 *
 * A graph of the scripted source and the sink.
 */
#ifndef CSC_SCRIPTED_GRAPH_H
#define CSC_SCRIPTED_GRAPH_H

#include <stdbool.h>

#include <babeltrace2/babeltrace.h>

/* Makes the component classes, once for the process; false: Babeltrace refuses. */
bool scripted_graph_begin(void);

/*
 * Makes a graph that plays `script`, which must outlive it, into a sink with `params`; the caller
 * puts it.  NULL: the sink refuses, see Babeltrace's error of this thread.
 */
bt_graph *scripted_graph_create(const char *script, const bt_value *params);

/* Frees the classes. */
void scripted_graph_end(void);

#endif
