/*
 * SPDX-License-Identifier: MIT
 *
 * A database being filled with one source.
 *
 * Two threads: the caller fills rows of a batch; the store's writer derives
 * what they leave out (analysis.h) and inserts them.  They meet at a queue of
 * batches and nowhere else.
 *
 * The file: a new database grows under a temporary name beside its final one
 * and gets the final one only when it is whole.  Appending is one transaction.
 * Once store_go_live() is called the file is under its final name, in WAL mode,
 * and has `complete = 0`.
 */
#ifndef CSC_STORE_H
#define CSC_STORE_H

#include <stdbool.h>

#include "catalog.h"
#include "diag.h"
#include "rows.h"
#include "schema_version.h"
#include "store_batch.h"
#include "store_file.h"
#include "store_problem.h"

/* PRAGMA application_id ("CSCP") and user_version of our files. */
enum {
	STORE_APPLICATION_ID = SCHEMA_APPLICATION_ID,
	STORE_SCHEMA_VERSION = SCHEMA_VERSION,
};

struct sqlite3;

struct store_options {
	const char *path;

	/* Replace the file if there is one. */
	bool is_forced;

	/* Add to the file if there is one. */
	bool is_appending;

	/* Whose reader: "babeltrace2 2.0.4". */
	const char *loader_name;

	/*
	 * Judges what was loaded, within the transaction that ends it; `is_last`: false while
	 * more is to come, as from a live source.  NULL: nobody does, and its tables stay empty.
	 */
	enum csc_status (*judge)(struct sqlite3 *db, bool is_last, struct diag *diag);

	/* For tests: name of an SQLite VFS; NULL: the default. */
	const char *vfs;
};

/* Wall and CPU time in seconds: CPU of the whole process, and of the writer's thread in it. */
struct store_phase {
	double wall_s;
	double cpu_s;
	double writer_cpu_s;
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

/* Time since store_open(), to separate reading from finishing. */
struct store_phase store_elapsed(const struct store *store);

#endif
