/*
 * SPDX-License-Identifier: MIT
 *
 * The thread that writes batches, and the queue before it.
 */
#ifndef CSC_STORE_WRITER_H
#define CSC_STORE_WRITER_H

#include "diag.h"

struct store;

enum csc_status store_writer_start(struct store *store, struct diag *diag);

/* Waits until the queue is empty; yields the writer's failure if there was one. */
enum csc_status store_writer_drain(struct store *store, struct diag *diag);

/* Queues the batch being filled, waiting for room. */
enum csc_status store_writer_submit(struct store *store, struct diag *diag);

/* Ends the thread, with or without writing what is queued. */
void store_writer_stop(struct store *store);

enum csc_status store_feeds_open(struct store *store, struct diag *diag);
void store_feeds_close(struct store *store);

#endif
