/*
 * SPDX-License-Identifier: MIT
 *
 * Memory does not grow with the number of rows.
 */
#include "table.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cell.h"
#include "database.h"
#include "visible.h"

enum { MEASURED_ROWS = 1000 };

struct table {
	FILE *stream;
	sqlite3_stmt *rows;
	const struct table_style *style;
	int columns;
	enum cell_kind *kinds;
	int *widths;

	/* Of columns, as they are printed. */
	char **names;

	/* Rows that wait for the widths. */
	char **cells;
	size_t cell_count;
};

static bool is_left(const struct table *table, int column)
{
	return table->kinds[column] == CELL_TEXT;
}

static void print_cell(const struct table *table, int column, const char *text)
{
	bool is_last = column + 1 == table->columns;
	int padding = table->widths[column] - cell_width(text);

	if (padding < 0) {
		padding = 0;
	}

	if (!is_left(table, column)) {
		(void)fprintf(table->stream, "%*s%s", padding, "", text);
	} else {
		(void)fprintf(table->stream, "%s%*s", text, is_last ? 0 : padding, "");
	}

	fputs(is_last ? "\n" : "  ", table->stream);
}

static void print_measured(struct table *table)
{
	if (table->style->has_color) {
		fputs("\033[1m", table->stream);
	}

	for (int i = 0; i < table->columns; i++) {
		print_cell(table, i, table->names[i]);
	}

	if (table->style->has_color) {
		fputs("\033[0m", table->stream);
	}

	for (size_t i = 0; i < table->cell_count; i++) {
		print_cell(table, (int)(i % (size_t)table->columns), table->cells[i]);
		free(table->cells[i]);
	}

	table->cell_count = 0;
}

/* Asks view_doc how each column is to be written. */
static enum csc_status find_kinds(struct table *table, sqlite3 *db, struct diag *diag)
{
	sqlite3_stmt *unit = NULL;

	if (sqlite3_prepare_v2(db, "SELECT unit FROM view_doc WHERE view = ? AND column = ?", -1,
			    &unit, NULL) != SQLITE_OK) {
		return database_check(db, SQLITE_ERROR, diag);
	}

	for (int i = 0; i < table->columns; i++) {
		const char *name = sqlite3_column_name(table->rows, i);
		const char *text = NULL;

		(void)sqlite3_bind_text(unit, 1, table->style->view, -1, SQLITE_STATIC);
		(void)sqlite3_bind_text(unit, 2, name, -1, SQLITE_STATIC);
		if (sqlite3_step(unit) == SQLITE_ROW) {
			text = (const char *)sqlite3_column_text(unit, 0);
		}

		table->kinds[i] = cell_kind_of(text, name);
		table->names[i] = visible_copy(name, VISIBLE_CELL);
		if (!table->names[i]) {
			(void)sqlite3_finalize(unit);
			return DIAG_NO_MEMORY(diag);
		}

		table->widths[i] = cell_width(table->names[i]);
		(void)sqlite3_reset(unit);
	}

	(void)sqlite3_finalize(unit);
	return CSC_OK;
}

/* Takes the current row; prints it when the widths are known. */
static enum csc_status take_row(struct table *table, bool is_measured, struct diag *diag)
{
	for (int i = 0; i < table->columns; i++) {
		/* Asked before the value is, which may change it. */
		bool is_text = sqlite3_column_type(table->rows, i) == SQLITE_TEXT;
		char *text = cell_write(
				table->rows, i, table->kinds[i], table->style->has_raw_bytes);

		if (!text) {
			return DIAG_NO_MEMORY(diag);
		}

		if (is_measured) {
			print_cell(table, i, text);
			free(text);
			continue;
		}

		/* A column with a text in it is one of texts, whatever its unit is. */
		if (table->kinds[i] == CELL_PLAIN && is_text) {
			table->kinds[i] = CELL_TEXT;
		}

		if (cell_width(text) > table->widths[i]) {
			table->widths[i] = cell_width(text);
		}

		table->cells[table->cell_count++] = text;
	}

