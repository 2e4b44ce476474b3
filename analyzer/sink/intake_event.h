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

#endif
