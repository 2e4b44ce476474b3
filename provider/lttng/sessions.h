/* SPDX-License-Identifier: MIT */
/*
 * LTTng sessions that come and go, noticed without a thread of the tracer's.
 */
#ifndef CSC_SESSIONS_H
#define CSC_SESSIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Changes whenever a session starts or stops recording names and state; 0: none does. */
uintptr_t sessions_stamp(void);

/* Whether some session records names, blocks, samples or snapshots of this process. */
bool sessions_are_there(void);

/* Waits until the tracer has done what it is doing: a session that has come records. */
void sessions_settle(void);

#endif
