/*
 * SPDX-License-Identifier: MIT
 *
 * Rows of one source, batch by batch: handed out by the reader's thread, written by the
 * writer's.
 */
#ifndef CSC_STORE_BATCH_H
#define CSC_STORE_BATCH_H

#include <stdbool.h>

#include "diag.h"
#include "rows.h"

struct store;

/*
 * Each hands out the next row of its kind with its id set; the caller fills the
 * rest (otp: all else is zero).  Valid until the next store_begin_event().
 */
struct carrier_row *store_carrier_row(struct store *store);
struct block_row *store_block_row(struct store *store);
struct process_row *store_process_row(struct store *store);
struct otp_row *store_otp_row(struct store *store);

/* `event`: number of its model, of table TABLE_CORE_EVENT. */
struct core_event_row *store_core_event_row(struct store *store, unsigned int event);

/* NULL: the event has more fields than a batch takes. */
struct extra_row *store_extra_row(struct store *store);

/* The next row with source and stream set (-1: none) and all else NULL. */
struct lost_row *store_lost_row(struct store *store, int32_t stream);

/* Copies a text for a row handed out since.  False: out of memory. */
bool store_text(struct store *store, const char *text, struct row_text *ret_text);

/*
 * Hands the batch over if a row of any kind is full; call it before the rows
 * of one event, so that they share a batch and its texts.
 */
enum csc_status store_begin_event(struct store *store, struct diag *diag);

/* For store.c.  Errors: out of memory; what is there is freed by store_batches_free(). */
enum csc_status store_batches_allocate(struct store *store, struct diag *diag);
void store_batches_free(struct store *store);

#endif
