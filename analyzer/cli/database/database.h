/*
 * SPDX-License-Identifier: MIT
 *
 * A finished database, opened to be read and not to be trusted.
 */
#ifndef CSC_DATABASE_H
#define CSC_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>

#include "diag.h"

/*
 * Opens for reading, until database_close(), or sqlite3_close() where the program ends then.
 * Errors: no file, not one of ours, of a newer schema.
 */
enum csc_status database_open(const char *path, sqlite3 **ret_db, struct diag *diag);
void database_close(sqlite3 *db);

/*
 * From now on a database whose queries cannot be ended (a plan or one function that takes all the
 * time) ends the program with this status, after twice its bound: see guard_end_by().
 */
void database_end_program(int exit_status);

/* What is done before that, as a signal's handler; NULL: nothing. */
void database_before_end(void (*act)(void));

/* What a command yields: `exit_status`, or a failure if a query was ended and it went on. */
int database_judge_status(int exit_status);

/* Prepares the one statement of a text made by sqlite3_mprintf(), which is freed. */
enum csc_status database_prepare(
		sqlite3 *db, char *sql, sqlite3_stmt **ret_statement, struct diag *diag);

/* After the last sqlite3_step(): CSC_OK if that was the end of the rows. */
enum csc_status database_check(sqlite3 *db, int step_result, struct diag *diag);

/* Warns on stderr when a source broke off or is still growing. */
void database_warn(sqlite3 *db, const char *path);

/* The text of a column of the current row; "" for NULL.  Valid as sqlite3_column_text()'s. */
const char *database_text(sqlite3_stmt *row, int column);

/* Runs a query and prints each row by a function; `sql` is freed, as by database_prepare(). */
enum csc_status database_print_rows(FILE *stream, sqlite3 *db, char *sql,
		void (*print_row)(FILE *stream, sqlite3_stmt *row), struct diag *diag);

/* Runs a statement without rows; `sql` is freed, as by database_prepare(). */
enum csc_status database_run(sqlite3 *db, char *sql, struct diag *diag);

/* Why a report may have no rows, and what to record; the caller frees it.  NULL: not known. */
char *database_why_empty(sqlite3 *db, const char *view);

#endif
