/*
 * SPDX-License-Identifier: MIT
 *
 * Identity first, questions later.
 */
#include "database.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "guard.h"
#include "store.h"

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

		return DIAG_FAIL(diag, "cannot read '%s': %s", path, guard_why(db));
	}

	if (application_id != STORE_APPLICATION_ID) {
		return DIAG_FAIL(diag, "'%s' is not a carrierscope database", path);
	}

	if (!read_pragma(db, "PRAGMA user_version", &version)) {
		return DIAG_FAIL(diag, "cannot read '%s': %s", path, guard_why(db));
	}

	if (version > STORE_SCHEMA_VERSION) {
		return DIAG_FAIL(diag, SCHEMA_NEWER, path, version, STORE_SCHEMA_VERSION);
	}
	if (version < STORE_SCHEMA_VERSION) {
		return DIAG_FAIL(diag, SCHEMA_OLDER, path, version, STORE_SCHEMA_VERSION);
	}

	return CSC_OK;
}

static volatile sig_atomic_t status_at_end;
static void (*volatile last_act)(void);

static void end_program(int number)
{
	static const char text[] = "carrierscope: cannot read the database: " GUARD_ENDED "\n";

	(void)number;
	if (last_act) {
		last_act();
	}
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(status_at_end);
}

void database_end_program(int exit_status)
{
	status_at_end = exit_status;
	guard_end_by(end_program);
}

void database_before_end(void (*act)(void))
{
	last_act = act;
}

int database_judge_status(int exit_status)
{
	if (exit_status != EXIT_DONE || !guard_has_ended()) {
		return exit_status;
	}

	command_print("cannot read the database: " GUARD_ENDED);
	return status_at_end;
}

enum csc_status database_open(const char *path, sqlite3 **ret_db, struct diag *diag)
{
	sqlite3 *db = NULL;
	enum csc_status status = guard_open(path, GUARD_READ, &db, diag);

	if (status != CSC_OK) {
		return status;
	}

	guard_watch();
	status = check_identity(db, path, diag);
	if (status != CSC_OK) {
		database_close(db);
		return status;
	}

	*ret_db = db;
	return CSC_OK;
}

void database_close(sqlite3 *db)
{
	guard_rest();
	(void)sqlite3_close(db);
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
				guard_why(db));
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

	return DIAG_FAIL(
			diag, "cannot read '%s': %s", sqlite3_db_filename(db, NULL), guard_why(db));
}

/* A log lies beside it: of a load that goes on, or of one that broke off. */
static bool has_log(sqlite3 *db)
{
	char *log = sqlite3_mprintf("%s-wal", sqlite3_db_filename(db, NULL));
	struct stat file;
	bool is_there = log && lstat(log, &file) == 0;

	sqlite3_free(log);
	return is_there;
}

void database_warn(sqlite3 *db, const char *path)
{
	int incomplete = 0;

	if (!read_pragma(db, "SELECT count(*) FROM source WHERE complete = 0", &incomplete) ||
			incomplete == 0) {
		return;
	}

	if (has_log(db)) {
		command_print("warning: '%s' is incomplete: its loading still goes on, or broke off ('carrierscope load --recover %s' cleans up then)",
				path, path);
	} else {
		command_print("warning: '%s' is incomplete: its loading broke off", path);
	}
}

const char *database_text(sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	return text ? text : "";
}

enum csc_status database_print_rows(FILE *stream, sqlite3 *db, char *sql,
		void (*print_row)(FILE *stream, sqlite3_stmt *row), struct diag *diag)
{
	sqlite3_stmt *rows = NULL;
	int result = SQLITE_DONE;
	enum csc_status status = database_prepare(db, sql, &rows, diag);

	while (status == CSC_OK && !ferror(stream) && (result = sqlite3_step(rows)) == SQLITE_ROW) {
		print_row(stream, rows);
	}

	if (status == CSC_OK && !ferror(stream)) {
		status = database_check(db, result, diag);
	}

	(void)sqlite3_finalize(rows);
	return status;
}

enum csc_status database_run(sqlite3 *db, char *sql, struct diag *diag)
{
	sqlite3_stmt *statement = NULL;
	enum csc_status status = database_prepare(db, sql, &statement, diag);

	if (status == CSC_OK) {
		status = database_check(db, sqlite3_step(statement), diag);
	}

	(void)sqlite3_finalize(statement);
	return status;
}

char *database_why_empty(sqlite3 *db, const char *view)
{
	sqlite3_stmt *row = NULL;
	char *reason = NULL;

	/* A file of an older program does not have it. */
	if (view &&
			sqlite3_prepare_v2(db, "SELECT reason FROM empty_report WHERE view = ?", -1,
					&row, NULL) == SQLITE_OK) {
		(void)sqlite3_bind_text(row, 1, view, -1, SQLITE_STATIC);
		if (sqlite3_step(row) == SQLITE_ROW) {
			reason = strdup(database_text(row, 0));
		}
	}

	(void)sqlite3_finalize(row);
	return reason;
}
