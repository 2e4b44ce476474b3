/*
 * SPDX-License-Identifier: MIT
 *
 * One statement at a time.
 */
#include "judge_sql.h"

enum csc_status judge_sql_check(sqlite3 *db, int step_result, struct diag *diag)
{
	return step_result == SQLITE_DONE
			? CSC_OK
			: DIAG_FAIL(diag, "cannot judge '%s': %s", sqlite3_db_filename(db, "main"),
					  sqlite3_errmsg(db));
}

enum csc_status judge_sql_prepare(
		sqlite3 *db, char *sql, sqlite3_stmt **ret_statement, struct diag *diag)
{
	enum csc_status status = CSC_OK;
	sqlite3_stmt *statement = NULL;

	if (!sql) {
		return DIAG_NO_MEMORY(diag);
	}

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK) {
		*ret_statement = statement;
	} else {
		status = judge_sql_check(db, SQLITE_ERROR, diag);
	}

	sqlite3_free(sql);
	return status;
}

enum csc_status judge_sql_run(sqlite3 *db, char *sql, struct diag *diag)
{
	sqlite3_stmt *statement = NULL;
	enum csc_status status = judge_sql_prepare(db, sql, &statement, diag);

	if (status == CSC_OK) {
		status = judge_sql_check(db, sqlite3_step(statement), diag);
	}

	(void)sqlite3_finalize(statement);
	return status;
}
