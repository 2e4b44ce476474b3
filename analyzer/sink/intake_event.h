/*
 * SPDX-License-Identifier: MIT
 *
 * One event to one row.
 */
#ifndef CSC_INTAKE_EVENT_H
#define CSC_INTAKE_EVENT_H

#include "diag.h"
#include "packed.h"

struct intake;

/* Takes an event of a stream that was taken before. */
enum csc_status intake_take_event(
		struct intake *intake, const struct packed_event *record, struct diag *diag);

/*
 * Makes a block event that is filled but for its id to rows; yields the id of its own.  Behind a
 * call of store_begin_event().
 */
enum csc_status intake_put_block(struct intake *intake, const struct block_row *filled,
		int64_t *ret_id, struct diag *diag);

#endif
