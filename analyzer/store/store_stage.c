/*
 * SPDX-License-Identifier: MIT
 *
 * The text of a view, as a table of what it yields.
 */
#include "store_stage.h"

#include <string.h>

static enum csc_status run(sqlite3 *db, char *sql, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	if (!sql) {
		return DIAG_NO_MEMORY(diag);
	}

	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
		status = DIAG_FAIL(diag, "cannot compute the figures: %s", sqlite3_errmsg(db));
	}

	sqlite3_free(sql);
	return status;
}

static enum csc_status prepare(
		sqlite3 *db, char *sql, sqlite3_stmt **ret_statement, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	if (!sql) {
		return DIAG_NO_MEMORY(diag);
	}

	if (sqlite3_prepare_v2(db, sql, -1, ret_statement, NULL) != SQLITE_OK) {
		status = DIAG_FAIL(diag, "cannot compute the figures: %s", sqlite3_errmsg(db));
	}

	sqlite3_free(sql);
	return status;
}

/* What stands behind "CREATE VIEW name AS"; NULL: it is written in another way. */
static const char *view_query(const char *sql, const char *view)
{
	static const char create[] = "CREATE VIEW ";
	size_t length = strlen(view);

	if (!sql || strncmp(sql, create, sizeof(create) - 1) != 0) {
		return NULL;
	}

	sql += sizeof(create) - 1;
	return strncmp(sql, view, length) == 0 && strncmp(sql + length, " AS", 3) == 0
			? sql + length + 3
			: NULL;
}

static enum csc_status stage_one(sqlite3 *db, const char *view, const char *sql, struct diag *diag)
{
	const char *query = view_query(sql, view);
	sqlite3_stmt *table = NULL;
	enum csc_status status;

	if (!query) {
		return DIAG_FAIL(diag, "cannot compute the figures: '%s' is not one of our views",
				view);
	}

	/* One statement and no more, whatever the file has. */
	status = prepare(db, sqlite3_mprintf("CREATE TEMP TABLE \"%w\" AS%s", view, query), &table,
			diag);
	if (status == CSC_OK && sqlite3_step(table) != SQLITE_DONE) {
		status = DIAG_FAIL(diag, "cannot compute the figures: %s", sqlite3_errmsg(db));
	}

	(void)sqlite3_finalize(table);
	return status;
}

/*
 * Does something for each row of a query, which has two columns.  The rows are read before, since
 * what is done changes what the query reads.
 */
static enum csc_status do_each(sqlite3 *db, char *sql,
		enum csc_status (*act)(
				sqlite3 *db, const char *view, const char *text, struct diag *diag),
		struct diag *diag)
{
	char **cells = NULL;
	int rows = 0;
	enum csc_status status = CSC_OK;

	if (!sql) {
		return DIAG_NO_MEMORY(diag);
	}

	if (sqlite3_get_table(db, sql, &cells, &rows, NULL, NULL) != SQLITE_OK) {
		status = DIAG_FAIL(diag, "cannot compute the figures: %s", sqlite3_errmsg(db));
	}

	sqlite3_free(sql);
	for (size_t i = 1; status == CSC_OK && i <= (size_t)rows; i++) {
		status = act(db, cells[2 * i], cells[2 * i + 1], diag);
	}

	sqlite3_free_table(cells);
	return status;
}

enum csc_status stage_views(sqlite3 *db, const char *set, struct diag *diag)
{
	return do_each(db,
			sqlite3_mprintf("SELECT s.view, m.sql FROM main.stage AS s "
					"JOIN main.sqlite_schema AS m ON m.name = s.view AND m.type = 'view' "
					"WHERE s.\"set\" = %Q AND NOT EXISTS (SELECT 1 FROM sqlite_temp_schema "
					"AS t WHERE t.name = s.view AND t.type = 'table') ORDER BY s.number",
					set),
			stage_one, diag);
}

static enum csc_status drop_one(sqlite3 *db, const char *view, const char *text, struct diag *diag)
{
	(void)text;
	return run(db, sqlite3_mprintf("DROP TABLE IF EXISTS temp.\"%w\"", view), diag);
}

enum csc_status stage_drop(sqlite3 *db, const char *set, struct diag *diag)
{
	return do_each(db,
			sqlite3_mprintf("SELECT view, NULL FROM main.stage WHERE \"set\" = %Q",
					set),
			drop_one, diag);
}
