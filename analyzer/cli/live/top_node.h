/*
 * SPDX-License-Identifier: MIT
 *
 * A node's own reading.
 */
#ifndef CSC_TOP_NODE_H
#define CSC_TOP_NODE_H

#include "diag.h"
#include "node.h"
#include "top_reading.h"

/* Asks the node, which is asked every `every_ms`.  Errors: those of record_node_ask(). */
enum csc_status top_node_read(const struct record_node *node, unsigned int every_ms,
		struct top_reading *ret_reading, struct diag *diag);

/* The same from an answer, which is changed.  Errors: it has no records of a reading. */
enum csc_status top_node_parse(char *answer, struct top_reading *ret_reading, struct diag *diag);

#endif
