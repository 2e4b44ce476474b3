/*
 * SPDX-License-Identifier: MIT
 *
 * Descriptions of the views, and a query for each report.
 */
#include "datasette.h"

#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "json_writer.h"

/* The name by which datasette knows a file: without folder and suffix. */
static char *datasette_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = strdup(slash ? slash + 1 : path);
	char *dot = name ? strrchr(name, '.') : NULL;

	if (dot && dot != name) {
		*dot = '\0';
	}

	return name;
}

static void print_key(FILE *stream, int indent, const char *name)
{
	(void)fprintf(stream, "%*s", indent, "");
	json_print_string(stream, name);
	fputc(':', stream);
}

static void print_entry(FILE *stream, int indent, const char *name, const char *value)
{
	print_key(stream, indent, name);
	fputc(' ', stream);
	json_print_string(stream, value);
	fputc('\n', stream);
}

/* A row is a table or a column of it: tables first, their columns behind them. */
static void print_doc(FILE *stream, sqlite3_stmt *row)
{
	if (sqlite3_column_int(row, 2)) {
		print_key(stream, 6, database_text(row, 0));
		fputc('\n', stream);
		print_entry(stream, 8, "description", database_text(row, 3));
		if (sqlite3_column_int(row, 4)) {
			print_key(stream, 8, "columns");
			fputc('\n', stream);
		}
	} else {
		print_entry(stream, 10, database_text(row, 1), database_text(row, 3));
	}
}

static void print_query(FILE *stream, sqlite3_stmt *row)
{
	print_key(stream, 6, database_text(row, 0));
	fputc('\n', stream);
	print_entry(stream, 8, "title", database_text(row, 1));
	print_entry(stream, 8, "sql", database_text(row, 2));
}

enum csc_status datasette_print(FILE *stream, sqlite3 *db, const char *path, struct diag *diag)
{
	char *name = datasette_name(path);
	enum csc_status status;

	if (!name) {
		return DIAG_NO_MEMORY(diag);
	}

	fputs("title: Carrierscope\ndatabases:\n", stream);
	print_key(stream, 2, name);
	fputs("\n    tables:\n", stream);
	free(name);
	status = database_print_rows(stream, db,
			sqlite3_mprintf("SELECT d.view, d.column, d.column = '', "
					"iif(d.column = '', d.meaning, format('%%s (%%s, %%s)', d.meaning, d.unit, d.quality)), "
					"EXISTS (SELECT 1 FROM view_doc AS c WHERE c.view = d.view AND c.column <> '') "
					"FROM view_doc AS d WHERE d.view NOT LIKE '\\_%%' ESCAPE '\\' "
					"ORDER BY d.view, d.column"),
			print_doc, diag);
	if (status == CSC_OK) {
		fputs("    queries:\n", stream);
		status = database_print_rows(stream, db,
				sqlite3_mprintf("SELECT substr(view, 8), meaning, 'SELECT * FROM ' || view FROM view_doc "
						"WHERE column = '' AND view LIKE 'report\\_%%' ESCAPE '\\' ORDER BY view"),
				print_query, diag);
	}

	return status;
}
