/*
 * SPDX-License-Identifier: MIT
 *
 * One prepared statement with positional values.
 */
#include "insert.h"

#include <stdbool.h>

#include "rows.h"

void insert_open(struct insert *insert, sqlite3 *db, const char *verb, const char *table,
		int columns)
{
	sqlite3_str *sql = sqlite3_str_new(db);
	char *text;

	*insert = (struct insert){ .db = db, .table = table, .next = 1 };
	sqlite3_str_appendf(sql, "%s INTO %s VALUES (?", verb, table);
	for (int i = 1; i < columns; i++) {
		sqlite3_str_appendall(sql, ", ?");
	}

	sqlite3_str_appendall(sql, ")");
	text = sqlite3_str_finish(sql);
	insert->result = text ? sqlite3_prepare_v2(db, text, -1, &insert->statement, NULL)
			      : SQLITE_NOMEM;
	sqlite3_free(text);
}

/* Keeps the first failure. */
static void note(struct insert *insert, int result)
{
	if (insert->result == SQLITE_OK && result != SQLITE_OK) {
		insert->result = result;
	}
}

void insert_integer(struct insert *insert, int64_t value)
{
	if (insert->result == SQLITE_OK) {
		note(insert,
				value == ROW_NULL
						? sqlite3_bind_null(insert->statement, insert->next)
						: sqlite3_bind_int64(insert->statement,
								  insert->next, value));
		insert->next++;
	}
}

void insert_sum(struct insert *insert, int64_t value)
{
	if (insert->result == SQLITE_OK) {
		note(insert, sqlite3_bind_int64(insert->statement, insert->next++, value));
	}
}

void insert_real(struct insert *insert, double value)
{
	if (insert->result == SQLITE_OK) {
		note(insert, sqlite3_bind_double(insert->statement, insert->next++, value));
	}
}

void insert_text(struct insert *insert, const char *value)
{
	if (insert->result == SQLITE_OK) {
		note(insert,
				sqlite3_bind_text(insert->statement, insert->next++, value, -1,
						SQLITE_TRANSIENT));
	}
}

void insert_text_of(struct insert *insert, const char *value, size_t length)
{
	if (insert->result == SQLITE_OK) {
		note(insert,
				sqlite3_bind_text64(insert->statement, insert->next++, value,
						length, SQLITE_TRANSIENT, SQLITE_UTF8));
	}
}

void insert_row(struct insert *insert)
{
	if (insert->result == SQLITE_OK) {
		(void)sqlite3_step(insert->statement);
		note(insert, sqlite3_reset(insert->statement));
		insert->next = 1;
	}
}

int64_t insert_last_id(const struct insert *insert)
{
	return sqlite3_last_insert_rowid(insert->db);
}

enum csc_status insert_close(struct insert *insert, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	if (insert->result != SQLITE_OK) {
		/* The connection may have come through what failed here, such as a copy. */
		bool is_its = sqlite3_errcode(insert->db) != SQLITE_OK;

		status = DIAG_FAIL(diag, "cannot write table '%s': %s", insert->table,
				is_its ? sqlite3_errmsg(insert->db)
				       : sqlite3_errstr(insert->result));
	}

	(void)sqlite3_finalize(insert->statement);
	return status;
}
