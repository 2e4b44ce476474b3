/*
 * SPDX-License-Identifier: MIT
 *
 * Readings of a node that has nothing of ours: a module is pushed into it, prints snapshots as they
 * are taken, and leaves.  What it prints becomes a CTF trace.
 */
#ifndef CSC_PUSH_H
#define CSC_PUSH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "diag.h"
#include "node.h"
#include "push_expression.h"

/* Of push_request.history: a minute of numbers. */
enum { PUSH_HISTORY_BYTES = 1536 };

struct push_request {
	/* Name, command, cookie. */
	const struct record_node *node;

	struct push_order order;

	/* The folder of the trace, which is not there yet. */
	const char *trace;

	/* Readings end early where it is not 0. */
	const volatile sig_atomic_t *is_interrupted;

	bool is_on_tty;

	/* Readings end, in order, where the trace has so many bytes; 0: by time alone. */
	uint64_t most_bytes;

	/* Gets "REASON VALUE THRESHOLD DETAIL" of each alarm, and may take its time; not NULL where
	 * there are rules. */
	void (*alarm)(void *context, const char *alarm);

	/* Gets what the rules have seen in the last minute, for the order of the next run, which
	 * leaves it out in another life of the node; PUSH_HISTORY_BYTES, NULL: nobody wants it. */
	char *history;

	/* Called at each packet; `life` is the same as long as the node runs.  NULL: nothing is. */
	void (*turn)(void *context, uint32_t life);

	/* Gets each answer where `order.watched` is not 0. */
	void (*answer)(void *context, const char *answer);
	void *context;
};

struct push_result {
	unsigned long long snapshots;

	/* Packets that did not come, or were damaged. */
	unsigned long long lost;
};

/*
 * Reads the node until its time is over.  Errors: it cannot be asked, refuses, or ended early;
 * result->snapshots of it are in the trace all the same.
 */
enum csc_status push_read(const struct push_request *request, struct push_result *ret_result,
		struct diag *diag);

#endif
