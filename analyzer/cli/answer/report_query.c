/*
 * SPDX-License-Identifier: MIT
 */
#include "report_query.h"

#include <string.h>

#include "database.h"

static const char *const figures[] = {
	[CODE_LIVE] = "live",
	[CODE_MADE] = "made",
	[CODE_GROWN] = "grown",
};

bool report_query_is_code(const char *view)
{
	return strcmp(view, "report_code") == 0;
}

/* SELECT json_object(...) of all columns of a view. */
static void add_objects(sqlite3 *db, sqlite3_str *sql, const char *view)
{
	sqlite3_stmt *columns = NULL;
	const char *comma = "";
	struct diag ignored = { 0 };

	sqlite3_str_appendall(sql, "SELECT json_object(");
	if (database_prepare(db, sqlite3_mprintf("SELECT name FROM pragma_table_info(%Q)", view),
			    &columns, &ignored) == CSC_OK) {
		while (sqlite3_step(columns) == SQLITE_ROW) {
			const char *name = (const char *)sqlite3_column_text(columns, 0);

			sqlite3_str_appendf(sql, "%s%Q, \"%w\"", comma, name, name);
			comma = ", ";
		}
	}
	(void)sqlite3_finalize(columns);
	sqlite3_str_appendf(sql, ") FROM \"%w\"", view);
}

/* An object for each stack: its functions from the innermost on, bytes with their bounds, who. */
static void add_stacks(sqlite3_str *sql, enum code_figure figure)
{
	sqlite3_str_appendf(sql,
			"WITH site AS (SELECT runtime_id, stack, pid, own, source_line, sum(samples) AS samples, "
			"sum(%s_bytes) AS bytes, sum(%s_variance) AS variance FROM code_memory "
			"GROUP BY runtime_id, stack, pid HAVING sum(%s_bytes) > 0), "
			"bounds AS (SELECT *, variance / bytes AS mean, bytes * bytes / nullif(variance, 0) AS n FROM site), "
			"frames AS MATERIALIZED (SELECT runtime_id, stack, json_group_array(function) AS list FROM "
			"(SELECT * FROM stack_function ORDER BY runtime_id, stack, place) GROUP BY runtime_id, stack) "
			"SELECT json_object('stack', json(ifnull(f.list, '[]')), 'function', b.own, 'source_line', b.source_line, 'bytes', json_object("
			"'low', CAST(round(iif(n IS NULL, bytes, max(0, mean * (n + 1.92 - 1.96 * sqrt(n + 0.96))))) AS INTEGER), "
			"'likely', CAST(round(bytes) AS INTEGER), "
			"'high', CAST(round(iif(n IS NULL, bytes, mean * (n + 1.92 + 1.96 * sqrt(n + 0.96)))) AS INTEGER)), "
			"'samples', samples, 'who', coalesce((SELECT p.text FROM process_label AS p "
			"WHERE p.pid = b.pid AND p.runtime_id = b.runtime_id), b.pid)) "
			"FROM bounds AS b LEFT JOIN frames AS f ON f.runtime_id = b.runtime_id AND f.stack = b.stack "
			"ORDER BY bytes DESC",
			figures[figure], figures[figure], figures[figure]);
}

char *report_query_make(sqlite3 *db, const struct report_query *query)
{
	sqlite3_str *sql = sqlite3_str_new(db);

	if (query->is_json && report_query_is_code(query->view)) {
		add_stacks(sql, query->figure);
	} else if (query->is_json) {
		add_objects(db, sql, query->view);
	} else {
		sqlite3_str_appendf(sql, "SELECT * FROM \"%w\"", query->view);
		if (report_query_is_code(query->view)) {
			sqlite3_str_appendf(sql, " WHERE %s_mib > 0 ORDER BY %s_mib DESC",
					figures[query->figure], figures[query->figure]);
		}
	}

	if (query->limit >= 0) {
		sqlite3_str_appendf(sql, " LIMIT %lld", query->limit);
	}
	return sqlite3_str_finish(sql);
}
