/*
 * SPDX-License-Identifier: MIT
 *
 * TabSeparatedWithNamesAndTypes, row by row into a table.
 */
#include "fleet_answer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"

enum { COLUMNS_MAX = 64 };

struct columns {
	const char *names[COLUMNS_MAX];
	/* What is bound as a number: integers and others. */
	bool is_number[COLUMNS_MAX];
	bool is_integer[COLUMNS_MAX];
	int count;
};

enum csc_status fleet_answer_open(sqlite3 **ret_db, struct diag *diag)
{
	sqlite3 *db = NULL;

	if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
			sqlite3_exec(db,
					"CREATE TABLE view_doc (view TEXT, column TEXT, unit TEXT, quality TEXT, meaning TEXT)",
					NULL, NULL, NULL) != SQLITE_OK) {
		(void)sqlite3_close(db);
		return DIAG_NO_MEMORY(diag);
	}

	*ret_db = db;
	return CSC_OK;
}

/* What a backslash and `letter` stand for. */
static char unescape_letter(char letter)
{
	static const char letters[] = "bfrnt0";
	static const char bytes[] = "\b\f\r\n\t";
	const char *at = strchr(letters, letter);

	if (letter && at) {
		return bytes[at - letters];
	}
	return letter;
}

/* Ends the field at *at and moves *at behind it; NULL: the field is \N. */
static char *take_field(char **at, bool *ret_is_last)
{
	char *begin = *at;
	char *end = begin + strcspn(begin, "\t\n");
	bool is_null = end - begin == 2 && strncmp(begin, "\\N", 2) == 0;
	char *to = begin;

	*ret_is_last = *end != '\t';
	*at = *end ? end + 1 : end;
	for (const char *from = begin; from < end; from++) {
		if (*from == '\\' && from + 1 < end) {
			from++;
			*to++ = unescape_letter(*from);
		} else {
			*to++ = *from;
		}
	}

	*to = '\0';
	return is_null ? NULL : begin;
}

/* The two first lines. */
static bool read_head(char **at, struct columns *columns)
{
	bool is_last = false;
	int types = 0;

	while (!is_last && columns->count < COLUMNS_MAX && **at) {
		columns->names[columns->count++] = take_field(at, &is_last);
	}

	for (is_last = false; !is_last && types < columns->count && **at; types++) {
		const char *type = take_field(at, &is_last);
		const char *inner = type && strncmp(type, "Nullable(", 9) == 0 ? type + 9 : type;

		columns->is_integer[types] = inner &&
				(strncmp(inner, "UInt", 4) == 0 || strncmp(inner, "Int", 3) == 0);
		columns->is_number[types] = columns->is_integer[types] ||
				(inner && strncmp(inner, "Float", 5) == 0);
	}

	return is_last && types == columns->count && types > 0;
}

static enum csc_status make_table(
		sqlite3 *db, const char *name, const struct columns *columns, struct diag *diag)
{
	sqlite3_str *sql = sqlite3_str_new(db);

	sqlite3_str_appendf(sql, "CREATE TABLE \"%w\" (", name);
	for (int i = 0; i < columns->count; i++) {
		sqlite3_str_appendf(sql, "%s\"%w\"", i > 0 ? ", " : "",
				columns->names[i] ? columns->names[i] : "");
	}
	sqlite3_str_appendall(sql, ")");
	return database_run(db, sqlite3_str_finish(sql), diag);
}

static void bind_field(
		sqlite3_stmt *insert, const struct columns *columns, int column, const char *field)
{
	if (!field || (columns->is_number[column] && strcmp(field, "nan") == 0)) {
		(void)sqlite3_bind_null(insert, column + 1);
	} else if (columns->is_integer[column]) {
		(void)sqlite3_bind_int64(insert, column + 1, strtoll(field, NULL, 10));
	} else if (columns->is_number[column]) {
		(void)sqlite3_bind_double(insert, column + 1, strtod(field, NULL));
	} else {
		(void)sqlite3_bind_text(insert, column + 1, field, -1, SQLITE_STATIC);
	}
}

static bool insert_row(sqlite3_stmt *insert, const struct columns *columns, char **at)
{
	bool is_last = false;
	int column = 0;

	while (!is_last && column < columns->count) {
		bind_field(insert, columns, column++, take_field(at, &is_last));
	}

	return is_last && column == columns->count && sqlite3_step(insert) == SQLITE_DONE &&
			sqlite3_reset(insert) == SQLITE_OK;
}

static enum csc_status fill_table(sqlite3 *db, const char *name, const struct columns *columns,
		char *at, struct diag *diag)
{
	sqlite3_stmt *insert = NULL;
	sqlite3_str *sql = sqlite3_str_new(db);
	enum csc_status status;

	sqlite3_str_appendf(sql, "INSERT INTO \"%w\" VALUES (", name);
	for (int i = 0; i < columns->count; i++) {
		sqlite3_str_appendall(sql, i > 0 ? ", ?" : "?");
	}
	sqlite3_str_appendall(sql, ")");
	status = database_prepare(db, sqlite3_str_finish(sql), &insert, diag);
	while (status == CSC_OK && *at) {
		if (!insert_row(insert, columns, &at)) {
			status = DIAG_FAIL(diag, "the server's answer '%s' is not a table", name);
		}
	}

	(void)sqlite3_finalize(insert);
	return status;
}

enum csc_status fleet_answer_take(struct server *server, sqlite3 *db, const char *name,
		const char *query, struct diag *diag)
{
	struct columns columns = { 0 };
	char *whole = NULL;
	char *answer = NULL;
	char *at;
	enum csc_status status;

	if (asprintf(&whole, "%s FORMAT TabSeparatedWithNamesAndTypes", query) < 0) {
		return DIAG_NO_MEMORY(diag);
	}

	status = server_ask(server, whole, NULL, 0, &answer, diag);
	at = answer;
	if (status == CSC_OK && !read_head(&at, &columns)) {
		status = DIAG_FAIL(diag, "the server's answer '%s' is not a table", name);
	}
	if (status == CSC_OK) {
		status = make_table(db, name, &columns, diag);
	}
	if (status == CSC_OK) {
		status = fill_table(db, name, &columns, at, diag);
	}

	free(answer);
	free(whole);
	return status;
}
