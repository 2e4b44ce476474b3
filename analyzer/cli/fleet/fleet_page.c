/*
 * SPDX-License-Identifier: MIT
 *
 * Tables with bars; names of nodes lead to their last recording, and from there to the last page.
 */
#include "fleet_page.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cell.h"
#include "database.h"
#include "fleet_answer.h"
#include "html.h"

enum { ROWS_SHOWN = 8, COLUMNS_MAX = 64 };

static const char style[] =
		":root { --ink: #1c2430; --soft: #5b6675; --ground: #f6f7f9; --card: #fff; --line: #d9dee5; --bar: #cfe0f7; --link: #1457b8; }\n"
		"@media (prefers-color-scheme: dark) { :root { --ink: #e4e9f0; --soft: #a0acba; --ground: #12161c; --card: #1a2029;\n"
		"  --line: #313a46; --bar: #24405f; --link: #8ab8ff; } }\n"
		"body { margin: 0 auto; padding: 1rem; max-width: 80rem; background: var(--ground); color: var(--ink);\n"
		"  font: 15px/1.45 system-ui, sans-serif; }\n"
		"h1 { margin: 0 0 .2rem; } h2 { margin: 0; font-size: 1.1rem; } p { margin: .2rem 0 .6rem; color: var(--soft); }\n"
		"section { margin: 1rem 0; padding: .8rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }\n"
		".scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .86rem; }\n"
		"th, td { padding: .2rem .6rem; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }\n"
		"th { color: var(--soft); font-weight: 600; vertical-align: bottom; } .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; } th.n { white-space: normal; max-width: 5.5rem; }\n"
		".b { background: linear-gradient(to left, var(--bar) var(--p), transparent var(--p)); }\n"
		"a { color: var(--link); } tr:target { outline: 2px solid var(--link); }\n";

/* Of a table: how its columns are written. */
struct columns {
	enum cell_kind kinds[COLUMNS_MAX];

	/* The most of the first column of bytes; 0: a column without bars. */
	double most[COLUMNS_MAX];

	/* Column that names a node, that leads to a page; -1: none. */
	int node;
	int page;
	int count;
};

/*
 * Of each node.  Minutes of a keeper, which have neither file nor page, are its last recording only
 * where it has no other; its page is the last that any of its recordings has.
 */
static const char node_last[] =
		"SELECT node, argMax(app, t) AS app, argMax(release, t) AS release, toDateTime(max(t), 'UTC') AS last_seen, "
		"argMax(carriers, t) AS carriers_bytes, argMax(verdict, own) AS verdict, argMax(sentence, own) AS sentence, "
		"toDateTime(argMax(t, own), 'UTC') AS recorded, argMax(file, own) AS file, argMax(page, paged) AS page, "
		"if(page = '', '', toString(toDateTime(argMax(t, paged), 'UTC'))) AS page_recorded FROM ("
		"SELECT node, app, release, verdict, sentence, carriers, file, page, toUInt64(toUInt32(end_ts)) AS t, "
		"t + if(file = '' AND page = '', 0, 4294967296) AS own, t + if(page = '', 0, 4294967296) AS paged "
		"FROM visible) GROUP BY node";

enum csc_status fleet_page_fetch(struct server *server, sqlite3 *db, struct diag *diag)
{
	enum csc_status status = database_run(db,
			sqlite3_mprintf("CREATE TABLE node_shown (number INTEGER PRIMARY KEY, node TEXT UNIQUE)"),
			diag);

	return status == CSC_OK ? fleet_answer_take(server, db, "node_last", node_last, diag)
				: status;
}

void fleet_page_begin(FILE *stream, const char *findings, const char *coverage)
{
	time_t now = time(NULL);
	struct tm parts;
	char day[32] = "";

	if (gmtime_r(&now, &parts)) {
		(void)strftime(day, sizeof(day), "%Y-%m-%d %H:%M UTC", &parts);
	}
	(void)fprintf(stream,
			"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
			"<title>The fleet, %s</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n<p>Carrierscope: the fleet, %s</p>\n<h1>",
			day, style, day);
	html_text(stream, findings);
	fputs("</h1>\n<p>", stream);
	html_text(stream, coverage);
	fputs("</p>\n", stream);
}

