/*
 * SPDX-License-Identifier: MIT
 *
 * A database being filled with one source.
 *
 * Two threads: the caller fills rows of a batch; the store's writer derives
 * what they do not say (analysis.h) and inserts them.  They meet at a queue of
 * batches and nowhere else.
 *
 * The file: a new database grows under a temporary name beside its final one
 * and gets the final one only when it is whole.  Appending is one transaction.
 * Once store_go_live() is called the file is under its final name, in WAL mode,
 * and says `complete = 0`.
 */
#ifndef CSC_STORE_H
#define CSC_STORE_H

#include <stdbool.h>

#include "catalog.h"
#include "diag.h"
#include "rows.h"
#include "schema_version.h"

/* PRAGMA application_id ("CSCP") and user_version of our files. */
enum {
	STORE_APPLICATION_ID = SCHEMA_APPLICATION_ID,
	STORE_SCHEMA_VERSION = SCHEMA_VERSION,
};

struct store_options {
	const char *path;

	/* Replace the file if there is one. */
	bool is_forced;

	/* Add to the file if there is one. */
	bool is_appending;

	/* Whose reader: "babeltrace2 2.0.4". */
	const char *reader;

	/* For tests: name of an SQLite VFS; NULL: the default. */
	const char *vfs;
};

/* Severities of load_problem, mildest first. */
enum severity {
	SEVERITY_INFO,
	SEVERITY_NOTICE,
	SEVERITY_DATA_LOSS,
	SEVERITY_ERROR,
};

/* Wall and CPU time, both in seconds: CPU of the whole process. */
struct store_phase {
	double wall_s;
	double cpu_s;
};

struct store;

/*
 * Opens a database for one source.  Errors: the file exists and neither force
 * nor append is given; append to something that is not a database of ours; the
 * folder cannot be written.
 */
enum csc_status store_open(
		const struct store_options *options, struct store **ret_store, struct diag *diag);

/* What the source's events come from; the caller fills it. */
struct catalog *store_catalog(struct store *store);

/*
 * Each hands out the next row of its kind with its id set; the caller fills the
 * rest (otp: all else is zero).  Valid until the next store_begin_event().
 */
struct carrier_row *store_carrier_row(struct store *store);
struct block_row *store_block_row(struct store *store);
struct process_row *store_process_row(struct store *store);
struct otp_row *store_otp_row(struct store *store);

/* `event`: number of its model, of table TABLE_OWN. */
struct own_row *store_own_row(struct store *store, unsigned int event);

/* NULL: the event has more fields than a batch takes. */
struct extra_row *store_extra_row(struct store *store);

/* The next row with source and stream set (-1: none) and all else NULL. */
struct lost_row *store_lost_row(struct store *store, int32_t stream);

/* Copies a text for a row handed out since.  False: out of memory. */
bool store_text(struct store *store, const char *text, struct row_text *ret_text);

/*
 * Hands the batch over if a row of any kind is full; call it before the rows
 * of one event, so that they share a batch and its texts.
 */
enum csc_status store_begin_event(struct store *store, struct diag *diag);

/* Notes that a kind of trouble was met `count` more times; the first sentence stays. */
enum csc_status store_problem(struct store *store, const char *name, enum severity severity,
		int64_t count, struct diag *diag, const char *format, ...)
		__attribute__((format(printf, 6, 7)));

/* Kinds of trouble noted so far, of at least that severity. */
int64_t store_problem_count(const struct store *store, enum severity severity);

/* Publishes what is there: see above.  Later calls commit; cheap if called often. */
enum csc_status store_go_live(struct store *store, struct diag *diag);

/*
 * Ends this source and begins the next one in the same file; what was handed out
 * for rows of this one is void.
 */
enum csc_status store_next_source(struct store *store, bool is_complete, struct diag *diag);

/*
 * Writes what is left, makes the file whole and gives it its name.  Frees the
 * store in every case; after an error no new file is there.
 */
enum csc_status store_close(struct store *store, bool is_complete, struct diag *diag);

/*
 * Gives up: a new file is removed, an old one is rolled back to what it was; where that
 * fails the journal stays, for store_recover().  NULL is fine.
 */
void store_destroy(struct store *store);

/*
 * Gives a whole file that was written under another name in the same folder its
 * final one.  Errors: the name is taken and is_forced is not set.
 */
enum csc_status store_publish(
		const char *working_path, const char *path, bool is_forced, struct diag *diag);

/*
 * Undoes what a load that was appending left half done: rolls back the journal beside
 * the file, as SQLite does for whoever may write.  `vfs` as in struct store_options.
 * Errors: the file or its folder cannot be written; the journal cannot be read.
 */
enum csc_status store_recover(const char *path, const char *vfs, struct diag *diag);

/* Time since store_open(), to tell reading from finishing. */
struct store_phase store_elapsed(const struct store *store);

#endif
