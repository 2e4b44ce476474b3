/*
 * SPDX-License-Identifier: MIT
 *
 * Traces on disk, decoded by several threads: each has a graph over some of the streams, and the
 * calling thread takes what they pack in order of time.  The rows are those of one graph with
 * Babeltrace's muxer, whatever the number of threads.
 */
#ifndef CSC_LOAD_PARALLEL_H
#define CSC_LOAD_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

#include "diag.h"
#include "load_graph.h"

struct parallel;

/*
 * How many threads are to decode the inputs: `jobs`, or, where it is 0, as many as there are CPUs
 * for the program, and one for traces of a few MiB.  1: one graph as ever.
 */
size_t load_parallel_jobs(const struct inputs *inputs, size_t jobs);

/*
 * Opens the inputs and then the database.  *ret_parallel is NULL when the inputs have one stream
 * only, and nothing was opened.  The plan's channel is borrowed.  Errors: as of
 * load_graph_create().
 */
enum csc_status load_parallel_create(const struct load_plan *plan, size_t jobs,
		struct parallel **ret_parallel, struct diag *diag);

/*
 * Loads.  `look` is called every now and then and yields false to stop: the database is then kept
 * as incomplete.  Errors: what failed is in the channel's diag or the error of this thread, or in
 * both.
 */
enum csc_status load_parallel_run(struct parallel *parallel, bool (*look)(void *data), void *data);

/* Gives up what is not done.  NULL is fine. */
void load_parallel_destroy(struct parallel *parallel);

#endif
