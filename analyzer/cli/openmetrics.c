/*
 * SPDX-License-Identifier: MIT
 *
 * What other programs read: OpenMetrics for dashboards, metadata for datasette.
 */
#include "openmetrics.h"

#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "json_writer.h"
#include "visible.h"

static const char *text_of(sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	return text ? text : "";
}

/* The value of a label: a backslash, a quote and a line feed have escapes. */
static void print_label(FILE *stream, const char *name, const char *value, const char *after)
{
	char *shown = visible_copy(value, VISIBLE_LINES);

	(void)fprintf(stream, "%s=\"", name);
	for (const char *at = shown ? shown : ""; *at; at++) {
		if (*at == '\n') {
			fputs("\\n", stream);
		} else {
			fputs(*at == '\\' || *at == '"' ? "\\" : "", stream);
			fputc(*at, stream);
		}
	}
	free(shown);
	(void)fprintf(stream, "\"%s", after);
}

static void print_comment(FILE *stream, const char *kind, const char *name, const char *text)
{
	(void)fprintf(stream, "%s carrierscope_", kind);
	visible_print(stream, name, VISIBLE_CELL);
	fputc(' ', stream);
	visible_print(stream, text, VISIBLE_CELL);
	fputc('\n', stream);
}

static void print_family(FILE *stream, sqlite3_stmt *row)
{
	print_comment(stream, "# TYPE", text_of(row, 0), "gauge");
	if (strcmp(text_of(row, 1), "count") != 0) {
		print_comment(stream, "# UNIT", text_of(row, 0), text_of(row, 1));
	}
	print_comment(stream, "# HELP", text_of(row, 0), text_of(row, 2));
}

static void print_sample(FILE *stream, sqlite3_stmt *row)
{
	fputs("carrierscope_", stream);
	visible_print(stream, text_of(row, 0), VISIBLE_CELL);
	fputc('{', stream);
	print_label(stream, "place", text_of(row, 1), ",");
	print_label(stream, "vpid", text_of(row, 2), ",");
	print_label(stream, "allocator", text_of(row, 3), ",");
	print_label(stream, "quality", text_of(row, 4), "} ");
	(void)fprintf(stream, "%.17g\n", sqlite3_column_double(row, 5));
}

static enum csc_status print_all(FILE *stream, sqlite3 *db, char *sql,
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

enum csc_status openmetrics_print(FILE *stream, sqlite3 *db, struct diag *diag)
{
	sqlite3_stmt *families = NULL;
	int result = SQLITE_DONE;
	/* A family's name ends in its unit: a ratio becomes utilisation_ratio. */
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("SELECT metric || iif(unit = 'ratio', '_ratio', ''), unit, meaning, metric "
					"FROM metric_kind ORDER BY metric"),
			&families, diag);

	while (status == CSC_OK && !ferror(stream) &&
			(result = sqlite3_step(families)) == SQLITE_ROW) {
		print_family(stream, families);
		status = print_all(stream, db,
				sqlite3_mprintf("SELECT %Q, place, ifnull(vpid, ''), ifnull(allocator, ''), quality, value "
						"FROM metric WHERE metric = %Q ORDER BY place, allocator",
						text_of(families, 0), text_of(families, 3)),
				print_sample, diag);
	}

	if (status == CSC_OK && !ferror(stream)) {
		fputs("# EOF\n", stream);
		status = database_check(db, result, diag);
	}

	(void)sqlite3_finalize(families);
	return status;
}

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
		print_key(stream, 6, text_of(row, 0));
		fputc('\n', stream);
		print_entry(stream, 8, "description", text_of(row, 3));
		if (sqlite3_column_int(row, 4)) {
			print_key(stream, 8, "columns");
			fputc('\n', stream);
		}
	} else {
		print_entry(stream, 10, text_of(row, 1), text_of(row, 3));
	}
}

static void print_query(FILE *stream, sqlite3_stmt *row)
{
	print_key(stream, 6, text_of(row, 0));
	fputc('\n', stream);
	print_entry(stream, 8, "title", text_of(row, 1));
	print_entry(stream, 8, "sql", text_of(row, 2));
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
	status = print_all(stream, db,
			sqlite3_mprintf("SELECT d.view, d.column, d.column = '', "
					"iif(d.column = '', d.meaning, format('%%s (%%s, %%s)', d.meaning, d.unit, d.quality)), "
					"EXISTS (SELECT 1 FROM view_doc AS c WHERE c.view = d.view AND c.column <> '') "
					"FROM view_doc AS d WHERE d.view NOT LIKE '\\_%%' ESCAPE '\\' "
					"ORDER BY d.view, d.column"),
			print_doc, diag);
	if (status == CSC_OK) {
		fputs("    queries:\n", stream);
		status = print_all(stream, db,
				sqlite3_mprintf("SELECT substr(view, 8), meaning, 'SELECT * FROM ' || view FROM view_doc "
						"WHERE column = '' AND view LIKE 'report\\_%%' ESCAPE '\\' ORDER BY view"),
				print_query, diag);
	}

	return status;
}
