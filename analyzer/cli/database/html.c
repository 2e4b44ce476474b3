/*
 * SPDX-License-Identifier: MIT
 *
 * Escapes.
 */
#include "html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "database.h"
#include "visible.h"

void html_text(FILE *stream, const char *text)
{
	static const char *const entities[] = {
		['<'] = "&lt;",
		['>'] = "&gt;",
		['&'] = "&amp;",
		['"'] = "&quot;",
		['\''] = "&#39;",
	};

	while (text && *text) {
		unsigned int code;
		size_t length;
		size_t hidden = visible_hidden(text, &code, &length);

		if (code < sizeof(entities) / sizeof(entities[0]) && entities[code]) {
			fputs(entities[code], stream);
		} else if (hidden == 0 || code == '\n' || code == '\t') {
			(void)fwrite(text, 1, length, stream);
		} else {
			char character[8] = { 0 };

			memcpy(character, text, hidden);
			visible_print(stream, character, VISIBLE_CELL);
		}

		text += length;
	}
}

/* Numbers as SQLite prints them; an infinite one is no JSON. */
static void write_json_value(struct json_writer *json, sqlite3_stmt *row, int column)
{
	int type = sqlite3_column_type(row, column);
	const char *text = (const char *)sqlite3_column_text(row, column);

	if (type == SQLITE_NULL ||
			(type == SQLITE_FLOAT && !isfinite(sqlite3_column_double(row, column)))) {
		json_text(json, NULL);
	} else if (text && (type == SQLITE_INTEGER || type == SQLITE_FLOAT)) {
		json_literal(json, text);
	} else {
		json_text(json, text);
	}
}

/* Texts that a column had last, the latest first. */
struct recent {
	char *texts[8];
};

enum { RECENT_TEXTS = sizeof(((struct recent *)NULL)->texts) / sizeof(char *) };

/* Its place among the last ones, where it comes first then; RECENT_TEXTS: it was not there. */
static size_t recent_take(struct recent *recent, const char *text, struct diag *diag)
{
	size_t place = 0;
	char *taken;

	while (place < RECENT_TEXTS && recent->texts[place] &&
			strcmp(recent->texts[place], text) != 0) {
		place++;
	}

	if (place < RECENT_TEXTS && recent->texts[place]) {
		taken = recent->texts[place];
		memmove(recent->texts + 1, recent->texts, place * sizeof(*recent->texts));
	} else {
		taken = strdup(text);
		free(recent->texts[RECENT_TEXTS - 1]);
		memmove(recent->texts + 1, recent->texts,
				(RECENT_TEXTS - 1) * sizeof(*recent->texts));
		place = RECENT_TEXTS;
	}

	recent->texts[0] = taken;
	if (!taken) {
		(void)DIAG_NO_MEMORY(diag);
	}
	return place;
}

/* A text that is among the column's last ones is written as its place: a column has texts or
 * numbers. */
static enum csc_status write_cell(struct json_writer *json, sqlite3_stmt *row, int column,
		struct recent *recent, struct diag *diag)
{
	const char *text = (const char *)sqlite3_column_text(row, column);
	size_t place;

	if (!text || sqlite3_column_type(row, column) != SQLITE_TEXT) {
		write_json_value(json, row, column);
		return CSC_OK;
	}

	place = recent_take(recent, text, diag);
	if (place < RECENT_TEXTS) {
		json_integer(json, (int64_t)place);
	} else {
		json_text(json, text);
	}

	return recent->texts[0] ? CSC_OK : CSC_ERROR;
}

static void write_columns(struct json_writer *json, sqlite3_stmt *rows)
{
	json_key(json, "columns");
	json_open(json, '[');
	for (int i = 0; i < sqlite3_column_count(rows); i++) {
		json_text(json, sqlite3_column_name(rows, i));
	}
	json_close(json, ']');
}

static enum csc_status write_rows(
		struct json_writer *json, sqlite3 *db, sqlite3_stmt *rows, struct diag *diag)
{
	int columns = sqlite3_column_count(rows);
	struct recent *recent = calloc((size_t)columns, sizeof(*recent));
	enum csc_status status = recent ? CSC_OK : DIAG_NO_MEMORY(diag);
	int result = SQLITE_DONE;

	while (status == CSC_OK && !ferror(json->stream) &&
			(result = sqlite3_step(rows)) == SQLITE_ROW) {
		json_break(json);
		json_open(json, '[');
		for (int i = 0; status == CSC_OK && i < columns; i++) {
			status = write_cell(json, rows, i, recent + i, diag);
		}
		json_close(json, ']');
	}

	if (status == CSC_OK && !ferror(json->stream)) {
		status = database_check(db, result, diag);
	}

	for (size_t i = 0; recent && i < (size_t)columns * RECENT_TEXTS; i++) {
		free(recent[i / RECENT_TEXTS].texts[i % RECENT_TEXTS]);
	}
	free(recent);
	return status;
}