/* One number of a query; 0: it has none. */
static double ask_number(sqlite3 *db, char *sql)
{
	sqlite3_stmt *row = NULL;
	struct diag ignored = { 0 };
	double number = 0;

	if (database_prepare(db, sql, &row, &ignored) == CSC_OK &&
			sqlite3_step(row) == SQLITE_ROW) {
		number = sqlite3_column_double(row, 0);
	}

	(void)sqlite3_finalize(row);
	return number;
}

static void write_heading(FILE *stream, sqlite3_stmt *doc, struct columns *columns, int column,
		const char *name)
{
	bool is_number = false;

	(void)sqlite3_bind_text(doc, 2, name, -1, SQLITE_STATIC);
	if (sqlite3_step(doc) == SQLITE_ROW) {
		columns->kinds[column] = cell_kind_of(database_text(doc, 0), name);
		is_number = columns->kinds[column] != CELL_TEXT;
		fputs(is_number ? "<th class=\"n\" title=\"" : "<th title=\"", stream);
		html_text(stream, database_text(doc, 1));
		fputs("\">", stream);
	} else {
		columns->kinds[column] = cell_kind_of(NULL, name);
		fputs("<th>", stream);
	}

	(void)sqlite3_reset(doc);
	for (; *name; name++) {
		fputc(*name == '_' ? ' ' : *name, stream);
	}
	fputs("</th>", stream);
}

static enum csc_status write_head(FILE *stream, sqlite3 *db, sqlite3_stmt *rows, const char *view,
		struct columns *columns, struct diag *diag)
{
	sqlite3_stmt *doc = NULL;
	bool has_bars = false;
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("SELECT unit, meaning FROM view_doc WHERE view = ?1 AND column = ?2"),
			&doc, diag);

	if (status != CSC_OK) {
		return status;
	}

	(void)sqlite3_bind_text(doc, 1, view, -1, SQLITE_STATIC);
	columns->count = sqlite3_column_count(rows);
	fputs("<div class=\"scroll\"><table><thead><tr>", stream);
	for (int i = 0; i < columns->count; i++) {
		const char *name = sqlite3_column_name(rows, i);

		write_heading(stream, doc, columns, i, name);
		columns->node = strcmp(name, "node") == 0 ? i : columns->node;
		columns->page = strcmp(name, "page") == 0 ? i : columns->page;
		if (columns->kinds[i] == CELL_BYTES && !has_bars) {
			has_bars = true;
			columns->most[i] = ask_number(db,
					sqlite3_mprintf("SELECT max(\"%w\") FROM \"%w\"", name,
							view));
		}
	}

	fputs("</tr></thead>\n<tbody>\n", stream);
	(void)sqlite3_finalize(doc);
	return CSC_OK;
}

/* A page may lie on a server or beside this one: nothing that runs when it is followed. */
static bool is_page(const char *address)
{
	size_t scheme = strcspn(address, ":/?#");

	return *address &&
			(address[scheme] != ':' ||
					strncmp(address, "http://", strlen("http://")) == 0 ||
					strncmp(address, "https://", strlen("https://")) == 0);
}

/* The place of a node in the list below, which it gets when it is first named. */
static int place_of(sqlite3 *db, const char *node)
{
	struct diag ignored = { 0 };

	(void)database_run(db,
			sqlite3_mprintf("INSERT OR IGNORE INTO node_shown (node) VALUES (%Q)",
					node),
			&ignored);
	return (int)ask_number(
			db, sqlite3_mprintf("SELECT number FROM node_shown WHERE node = %Q", node));
}

