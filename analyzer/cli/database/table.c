/*
 * SPDX-License-Identifier: MIT
 *
 * Memory does not grow with the number of rows.
 */
#include "table.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "database.h"
#include "fit.h"
#include "visible.h"

enum { MEASURED_ROWS = 1000 };

struct table {
	FILE *stream;
	sqlite3_stmt *rows;
	const struct table_style *style;
	int columns;
	enum cell_kind *kinds;
	struct fit_column *fits;

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

static bool is_last(const struct table *table, int column)
{
	for (int i = column + 1; i < table->columns; i++) {
		if (!table->fits[i].is_hidden) {
			return false;
		}
	}

	return true;
}

static enum csc_status print_cell(
		const struct table *table, int column, const char *text, struct diag *diag)
{
	const struct fit_column *fit = &table->fits[column];
	char *cut;
	int padding;

	if (fit->is_hidden) {
		return CSC_OK;
	}

	/* Rows behind the measured ones may be wider: they are cut only where there is a limit. */
	cut = fit_text(text,
			table->style->width > 0 && is_left(table, column) ? fit->width : INT_MAX);
	if (!cut) {
		return DIAG_NO_MEMORY(diag);
	}

	padding = fit->width - cell_width(cut);
	padding = padding < 0 ? 0 : padding;
	if (!is_left(table, column)) {
		(void)fprintf(table->stream, "%*s%s", padding, "", cut);
	} else {
		(void)fprintf(table->stream, "%s%*s", cut, is_last(table, column) ? 0 : padding,
				"");
	}

	fputs(is_last(table, column) ? "\n" : "  ", table->stream);
	free(cut);
	return CSC_OK;
}

static const char *cell_at(const struct table *table, size_t row, int column)
{
	return table->cells[row * (size_t)table->columns + (size_t)column];
}

enum { LEAST_TEXT = 16 };

/* Bytes of a name that are on its next line: words with their '_', as many as there is room for. */
static int piece_of(const char *name, int width)
{
	int length = 0;

	while (name[length]) {
		int word = (int)strcspn(name + length, "_");

		word += name[length + word] == '_';
		if (length > 0 && length + word > width) {
			break;
		}
		length += word;
	}

	return length;
}

static void print_name(
		const struct table *table, int column, const char *name, int length, int padding)
{
	bool is_end = is_last(table, column);

	(void)fprintf(table->stream, "%*s%.*s%*s%s", is_left(table, column) ? 0 : padding, "",
			length, name, is_left(table, column) && !is_end ? padding : 0, "",
			is_end ? "\n" : "  ");
}

/* The names, on as many lines as the longest needs. */
static void print_names(const struct table *table)
{
	bool is_more = true;

	for (int line = 0; is_more; line++) {
		is_more = false;
		for (int i = 0; i < table->columns; i++) {
			const struct fit_column *fit = &table->fits[i];
			const char *name = table->names[i];
			int length;
			int padding;

			assert(name);
			for (int k = 0; k < line; k++) {
				name += piece_of(name, fit->width);
			}
			length = piece_of(name, fit->width);
			is_more = is_more || (name[length] && !fit->is_hidden);
			padding = fit->width > length ? fit->width - length : 0;
			if (!fit->is_hidden) {
				print_name(table, i, name, length, padding);
			}
		}
	}
}

/* What a column needs: its numbers, some of its texts, and the begin of its name. */
static int least_width(const struct table *table, int column)
{
	const char *name = table->names[column];
	int width = 0;

	assert(name);
	for (; *name; name += piece_of(name, 1)) {
		int word = piece_of(name, 1);

		width = word > width ? word : width;
	}

	for (size_t row = 0; row < table->cell_count / (size_t)table->columns; row++) {
		int cell = cell_width(cell_at(table, row, column));

		width = cell > width ? cell : width;
	}

	width = is_left(table, column) && width > LEAST_TEXT ? LEAST_TEXT : width;
	return width < table->fits[column].width ? width : table->fits[column].width;
}

/* Whether two columns say the same in all rows: by their cells, or as bytes and then as MiB of
 * them. */
static bool is_twin(const struct table *table, size_t rows, int column, int earlier)
{
	if (column == earlier + 1 && !table->style->has_raw_bytes &&
			strcmp(table->names[earlier], "bytes") == 0 &&
			strcmp(table->names[column], "mib") == 0) {
		return true;
	}
	for (size_t row = 0; row < rows; row++) {
		if (strcmp(cell_at(table, row, column), cell_at(table, row, earlier)) != 0) {
			return false;
		}
	}
	return true;
}

/* Makes the table as wide as it may be. */
static void fit(struct table *table)
{
	size_t rows = table->cell_count / (size_t)table->columns;

	for (int i = 0; i < table->columns; i++) {
		table->fits[i].least = least_width(table, i);
		table->fits[i].is_same = rows > 1 && rows < MEASURED_ROWS;
		for (size_t row = 1; row < rows && table->fits[i].is_same; row++) {
			table->fits[i].is_same =
					strcmp(cell_at(table, 0, i), cell_at(table, row, i)) == 0;
		}
		for (int k = 0; k < i && rows > 1 && rows < MEASURED_ROWS; k++) {
			if (!table->fits[k].is_same && !table->fits[k].twin_of &&
					!table->fits[i].is_same && is_twin(table, rows, i, k)) {
				table->fits[i].twin_of = k + 1;
				break;
			}
		}
	}

	fit_columns(table->fits, table->columns, table->style->width);
}

/* Names the columns that are not printed: what all rows have there, or where it can be seen. */
static void print_hidden(const struct table *table, bool is_same)
{
	const char *before = is_same ? "\nin all rows: "
				     : "not shown in this width (see --format=csv): ";
	bool is_any = false;

	for (int i = 0; i < table->columns; i++) {
		if (table->fits[i].is_hidden && table->fits[i].is_same == is_same &&
				!table->fits[i].twin_of) {
			(void)fprintf(table->stream, "%s%s", is_any ? ", " : before,
					table->names[i]);
			if (is_same) {
				(void)fprintf(table->stream, " %s", cell_at(table, 0, i));
			}
			is_any = true;
		}
	}

	if (is_any) {
		fputc('\n', table->stream);
	}
}

/* Names the columns that are not printed since another one says the same. */
static void print_twins(const struct table *table)
{
	bool is_any = false;

	for (int i = 0; i < table->columns; i++) {
		const struct fit_column *fit = &table->fits[i];

		if (fit->is_hidden && fit->twin_of > 0) {
			(void)fprintf(table->stream, "%s%s is %s",
					is_any ? ", " : "the same in all rows: ", table->names[i],
					table->names[fit->twin_of - 1]);
			is_any = true;
		}
	}
	if (is_any) {
		fputc('\n', table->stream);
	}
}

static enum csc_status print_measured(struct table *table, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	if (table->style->width > 0 && table->cell_count > 0) {
		fit(table);
	}

	if (table->style->has_color) {
		fputs("\033[1m", table->stream);
	}

	if (table->style->width > 0) {
		print_names(table);
	}
	for (int i = 0; status == CSC_OK && table->style->width == 0 && i < table->columns; i++) {
		status = print_cell(table, i, table->names[i], diag);
	}

	if (table->style->has_color) {
		fputs("\033[0m", table->stream);
	}

	for (size_t i = 0; status == CSC_OK && i < table->cell_count; i++) {
		status = print_cell(
				table, (int)(i % (size_t)table->columns), table->cells[i], diag);
	}

	if (status == CSC_OK && table->style->width > 0) {
		print_hidden(table, true);
		print_twins(table);
		print_hidden(table, false);
	}
	for (size_t i = 0; i < table->cell_count; i++) {
		free(table->cells[i]);
	}

	table->cell_count = 0;
	return status;
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

		table->fits[i].width = cell_width(table->names[i]);
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
			enum csc_status status = print_cell(table, i, text, diag);

			free(text);
			if (status != CSC_OK) {
				return status;
			}
			continue;
		}