enum csc_status html_figure(struct json_writer *json, sqlite3 *db, const char *sql,
		const char *shown, struct diag *diag)
{
	sqlite3_stmt *rows = NULL;
	enum csc_status status = database_prepare(db, sqlite3_mprintf("%s", sql), &rows, diag);

	if (status != CSC_OK) {
		return status;
	}

	json_open(json, '{');
	json_key(json, "sql");
	json_text(json, shown ? shown : sql);
	write_columns(json, rows);
	json_key(json, "rows");
	json_open(json, '[');
	status = write_rows(json, db, rows, diag);
	json_close(json, ']');
	json_close(json, '}');
	(void)sqlite3_finalize(rows);
	return status;
}

/* Unit and meaning of a column, as view_doc has them; false: it has none. */
static bool find_meaning(sqlite3_stmt *doc, const char *view, const char *column)
{
	(void)sqlite3_reset(doc);
	(void)sqlite3_bind_text(doc, 1, view, -1, SQLITE_STATIC);
	(void)sqlite3_bind_text(doc, 2, column, -1, SQLITE_STATIC);
	return sqlite3_step(doc) == SQLITE_ROW;
}

/* A column's name in words; the maker of the database chose it. */
static void write_name(FILE *stream, const char *name)
{
	while (*name) {
		size_t length = strcspn(name, "_");
		char *part = strndup(name, length);

		if (part) {
			html_text(stream, part);
			free(part);
		}

		name += length;
		if (*name) {
			fputc(' ', stream);
			name++;
		}
	}
}

static void write_head(FILE *stream, sqlite3_stmt *rows, sqlite3_stmt *doc, const char *view,
		enum cell_kind *kinds)
{
	/* What may be wider than its place is moved by keyboard, too. */
	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"table ", stream);
	write_name(stream, view);
	fputs("\"><table><thead><tr>", stream);
	for (int i = 0; i < sqlite3_column_count(rows); i++) {
		const char *name = sqlite3_column_name(rows, i);
		bool is_known = find_meaning(doc, view, name);

		kinds[i] = cell_kind_of(
				is_known ? (const char *)sqlite3_column_text(doc, 0) : NULL, name);
		(void)fprintf(stream, "<th%s scope=\"col\" title=\"",
				kinds[i] == CELL_TEXT || kinds[i] == CELL_PLAIN ? ""
										: " class=\"n\"");
		if (is_known) {
			html_text(stream, (const char *)sqlite3_column_text(doc, 2));
			fputs(" (", stream);
			html_text(stream, (const char *)sqlite3_column_text(doc, 1));
			fputc(')', stream);
		}
		fputs("\">", stream);
		write_name(stream, name);
		fputs("</th>", stream);
	}
	fputs("</tr></thead>\n<tbody>\n", stream);
}

static enum csc_status write_row(
		FILE *stream, sqlite3_stmt *rows, const enum cell_kind *kinds, struct diag *diag)
{
	fputs("<tr>", stream);
	for (int i = 0; i < sqlite3_column_count(rows); i++) {
		bool is_number = sqlite3_column_type(rows, i) != SQLITE_TEXT &&
				kinds[i] != CELL_TEXT;
		char *text = cell_write(rows, i, kinds[i], false);

		if (!text) {
			return DIAG_NO_MEMORY(diag);
		}

		fputs(is_number ? "<td class=\"n\">" : "<td>", stream);
		html_text(stream, text);
		fputs("</td>", stream);
		free(text);
	}
	fputs("</tr>\n", stream);
	return CSC_OK;
}

/* A report without rows has a reason. */
static void write_empty(FILE *stream, sqlite3 *db, const char *view)
{
	char *reason = database_why_empty(db, view);

	fputs("<p class=\"note\">Empty: ", stream);
	html_text(stream, reason ? reason : "nothing of this kind was recorded");
	fputs(".</p>\n", stream);
	free(reason);
}

enum csc_status html_table(
		FILE *stream, sqlite3 *db, const char *sql, const char *view, struct diag *diag)
{
	sqlite3_stmt *rows = NULL;
	sqlite3_stmt *doc = NULL;
	enum cell_kind *kinds = NULL;
	int result = SQLITE_DONE;
	bool is_open = false;
	enum csc_status status = database_prepare(db, sqlite3_mprintf("%s", sql), &rows, diag);

	if (status == CSC_OK) {
		status = database_prepare(db,
				sqlite3_mprintf("SELECT unit, quality, meaning FROM view_doc "
						"WHERE view = ?1 AND column = ?2"),
				&doc, diag);
	}

	if (status == CSC_OK &&
			!(kinds = calloc((size_t)sqlite3_column_count(rows) + 1, sizeof(*kinds)))) {
		status = DIAG_NO_MEMORY(diag);
	}

	while (status == CSC_OK && !ferror(stream) && (result = sqlite3_step(rows)) == SQLITE_ROW) {
		if (!is_open) {
			write_head(stream, rows, doc, view, kinds);
			is_open = true;
		}
		status = write_row(stream, rows, kinds, diag);
	}

	if (status == CSC_OK && !ferror(stream)) {
		status = database_check(db, result, diag);
		if (is_open) {
			fputs("</tbody></table></div>\n", stream);
		} else {
			write_empty(stream, db, view);
		}
	}

	free(kinds);
	(void)sqlite3_finalize(doc);
	(void)sqlite3_finalize(rows);
	return status;
}
