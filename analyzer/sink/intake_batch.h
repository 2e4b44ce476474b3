/*
 * SPDX-License-Identifier: MIT
 *
 * Batches of block events to rows, each record in its place among all events.
 */
#ifndef CSC_INTAKE_BATCH_H
#define CSC_INTAKE_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "diag.h"
#include "packed.h"

struct held_batch;
struct intake;

/* Takes a batch: notes what was lost before it, and holds it. */
enum csc_status intake_take_batch(
		struct intake *intake, const struct packed_event *record, struct diag *diag);

/* Goes to the next record of a batch.  *ret_has_next false: it is over, and what was wrong is
 * noted. */
enum csc_status intake_next_record(struct intake *intake, struct held_batch *batch,
		bool *ret_has_next, struct diag *diag);

/* Takes what is held up to that time; INT64_MAX: all. */
enum csc_status intake_release(struct intake *intake, int64_t bound_ns, struct diag *diag);

/*
 * Takes what is held when nothing more comes.  A process that has not said that it emits no more
 * was killed, or its session ended, before its last batches: others may be missing beside them, so
 * it ends at its horizon, and what it recorded later is left out.
 */
enum csc_status intake_end_batches(struct intake *intake, struct diag *diag);

#endif
