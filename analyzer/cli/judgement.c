/*
 * SPDX-License-Identifier: MIT
 *
 * Stages, then views that see them.
 */
#include "judgement.h"

#include <string.h>

#include "database.h"
#include "store_stage.h"

/* 1: the statement yields a row of a number that is not 0. */
static bool is_so(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	bool is = sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
			sqlite3_step(statement) == SQLITE_ROW &&
			sqlite3_column_int(statement, 0) != 0;

	(void)sqlite3_finalize(statement);
	return is;
}

/* Views of the file once more, but for those that are temporary tables by now. */
static enum csc_status copy_views(sqlite3 *db, struct diag *diag)
{
	static const char create[] = "CREATE VIEW ";
	char **cells = NULL;
	int rows = 0;
	enum csc_status status = CSC_OK;

	if (sqlite3_get_table(db,
			    "SELECT sql FROM main.sqlite_schema AS m WHERE type = 'view' AND NOT EXISTS ("
			    "SELECT 1 FROM sqlite_temp_schema AS t WHERE t.name = m.name) ORDER BY rowid",
			    &cells, &rows, NULL, NULL) != SQLITE_OK) {
		return DIAG_FAIL(diag, "cannot read the views: %s", sqlite3_errmsg(db));
	}

	for (int i = 1; status == CSC_OK && i <= rows; i++) {
		const char *sql = cells[i];

		if (sql && strncmp(sql, create, sizeof(create) - 1) == 0) {
			status = database_run(db,
					sqlite3_mprintf("CREATE TEMP VIEW %s",
							sql + sizeof(create) - 1),
					diag);
		}
	}

	sqlite3_free_table(cells);
	return status;
}

static enum csc_status make_figures(sqlite3 *db, struct diag *diag)
{
	enum csc_status status = stage_views(db, "figure", diag);

	return status == CSC_OK ? database_run(db,
						  sqlite3_mprintf("CREATE TEMP TABLE figure AS "
								  "SELECT * FROM temp._figure"),
						  diag)
				: status;
}

enum csc_status judgement_prepare(sqlite3 *db, enum judgement what, struct diag *diag)
{
	/* A file that was loaded whole has its figures. */
	bool has_figures = is_so(db,
			"SELECT EXISTS (SELECT 1 FROM main.figure) OR NOT EXISTS ("
			"SELECT 1 FROM main.source)");
	enum csc_status status = CSC_OK;

	if (status == CSC_OK &&
			(what == JUDGEMENT_MOMENT || (what >= JUDGEMENT_VERDICT && !has_figures))) {
		status = make_figures(db, diag);
	}
	if (status == CSC_OK && what >= JUDGEMENT_VERDICT) {
		status = stage_views(db, "judge", diag);
	}
	if (status == CSC_OK && what == JUDGEMENT_PAGE) {
		status = stage_views(db, "page", diag);
	}

	return status == CSC_OK ? copy_views(db, diag) : status;
}

bool judgement_is_read(sqlite3 *db, const char *view)
{
	/*
	 * What a view reads, by the names in its text: to prepare it takes a second, and a view
	 * that is taken for one that reads figures costs a tenth of that.
	 */
	static const char sql[] =
			"WITH RECURSIVE needed(name) AS (VALUES (%Q) UNION SELECT m.name FROM needed AS n "
			"JOIN main.sqlite_schema AS s ON s.name = n.name AND s.type = 'view' "
			"JOIN main.sqlite_schema AS m ON m.type IN ('view', 'table') "
			"AND instr(s.sql, m.name) > 0) "
			"SELECT EXISTS (SELECT 1 FROM needed WHERE name = 'figure')";
	char *text = sqlite3_mprintf(sql, view);
	bool is_read = text && is_so(db, text);

	sqlite3_free(text);
	return is_read;
}
