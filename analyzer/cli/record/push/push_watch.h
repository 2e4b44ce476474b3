/*
 * SPDX-License-Identifier: MIT
 *
 * Readings for `carrierscope top` of a node that has nothing of ours, by a process that goes on
 * with them until nobody wants more.
 */
#ifndef CSC_PUSH_WATCH_H
#define CSC_PUSH_WATCH_H

#include <sys/types.h>

#include "diag.h"
#include "node.h"
#include "push_expression.h"

struct push_watch {
	/* 0: it has not begun. */
	pid_t pid;
	int from;

	/* What was read and not taken yet. */
	char bytes[4 * NODE_ANSWER_BYTES];
	size_t length;
};

/* `order->watched` holders, each `order->snapshots_ms`. */
enum csc_status push_watch_begin(struct push_watch *watch, const struct record_node *node,
		const struct push_order *order, struct diag *diag);

/* The newest answer, which is waited for: as carrierscope_top.erl has it.  Errors: there are no
 * more. */
enum csc_status push_watch_read(struct push_watch *watch, char ret_answer[static NODE_ANSWER_BYTES],
		struct diag *diag);

void push_watch_end(struct push_watch *watch);

#endif
