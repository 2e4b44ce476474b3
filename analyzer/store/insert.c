/*
 * SPDX-License-Identifier: MIT
 *
 * One prepared statement, or many rows gathered for one.
 */
#include "insert.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "growing.h"
#include "rows.h"

struct insert_value {
	enum insert_kind {
		VALUE_NULL,
		VALUE_INTEGER,
		VALUE_REAL,
		VALUE_TEXT,
	} kind;
	union {
		int64_t integer;
		double real;
		struct {
			size_t offset;
			size_t length;
		} text;
	} as;
};

/* A statement for so many rows; NULL: it cannot be made, and insert->result has the reason. */
static sqlite3_stmt *prepare(struct insert *insert, const char *verb, int rows)
{
	sqlite3_str *sql = sqlite3_str_new(insert->db);
	sqlite3_stmt *statement = NULL;
	char *text;

	sqlite3_str_appendf(sql, "%s INTO %s (%s) VALUES ", verb, insert->table, insert->names);
	for (int row = 0; row < rows; row++) {
		for (int i = 0; i < insert->columns; i++) {
			sqlite3_str_appendall(sql, i > 0 ? ", ?" : row > 0 ? ", (?" : "(?");
		}
		sqlite3_str_appendall(sql, ")");
	}

	text = sqlite3_str_finish(sql);
	insert->result = text ? sqlite3_prepare_v2(insert->db, text, -1, &statement, NULL)
			      : SQLITE_NOMEM;
	sqlite3_free(text);
	return statement;
}

/* How many names are in a list with commas. */
static int name_count(const char *names)
{
	int count = 1;

	for (const char *at = names; *at; at++) {
		count += *at == ',';
	}

	return count;
}

void insert_open(struct insert *insert, sqlite3 *db, const char *verb, const char *table,
		const char *columns)
{
	*insert = (struct insert){
		.db = db,
		.table = table,
		.names = columns,
		.columns = name_count(columns),
		.next = 1,
	};
	insert->statement = prepare(insert, verb, 1);
}

void insert_open_many(struct insert *insert, sqlite3 *db, const char *table, const char *columns)
{
	insert_open(insert, db, "INSERT", table, columns);
	if (insert->result == SQLITE_OK) {
		insert->values = calloc(
				(size_t)insert->columns * INSERT_ROWS, sizeof(*insert->values));
		insert->result = insert->values ? SQLITE_OK : SQLITE_NOMEM;
	}
}

/* Keeps the first failure. */
static void note(struct insert *insert, int result)
{
	if (insert->result == SQLITE_OK && result != SQLITE_OK) {
		insert->result = result;
	}
}

/* The place of the next value that is gathered; NULL: they are not, or there is none. */
static struct insert_value *next_value(struct insert *insert)
{
	if (!insert->values || insert->result != SQLITE_OK) {
		return NULL;
	}

	if (insert->next++ > insert->columns) {
		insert->result = SQLITE_RANGE;
		return NULL;
	}

	return &insert->values[insert->value_count++];
}

static void put_integer(struct insert *insert, enum insert_kind kind, int64_t value)
{
	struct insert_value *gathered = next_value(insert);

	if (gathered) {
		gathered->kind = kind;
		gathered->as.integer = value;
	} else if (insert->result == SQLITE_OK) {
		note(insert,
				kind == VALUE_NULL
						? sqlite3_bind_null(insert->statement, insert->next)
						: sqlite3_bind_int64(insert->statement,
								  insert->next, value));
		insert->next++;
	}
}

void insert_integer(struct insert *insert, int64_t value)
{
	put_integer(insert, value == ROW_NULL ? VALUE_NULL : VALUE_INTEGER, value);
}

void insert_sum(struct insert *insert, int64_t value)
{
	put_integer(insert, VALUE_INTEGER, value);
}

void insert_real(struct insert *insert, double value)
{
	struct insert_value *gathered = next_value(insert);

	if (gathered) {
		gathered->kind = VALUE_REAL;
		gathered->as.real = value;
	} else if (insert->result == SQLITE_OK) {
		note(insert, sqlite3_bind_double(insert->statement, insert->next++, value));
	}
}

/* Keeps a copy of a text until it is written. */
static void gather_text(struct insert *insert, struct insert_value *gathered, const char *value,
		size_t length)
{
	if (!csc_grow(&insert->texts, &insert->text_room, insert->text_bytes + length, 1)) {
		insert->result = SQLITE_NOMEM;
		return;
	}

	if (length > 0) {
		memcpy(insert->texts + insert->text_bytes, value, length);
	}

	gathered->kind = VALUE_TEXT;
	gathered->as.text.offset = insert->text_bytes;
	gathered->as.text.length = length;
	insert->text_bytes += length;
}

