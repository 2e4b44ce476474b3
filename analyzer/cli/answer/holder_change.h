/*
 * SPDX-License-Identifier: MIT
 *
 * Who holds more or less than in an older recording.  A holder is found again by what it is, never
 * by its pid: registered name, label, queue, initial call of a group, name of a table and its
 * owner.
 */
#ifndef CSC_HOLDER_CHANGE_H
#define CSC_HOLDER_CHANGE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "diag.h"

struct holder_change {
	/* What it is, and of what it holds: "rabbit_sessions" and "binary". */
	char *name;
	char *type;

	/* Number of the runtime in its file, from 1. */
	int64_t place;

	/* Of the old and the new recording, at the end; NaN: it lists no such holder, which may
	 * have little or nothing. */
	double bytes[2];

	/* What it gained in a second there; NaN: no growth was found. */
	double bytes_per_s[2];
};

struct holder_changes {
	struct holder_change *list;
	size_t count;

	/* Only one of the recordings lists holders: there is nothing to compare. */
	bool is_of_one;
};

/* What is the same of a holder in each run, of its name; the caller frees it.  NULL: out of memory.
 */
char *holder_identity(const char *name);

/*
 * Those that changed by more than the part `tolerance` and `least_bytes`, the largest change first.
 * Both databases are judged (page_prepare()).  holder_changes_finish() in every case.
 */
enum csc_status holder_changes_read(sqlite3 *old_db, sqlite3 *new_db, double tolerance,
		double least_bytes, struct holder_changes *ret_changes, struct diag *diag);
void holder_changes_finish(struct holder_changes *changes);

/* The first of them, and how many more there are; nothing if there are none, a sentence if one
 * recording alone lists holders.  `has_rates`: with
 * what they gained in a second. */
void holder_changes_print(FILE *stream, const struct holder_changes *changes, bool has_rates);

/* The same as markup. */
void holder_changes_write(FILE *stream, const struct holder_changes *changes, bool has_rates);

#endif
