/*
 * SPDX-License-Identifier: MIT
 *
 * What lies in a keeper's spool goes to the fleet's server, by a process of its own.
 */
#ifndef CSC_KEEP_SEND_H
#define CSC_KEEP_SEND_H

#include "diag.h"
#include "keep_fleet.h"

/* A push may take so long. */
enum { KEEP_PUSH_MS = 900000 };

/* Runs a command of ours; its message is the error. */
enum csc_status keep_send_run(const char *const words[], int timeout_ms, struct diag *diag);

/* Begins to send the oldest, unless somebody sends or the server is away; waits for nothing. */
void keep_send(struct keep_fleet *fleet);

/* Sends for some seconds, and leaves the rest. */
void keep_send_rest(struct keep_fleet *fleet);

#endif