static void write_cell(FILE *stream, sqlite3 *db, sqlite3_stmt *rows, const struct columns *columns,
		int i, const char *text)
{
	const char *raw = database_text(rows, i);
	double part = columns->most[i] > 0 ? 100 * sqlite3_column_double(rows, i) / columns->most[i]
					   : 0;

	if (i == columns->node) {
		(void)fprintf(stream, "<td><a href=\"#node-%d\">", place_of(db, raw));
		html_text(stream, text);
		fputs("</a></td>", stream);
	} else if (i == columns->page && is_page(raw)) {
		fputs("<td><a href=\"", stream);
		html_text(stream, raw);
		fputs("\">its page</a></td>", stream);
	} else if (i == columns->page && !*raw) {
		fputs("<td>none of its recordings has one</td>", stream);
	} else if (part > 0) {
		(void)fprintf(stream, "<td class=\"n b\" style=\"--p: %.0f%%\">", part);
		html_text(stream, text);
		fputs("</td>", stream);
	} else {
		fputs(columns->kinds[i] == CELL_TEXT || sqlite3_column_type(rows, i) == SQLITE_TEXT
						? "<td>"
						: "<td class=\"n\">",
				stream);
		html_text(stream, text);
		fputs("</td>", stream);
	}
}

static enum csc_status write_row(FILE *stream, sqlite3 *db, sqlite3_stmt *rows,
		const struct columns *columns, bool is_target, struct diag *diag)
{
	if (is_target) {
		(void)fprintf(stream, "<tr id=\"node-%d\">", place_of(db, database_text(rows, 0)));
	} else {
		fputs("<tr>", stream);
	}

	for (int i = 0; i < columns->count; i++) {
		char *text = cell_write(rows, i, columns->kinds[i], false);

		if (!text) {
			return DIAG_NO_MEMORY(diag);
		}
		write_cell(stream, db, rows, columns, i, text);
		free(text);
	}

	fputs("</tr>\n", stream);
	return CSC_OK;
}

/* The rows of `sql`, a text that is freed; `view`: what has the meaning of its columns. */
static enum csc_status write_table(FILE *stream, sqlite3 *db, char *sql, const char *view,
		bool is_target, struct diag *diag)
{
	struct columns columns = { .node = -1, .page = -1 };
	sqlite3_stmt *rows = NULL;
	int result = SQLITE_DONE;
	enum csc_status status = database_prepare(db, sql, &rows, diag);

	if (status == CSC_OK) {
		status = write_head(stream, db, rows, view, &columns, diag);
	}
	if (is_target) {
		columns.node = -1;
	}
	while (status == CSC_OK && (result = sqlite3_step(rows)) == SQLITE_ROW) {
		status = write_row(stream, db, rows, &columns, is_target, diag);
	}
	if (status == CSC_OK) {
		status = database_check(db, result, diag);
		fputs("</tbody></table></div>\n", stream);
	}

	(void)sqlite3_finalize(rows);
	return status;
}

enum csc_status fleet_page_answer(
		FILE *stream, sqlite3 *db, const char *answer, const char *view, struct diag *diag)
{
	int rows = (int)ask_number(db, sqlite3_mprintf("SELECT count(*) FROM \"%w\"", view));
	enum csc_status status = CSC_OK;

	if (rows == 0) {
		fputs("<p>None.</p>\n", stream);
	} else {
		status = write_table(stream, db,
				sqlite3_mprintf("SELECT * FROM \"%w\" LIMIT %d", view,
						(int)ROWS_SHOWN),
				view, false, diag);
	}
	if (rows > ROWS_SHOWN) {
		(void)fprintf(stream, "<p>%d more: carrierscope fleet report %s</p>\n",
				rows - ROWS_SHOWN, answer);
	}

	return status;
}

enum csc_status fleet_page_end(FILE *stream, sqlite3 *db, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	if (ask_number(db, sqlite3_mprintf("SELECT count(*) FROM node_shown")) > 0) {
		fputs("<section>\n<h2>nodes named above</h2>\n<p>The last recording of each, and the last that has a page.</p>\n",
				stream);
		status = write_table(stream, db,
				sqlite3_mprintf("SELECT l.* FROM node_shown AS s JOIN node_last AS l ON l.node = s.node ORDER BY s.number"),
				"node_last", true, diag);
		fputs("</section>\n", stream);
	}

	fputs("</main>\n</body>\n</html>\n", stream);
	return status;
}