void insert_text(struct insert *insert, const char *value)
{
	struct insert_value *gathered;

	if (!value) {
		insert_integer(insert, ROW_NULL);
		return;
	}

	gathered = next_value(insert);
	if (gathered) {
		gather_text(insert, gathered, value, strlen(value));
	} else if (insert->result == SQLITE_OK) {
		note(insert,
				sqlite3_bind_text(insert->statement, insert->next++, value, -1,
						SQLITE_TRANSIENT));
	}
}

void insert_text_of(struct insert *insert, const char *value, size_t length)
{
	struct insert_value *gathered = next_value(insert);

	if (gathered) {
		gather_text(insert, gathered, value, length);
	} else if (insert->result == SQLITE_OK) {
		note(insert,
				sqlite3_bind_text64(insert->statement, insert->next++, value,
						length, SQLITE_TRANSIENT, SQLITE_UTF8));
	}
}

static int bind(const struct insert *insert, sqlite3_stmt *statement, int at,
		const struct insert_value *value)
{
	switch (value->kind) {
	case VALUE_INTEGER:
		return sqlite3_bind_int64(statement, at, value->as.integer);
	case VALUE_REAL:
		return sqlite3_bind_double(statement, at, value->as.real);
	case VALUE_TEXT:
		/* An empty text needs a place as well, or it would be NULL. */
		return sqlite3_bind_text64(statement, at,
				value->as.text.length > 0 ? insert->texts + value->as.text.offset
							  : "",
				value->as.text.length, SQLITE_STATIC, SQLITE_UTF8);
	case VALUE_NULL:
		break;
	}

	return sqlite3_bind_null(statement, at);
}

/* Writes so many rows from a value on, by the statement for that number. */
static void write_rows(struct insert *insert, sqlite3_stmt *statement, size_t first, size_t rows)
{
	size_t count = rows * (size_t)insert->columns;

	for (size_t i = 0; i < count && insert->result == SQLITE_OK; i++) {
		note(insert, bind(insert, statement, (int)i + 1, &insert->values[first + i]));
	}

	if (insert->result == SQLITE_OK) {
		(void)sqlite3_step(statement);
		note(insert, sqlite3_reset(statement));
	}
}

/* Writes what was gathered. */
static void flush(struct insert *insert)
{
	size_t columns = (size_t)insert->columns;

	if (insert->value_count == columns * INSERT_ROWS) {
		if (!insert->many && insert->result == SQLITE_OK) {
			insert->many = prepare(insert, "INSERT", INSERT_ROWS);
		}
		write_rows(insert, insert->many, 0, INSERT_ROWS);
	} else {
		for (size_t i = 0; i < insert->value_count; i += columns) {
			write_rows(insert, insert->statement, i, 1);
		}
	}

	insert->value_count = 0;
	insert->text_bytes = 0;
}

void insert_row(struct insert *insert)
{
	if (insert->result != SQLITE_OK) {
		return;
	}

	/* A value was left out, or given twice: a mistake of ours. */
	assert(insert->next == insert->columns + 1);
	if (insert->next != insert->columns + 1) {
		insert->result = SQLITE_RANGE;
	} else if (insert->values) {
		if (insert->value_count == (size_t)insert->columns * INSERT_ROWS) {
			flush(insert);
		}
	} else {
		(void)sqlite3_step(insert->statement);
		note(insert, sqlite3_reset(insert->statement));
	}

	insert->next = 1;
}

int64_t insert_new_id(struct insert *insert)
{
	sqlite3_stmt *statement = NULL;
	char *sql;

	if (insert->greatest_id > 0) {
		return ++insert->greatest_id;
	}

	sql = sqlite3_mprintf("SELECT coalesce(max(rowid), 0) + 1 FROM %s", insert->table);
	note(insert,
			sql ? sqlite3_prepare_v2(insert->db, sql, -1, &statement, NULL)
			    : SQLITE_NOMEM);
	if (statement && sqlite3_step(statement) == SQLITE_ROW) {
		insert->greatest_id = sqlite3_column_int64(statement, 0);
	}

	note(insert, sqlite3_finalize(statement));
	sqlite3_free(sql);
	return insert->greatest_id;
}

int64_t insert_last_id(struct insert *insert)
{
	if (insert->values) {
		flush(insert);
	}

	return sqlite3_last_insert_rowid(insert->db);
}

enum csc_status insert_close(struct insert *insert, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	if (insert->values && insert->result == SQLITE_OK) {
		flush(insert);
	}

	if (insert->result != SQLITE_OK) {
		/* The connection may have come through what failed here, such as a copy. */
		bool is_its = sqlite3_errcode(insert->db) != SQLITE_OK;

		status = DIAG_FAIL(diag, "cannot write table '%s': %s", insert->table,
				is_its ? sqlite3_errmsg(insert->db)
				       : sqlite3_errstr(insert->result));
	}

	(void)sqlite3_finalize(insert->statement);
	(void)sqlite3_finalize(insert->many);
	free(insert->values);
	free(insert->texts);
	return status;
}
