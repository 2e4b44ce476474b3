/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope report --format html`: a page of its own, to be read without a network;
 * `carrierscope diff --format html`: the same with what an older recording had.
 */
#ifndef CSC_PAGE_H
#define CSC_PAGE_H

#include <sqlite3.h>
#include <stdio.h>

#include "diag.h"

/* Errors: the program was built without the page; the database cannot be read. */
enum csc_status page_check(struct diag *diag);

/* A recording that the page is compared with; all borrowed. */
struct page_old {
	sqlite3 *db;
	const char *path;

	/* What has become of it, in a sentence. */
	const char *sentence;

	/* Markup: the table of metrics that differ, or "" for none. */
	const char *differences;

	/* Markup: the holders that changed. */
	const char *holders;
};

/* `old`: NULL for a page of one recording. */
enum csc_status page_print(FILE *stream, sqlite3 *db, const char *path, const struct page_old *old,
		struct diag *diag);

/* Judges for page_print(): what it reads that is not stored, and what is computed in C. */
enum csc_status page_prepare(sqlite3 *db, struct diag *diag);

#endif
