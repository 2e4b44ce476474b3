/*
 * SPDX-License-Identifier: MIT
 *
 * A small load that has a row for each table, of messages that are made
 * beforehand, so that the source takes no part.
 */
#ifndef CSC_FAILURE_LOAD_H
#define CSC_FAILURE_LOAD_H

#include "diag.h"

enum situation {
	SITUATION_NEW,
	SITUATION_FORCE,
	SITUATION_APPEND,
	SITUATION_LIVE,
	SITUATIONS,
};

/* Setup and teardown of the group: make the messages, and put them. */
int failure_load_begin(void **state);
int failure_load_end(void **state);

/* Loads the messages into a file, by way of the fault VFS. */
enum csc_status failure_load(const char *path, enum situation situation, struct diag *diag);

#endif
