/*
 * SPDX-License-Identifier: MIT
 *
 * Identity first, questions later.
 */
#include "database.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "store.h"

enum { BUSY_WAIT_MS = 2000 };

static bool read_pragma(sqlite3 *db, const char *sql, int *ret_value)
{
	sqlite3_stmt *statement = NULL;
	bool is_read = sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
			sqlite3_step(statement) == SQLITE_ROW;

	if (is_read) {
		*ret_value = sqlite3_column_int(statement, 0);
	}

	(void)sqlite3_finalize(statement);
	return is_read;
}

static enum csc_status check_identity(sqlite3 *db, const char *path, struct diag *diag)
{
	int application_id = 0;
	int version = 0;

	if (!read_pragma(db, "PRAGMA application_id", &application_id)) {
		if (sqlite3_errcode(db) == SQLITE_NOTADB) {
			return DIAG_FAIL(diag, "'%s' is not a carrierscope database", path);
		}

		return DIAG_FAIL(diag, "cannot read '%s': %s", path, sqlite3_errmsg(db));
	}

	if (application_id != STORE_APPLICATION_ID) {
		return DIAG_FAIL(diag, "'%s' is not a carrierscope database", path);
	}

	if (!read_pragma(db, "PRAGMA user_version", &version)) {
		return DIAG_FAIL(diag, "cannot read '%s': %s", path, sqlite3_errmsg(db));
	}

	if (version > STORE_SCHEMA_VERSION) {
		return DIAG_FAIL(diag,
				"'%s' was made by a newer carrierscope: its schema has version %d, this program knows %d",
				path, version, STORE_SCHEMA_VERSION);
	}

	return CSC_OK;
}

enum csc_status database_open(const char *path, sqlite3 **ret_db, struct diag *diag)
{
	sqlite3 *db = NULL;
	struct stat file;
	enum csc_status status;

	if (stat(path, &file) != 0) {
		return DIAG_FAIL(diag, "cannot open '%s': %s", path, strerror(errno));
	}

	if (!S_ISREG(file.st_mode)) {
		return DIAG_FAIL(diag, "'%s' is not a carrierscope database", path);
	}

	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) {
		status = DIAG_FAIL(diag, "cannot open '%s': %s", path,
				db ? sqlite3_errmsg(db) : "out of memory");
	} else {
		(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
		(void)sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
		(void)sqlite3_exec(db, "PRAGMA cell_size_check = 1", NULL, NULL, NULL);
		(void)sqlite3_busy_timeout(db, BUSY_WAIT_MS);
		status = check_identity(db, path, diag);
	}

	if (status != CSC_OK) {
		(void)sqlite3_close(db);
		return status;
	}

	*ret_db = db;
	return CSC_OK;
}

enum csc_status database_prepare(
		sqlite3 *db, char *sql, sqlite3_stmt **ret_statement, struct diag *diag)
{
	enum csc_status status = CSC_OK;
	sqlite3_stmt *statement = NULL;

	if (!sql) {
		return DIAG_NO_MEMORY(diag);
	}

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
		status = DIAG_FAIL(diag, "cannot read '%s': %s", sqlite3_db_filename(db, NULL),
				sqlite3_errmsg(db));
	} else {
		*ret_statement = statement;
	}

	sqlite3_free(sql);
	return status;
}

enum csc_status database_check(sqlite3 *db, int step_result, struct diag *diag)
{
	if (step_result == SQLITE_DONE) {
		return CSC_OK;
	}

	return DIAG_FAIL(diag, "cannot read '%s': %s", sqlite3_db_filename(db, NULL),
			sqlite3_errmsg(db));
}

void database_warn(sqlite3 *db, const char *path)
{
	int incomplete = 0;

	if (read_pragma(db, "SELECT count(*) FROM source WHERE complete = 0", &incomplete) &&
			incomplete > 0) {
		command_say("warning: '%s' is incomplete: its loading broke off or still goes on",
				path);
	}
}
