/*
 * SPDX-License-Identifier: MIT
 *
 * Statements of the judge, and what it says when one fails.
 */
#ifndef CSC_JUDGE_SQL_H
#define CSC_JUDGE_SQL_H

#include <sqlite3.h>

#include "diag.h"

/* Prepares the one statement of a text made by sqlite3_mprintf(), which is freed. */
enum csc_status judge_sql_prepare(
		sqlite3 *db, char *sql, sqlite3_stmt **ret_statement, struct diag *diag);

/* After the last sqlite3_step(): CSC_OK if that was the end of the rows. */
enum csc_status judge_sql_check(sqlite3 *db, int step_result, struct diag *diag);

/* Runs a statement without rows; `sql` is freed. */
enum csc_status judge_sql_run(sqlite3 *db, char *sql, struct diag *diag);

#endif
