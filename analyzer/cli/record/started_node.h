/*
 * SPDX-License-Identifier: MIT
 *
 * The node that `record -- COMMAND` starts: it is hooked from its boot on, by its environment, and
 * lets go by itself when this process ends.
 */
#ifndef CSC_STARTED_NODE_H
#define CSC_STARTED_NODE_H

#include <signal.h>
#include <stdbool.h>

#include "diag.h"
#include "process.h"
#include "record_options.h"

struct started_node {
	/* pid 0: none, or it has ended. */
	struct waiting_process process;

	/* A file in memory, into which the node writes why it records nothing. */
	int answer;

	/* Of one that has ended, as in struct process_result. */
	int status;
};

/*
 * Starts COMMAND, which waits for started_node_release().  `ebin`: the folder of module
 * carrierscope. Errors: its environment would be too long for a program, or there is no process.
 */
enum csc_status started_node_prepare(struct started_node *node,
		const struct record_options *options, const char *ebin, struct diag *diag);

/*
 * Lets it run, until it is hooked.  One that ends before in order is no error: what it recorded is
 * looked at.  Errors: it ends otherwise, starts the node as another process, does not hook within a
 * minute or says why it does not, or `is_interrupted` is set.
 */
enum csc_status started_node_release(struct started_node *node,
		const struct record_options *options, const char *ebin,
		const volatile sig_atomic_t *is_interrupted, struct diag *diag);

/* Whether it has ended, or there is none. */
bool started_node_is_over(struct started_node *node);

/* Ends it: it takes its last snapshot before.  Killed if it takes too long. */
void started_node_end(struct started_node *node);

#endif
