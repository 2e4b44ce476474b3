/*
 * SPDX-License-Identifier: MIT
 *
 * A node's own reading.
 */
#ifndef CSC_TOP_NODE_H
#define CSC_TOP_NODE_H

#include "diag.h"
#include "node.h"
#include "push_watch.h"
#include "top_reading.h"

struct top_node {
	struct record_node node;
	enum push_syntax syntax;

	/* Of a node that has nothing of ours. */
	struct push_watch watch;
};

/*
 * Asks the node, which is asked every `every_ms`; one that lacks module carrierscope is pushed
 * another, which goes on until top_node_end().  Errors: those of record_node_ask() and push_read().
 */
enum csc_status top_node_read(struct top_node *node, unsigned int every_ms,
		struct top_reading *ret_reading, struct diag *diag);

void top_node_end(struct top_node *node);

/* The same from an answer, which is changed.  Errors: it has no records of a reading. */
enum csc_status top_node_parse(char *answer, struct top_reading *ret_reading, struct diag *diag);

#endif