		/* A column with a text in it is one of texts, whatever its unit is. */
		if (table->kinds[i] == CELL_PLAIN && is_text) {
			table->kinds[i] = CELL_TEXT;
		}

		if (cell_width(text) > table->fits[i].width) {
			table->fits[i].width = cell_width(text);
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
	table.fits = calloc((size_t)table.columns, sizeof(*table.fits));
	table.names = calloc((size_t)table.columns, sizeof(*table.names));
	table.cells = calloc((size_t)table.columns * MEASURED_ROWS, sizeof(*table.cells));
	if (!table.kinds || !table.fits || !table.names || !table.cells) {
		status = DIAG_NO_MEMORY(diag);
	} else {
		status = find_kinds(&table, db, diag);
	}

	while (status == CSC_OK && (result = sqlite3_step(rows)) == SQLITE_ROW && !ferror(stream)) {
		if (taken == MEASURED_ROWS) {
			status = print_measured(&table, diag);
		}

		status = status != CSC_OK ? status : take_row(&table, taken >= MEASURED_ROWS, diag);
		taken++;
	}

	if (status == CSC_OK && taken <= MEASURED_ROWS) {
		status = print_measured(&table, diag);
	}
	if (status == CSC_OK && taken == 0 && style->empty) {
		fputs("\nNo rows: ", stream);
		visible_print(stream, style->empty, VISIBLE_LINES);
		fputc('\n', stream);
	}

	for (size_t i = 0; i < table.cell_count; i++) {
		free(table.cells[i]);
	}

	for (int i = 0; table.names && i < table.columns; i++) {
		free(table.names[i]);
	}

	free(table.kinds);
	free(table.fits);
	free(table.names);
	free(table.cells);
	return status == CSC_OK && !ferror(stream) ? database_check(db, result, diag) : status;
}

/* Nothing acts on who looks at it, as a terminal or a spreadsheet, unless it is asked for as it is.
 */
static void print_csv_field(FILE *stream, bool is_raw, const char *text)
{
	char *copy = is_raw ? NULL : visible_copy(text, VISIBLE_LINES);
	const char *at = copy ? copy : is_raw ? text : "";

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

enum csc_status table_print_csv(
		FILE *stream, sqlite3 *db, sqlite3_stmt *rows, bool is_raw, struct diag *diag)
{
	int columns = sqlite3_column_count(rows);
	int result = SQLITE_DONE;

	for (int i = 0; i < columns; i++) {
		print_csv_field(stream, is_raw, sqlite3_column_name(rows, i));
		fputs(i + 1 < columns ? "," : "\r\n", stream);
	}

	while (!ferror(stream) && (result = sqlite3_step(rows)) == SQLITE_ROW) {
		for (int i = 0; i < columns; i++) {
			const char *text = (const char *)sqlite3_column_text(rows, i);

			print_csv_field(stream, is_raw, text ? text : "");
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
