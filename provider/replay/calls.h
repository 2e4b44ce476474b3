/* SPDX-License-Identifier: MIT */
/* Calls and work of a recording from its database, in the order of time. */
#ifndef CSC_CALLS_H
#define CSC_CALLS_H

#include <stdbool.h>

#include "diag.h"
#include "recording.h"

struct calls;

/* Those within the limits of the recording.  NULL: `diag` says why. */
struct calls *calls_open(const struct recording *recording, struct diag *diag);

/* NULL is none. */
void calls_close(struct calls *calls);

/*
 * Whether there is a next step; false as well when that failed: see `diag`.  `ret_step->row` and
 * what else names blocks are rows of block_event.
 */
bool calls_next(struct calls *calls, struct recording_step *ret_step, struct diag *diag);

#endif
