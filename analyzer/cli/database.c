/*
 * SPDX-License-Identifier: MIT
 *
 * Identity first, questions later.
 */
#include "database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
		return DIAG_FAIL(diag, SCHEMA_NEWER, path, version, STORE_SCHEMA_VERSION);
	}
	if (version < STORE_SCHEMA_VERSION) {
		return DIAG_FAIL(diag, SCHEMA_OLDER, path, version, STORE_SCHEMA_VERSION);
	}

	return CSC_OK;
}

static sqlite3 *open_connection(const char *name, int flags, const char *path, struct diag *diag)
{
	sqlite3 *db = NULL;

	if (sqlite3_open_v2(name, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | flags, NULL) !=
			SQLITE_OK) {
		(void)DIAG_FAIL(diag, "cannot open '%s': %s", path,
				db ? sqlite3_errmsg(db) : "out of memory");
		(void)sqlite3_close(db);
		return NULL;
	}

	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	(void)sqlite3_exec(db, "PRAGMA cell_size_check = 1", NULL, NULL, NULL);
	/* At once: temporary tables that are there when it changes are gone. */
	(void)sqlite3_exec(db, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
	(void)sqlite3_busy_timeout(db, BUSY_WAIT_MS);
	return db;
}

/* In WAL mode, by its header: reading such a file wants to write beside it. */
static bool is_wal(const char *path)
{
	unsigned char header[20];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is_read;

	if (fd < 0) {
		return false;
	}

	is_read = pread(fd, header, sizeof(header), 0) == (ssize_t)sizeof(header);
	(void)close(fd);
	return is_read && header[18] == 2 && header[19] == 2;
}

/* Nothing waits in a log beside the file. */
static bool is_log_empty(const char *whole_path)
{
	char *log = NULL;
	struct stat file;
	bool is_empty = false;

	if (asprintf(&log, "%s-wal", whole_path) >= 0) {
		is_empty = stat(log, &file) == 0 ? file.st_size == 0 : errno == ENOENT;
		free(log);
	}

	return is_empty;
}

/* "file:/…?immutable=1" of an absolute path; sqlite3_free() frees it. */
static char *make_immutable_uri(const char *whole_path)
{
	sqlite3_str *uri = sqlite3_str_new(NULL);

	sqlite3_str_appendall(uri, "file:");
	for (const char *at = whole_path; *at; at++) {
		if (strchr("%?#", *at)) {
			sqlite3_str_appendf(uri, "%%%02X", (unsigned int)*at);
		} else {
			sqlite3_str_appendchar(uri, 1, *at);
		}
	}

	sqlite3_str_appendall(uri, "?immutable=1");
	return sqlite3_str_finish(uri);
}

/*
 * A database in WAL mode that lies where nothing can be written: nobody changes it
 * either.  NULL: it cannot be opened so.
 */
static sqlite3 *open_immutable(const char *path, struct diag *diag)
{
	char *whole_path = realpath(path, NULL);
	char *uri = NULL;
	sqlite3 *db = NULL;

	if (whole_path && !is_log_empty(whole_path)) {
		(void)DIAG_FAIL(diag,
				"cannot read '%s': part of it is in '%s-wal', and nothing can be written beside it; copy both to where you can write",
				path, path);
	} else if (!whole_path || !(uri = make_immutable_uri(whole_path))) {
		(void)DIAG_NO_MEMORY(diag);
	} else {
		db = open_connection(uri, SQLITE_OPEN_URI, path, diag);
	}

	sqlite3_free(uri);
	free(whole_path);
	return db;
}

/* Whether a failure is that of a place where nothing can be written. */
static bool is_write_missing(sqlite3 *db)
{
	int code = sqlite3_errcode(db) & 0xff;

	return code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
}

/* Ours by its header, which no load changes: nobody else's file is written to. */
static bool is_ours(const char *path)
{
	enum { ID_AT = 68 };
	unsigned char id[4];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is_read;

	if (fd < 0) {
		return false;
	}

	is_read = pread(fd, id, sizeof(id), ID_AT) == (ssize_t)sizeof(id);
	(void)close(fd);
	return is_read &&
			((uint32_t)id[0] << 24 | (uint32_t)id[1] << 16 | (uint32_t)id[2] << 8 |
					id[3]) == STORE_APPLICATION_ID;
}

/* Whether a load that was appending broke off: what it wrote must be undone first. */
static bool is_half_done(sqlite3 *db, const char *path)
{
	return sqlite3_extended_errcode(db) == SQLITE_READONLY_ROLLBACK && is_ours(path);
}

enum csc_status database_open(const char *path, sqlite3 **ret_db, struct diag *diag)
{
	sqlite3 *db;
	char *plain = NULL;
	struct diag refused = { 0 };
	struct stat file;
	enum csc_status status;

	if (stat(path, &file) != 0) {
		return DIAG_FAIL(diag, "cannot open '%s': %s", path, strerror(errno));
	}

	if (!S_ISREG(file.st_mode)) {
		return DIAG_FAIL(diag, "'%s' is not a carrierscope database", path);
	}

	/* SQLite would take "file:…" for a URI. */
	if (asprintf(&plain, "%s%s", strncmp(path, "file:", 5) == 0 ? "./" : "", path) < 0) {
		return DIAG_NO_MEMORY(diag);
	}

	db = open_connection(plain, 0, path, diag);
	free(plain);
	if (!db) {
		return CSC_ERROR;
	}

	status = check_identity(db, path, &refused);
	if (status != CSC_OK && is_half_done(db, path)) {
		refused = (struct diag){ 0 };
		status = store_recover(path, NULL, &refused);
		if (status == CSC_OK) {
			command_print("warning: '%s': a load that was appending to it broke off; what it had written is undone",
					path);
			status = check_identity(db, path, &refused);
		}
	} else if (status != CSC_OK && is_write_missing(db) && is_wal(path)) {
		(void)sqlite3_close(db);
		db = open_immutable(path, diag);
		if (!db) {
			return CSC_ERROR;
		}

		refused = (struct diag){ 0 };
		status = check_identity(db, path, &refused);
	}

	if (status != CSC_OK) {
		*diag = refused;
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
		command_print("warning: '%s' is incomplete: its loading broke off or still goes on",
				path);
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