	return CSC_OK;
}

enum csc_status table_print_text(FILE *stream, sqlite3 *db, sqlite3_stmt *rows,
		const struct table_style *style, struct diag *diag)
{
	struct table table = { .stream = stream, .rows = rows, .style = style };
	enum csc_status status = CSC_OK;
	size_t taken = 0;
	int result = SQLITE_DONE;

	table.columns = sqlite3_column_count(rows);
	table.kinds = calloc((size_t)table.columns, sizeof(*table.kinds));
	table.widths = calloc((size_t)table.columns, sizeof(*table.widths));
	table.names = calloc((size_t)table.columns, sizeof(*table.names));
	table.cells = calloc((size_t)table.columns * MEASURED_ROWS, sizeof(*table.cells));
	if (!table.kinds || !table.widths || !table.names || !table.cells) {
		status = DIAG_NO_MEMORY(diag);
	} else {
		status = find_kinds(&table, db, diag);
	}

	while (status == CSC_OK && (result = sqlite3_step(rows)) == SQLITE_ROW && !ferror(stream)) {
		if (taken == MEASURED_ROWS) {
			print_measured(&table);
		}

		status = take_row(&table, taken >= MEASURED_ROWS, diag);
		taken++;
	}

	if (status == CSC_OK && taken <= MEASURED_ROWS) {
		print_measured(&table);
	}

	for (size_t i = 0; i < table.cell_count; i++) {
		free(table.cells[i]);
	}

	for (int i = 0; table.names && i < table.columns; i++) {
		free(table.names[i]);
	}

	free(table.kinds);
	free(table.widths);
	free(table.names);
	free(table.cells);
	return status == CSC_OK && !ferror(stream) ? database_check(db, result, diag) : status;
}

/* The data as it is, but not to a terminal. */
static void print_csv_field(FILE *stream, bool is_terminal, const char *text)
{
	char *copy = is_terminal ? visible_copy(text, VISIBLE_CELL) : NULL;
	const char *at = copy ? copy : is_terminal ? "" : text;

	if (!strpbrk(at, "\",\r\n")) {
		fputs(at, stream);
		free(copy);
		return;
	}

	fputc('"', stream);
	for (; *at; at++) {
		if (*at == '"') {
			fputc('"', stream);
		}
		fputc(*at, stream);
	}
	fputc('"', stream);
	free(copy);
}

enum csc_status table_print_csv(FILE *stream, sqlite3 *db, sqlite3_stmt *rows, struct diag *diag)
{
	int columns = sqlite3_column_count(rows);
	int result = SQLITE_DONE;
	bool is_terminal = isatty(fileno(stream));

	for (int i = 0; i < columns; i++) {
		print_csv_field(stream, is_terminal, sqlite3_column_name(rows, i));
		fputs(i + 1 < columns ? "," : "\r\n", stream);
	}

	while (!ferror(stream) && (result = sqlite3_step(rows)) == SQLITE_ROW) {
		for (int i = 0; i < columns; i++) {
			const char *text = (const char *)sqlite3_column_text(rows, i);

			print_csv_field(stream, is_terminal, text ? text : "");
			fputs(i + 1 < columns ? "," : "\r\n", stream);
		}
	}

	return ferror(stream) ? CSC_OK : database_check(db, result, diag);
}

enum csc_status table_print_json(FILE *stream, sqlite3 *db, sqlite3_stmt *rows, struct diag *diag)
{
	const char *before = "[";
	int result = SQLITE_DONE;

	while (!ferror(stream) && (result = sqlite3_step(rows)) == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(rows, 0);

		fputs(before, stream);
		visible_print(stream, text ? text : "null", VISIBLE_JSON);
		before = ",\n";
	}

	fputs(*before == '[' ? "[]\n" : "]\n", stream);
	return ferror(stream) ? CSC_OK : database_check(db, result, diag);
}
