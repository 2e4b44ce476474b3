/*
 * SPDX-License-Identifier: MIT
 *
 * One event to one row.
 */
#ifndef CSC_INTAKE_EVENT_H
#define CSC_INTAKE_EVENT_H

#include <babeltrace2/babeltrace.h>

#include "diag.h"

struct intake;

/* Takes an event; the caller keeps the message. */
enum csc_status intake_take_event(
		struct intake *intake, const bt_message *message, struct diag *diag);

#endif
