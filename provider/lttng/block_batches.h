/* SPDX-License-Identifier: MIT */
/*
 * Block events as batches: each thread fills one of its own, and emits it when it is full.
 *
 * What a thread has not emitted is emitted by block_batches_settle(), which needs all threads to be
 * outside of the core.  A process that is killed loses it.
 */
#ifndef CSC_BLOCK_BATCHES_H
#define CSC_BLOCK_BATCHES_H

#include <stdbool.h>

#include "block_batch.h"

/* Before all others.  False: LTTng's clock does not count ns, and there are no batches. */
bool block_batches_open(void);

/* Says that batches will come, and that none has a record of before now. */
void block_batches_begin(void);

/* Adds a record of this thread, of this moment: time_ns is set here.  False: no memory for its
 * batch. */
bool block_batches_add(struct batch_record *record);

/* Emits what threads have: all of it, or of a thread whose first record is 10 ms old. */
void block_batches_settle(bool is_all);

/* Emits all, and says that nothing more comes. */
void block_batches_end(void);

#endif
