/*
 * SPDX-License-Identifier: MIT
 *
 * How SQLite opens a file that anybody may have made, beside files that anybody may have put
 * there: it does what the caller asked, and nothing that the files ask for.
 */
#ifndef CSC_GUARD_H
#define CSC_GUARD_H

#include <sqlite3.h>
#include <stdbool.h>

#include "diag.h"

/* What is said of a query that was ended. */
#define GUARD_ENDED                                                                           \
	"its views take more work than those of a recording of its size; it was not made by " \
	"carrierscope, or is damaged"

enum guard_use {
	/* Nothing is written, made or removed; queries are ended after a bound. */
	GUARD_READ,

	/* A file that is there is written to. */
	GUARD_WRITE,

	/* The same, to finish or undo what a program that broke off left beside it. */
	GUARD_RECOVER,
};

/*
 * Opens a database.  Errors: there is none; what lies beside it is a link, no plain file, another
 * user's, or has a second name; a load broke off, and what it left must be undone or finished first
 * (GUARD_RECOVER does so).  Whether it is one of ours the caller finds out.
 */
enum csc_status guard_open(
		const char *path, enum guard_use use, sqlite3 **ret_db, struct diag *diag);

/*
 * Gives the queries of a connection their whole bound again: the processor time that they may
 * take in all, of the thread that calls this.  A long-lived reader calls it before each answer.
 */
void guard_restart(sqlite3 *db);

/*
 * For what SQLite does not let be ended, a plan or one function that takes all the time: from now
 * on `end` is called, as for a signal (SIGXCPU), when the process has taken twice the bound of the
 * largest database that it has opened, between guard_watch() and guard_rest() and anew from each
 * guard_restart() on.  Both may be within each other.
 */
void guard_end_by(void (*end)(int signal));
void guard_watch(void);
void guard_rest(void);

/* sqlite3_errmsg(), but for a query that was ended. */
const char *guard_why(sqlite3 *db);

/* Whether a query was ended, of any connection: what was read since is not whole. */
bool guard_has_ended(void);

/* Processor time in seconds that the queries of a file of so many bytes may take. */
double guard_allowed_s(sqlite3_int64 file_bytes);

/* Name of an SQLite VFS that writes but follows no names out of journals. */
const char *guard_vfs_for_writing(void);

#endif
