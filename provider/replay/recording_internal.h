/* SPDX-License-Identifier: MIT */
/* A recording, for recording.c and recording_facts.c. */
#ifndef CSC_RECORDING_INTERNAL_H
#define CSC_RECORDING_INTERNAL_H

#include <sqlite3.h>

#include "decoded.h"
#include "recording.h"

struct recording {
	/* Weak. */
	const char *path;
	sqlite3 *db;
	struct recording_facts facts;
	char release[32];

	/* Calls that are wanted. */
	int64_t from_row;
	int64_t to_row;

	/* NULL: not yet. */
	struct decoded *decoded;
};

/* NULL: `diag` says why. */
sqlite3_stmt *recording_ask(const struct recording *recording, const char *sql, struct diag *diag);

/* Whether there is a next row; false as well when reading failed: see `diag`. */
bool recording_step_row(const struct recording *recording, sqlite3_stmt *rows, struct diag *diag);

#endif
