/*
 * SPDX-License-Identifier: MIT
 *
 * Strips, and tables with bars; names of nodes lead to a page of their own, and from there to the
 * last report.
 */
#include "fleet_page.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cell.h"
#include "database.h"
#include "fleet_answer.h"
#include "fleet_schema.h"
#include "fleet_week.h"
#include "html.h"

enum { ROWS_SHOWN = 8, STRIPS_SHOWN = 20, COLUMNS_MAX = 64 };

/* What columns are called; others by their names. */
static const char *const words[][2] = {
	{ "app", "application" },
	{ "minutes", "minutes seen" },
	{ "minutes_known", "minutes known" },
	{ "minutes_empty", "minutes half empty" },
	{ "share_empty", "share of the known" },
	{ "carriers_bytes", "carriers" },
	{ "unused_low_bytes", "empty, at least" },
	{ "unused_high_bytes", "empty, at most" },
	{ "node_days", "days of nodes" },
	{ "carriers_p50_bytes", "carriers, the median" },
	{ "carriers_p90_bytes", "carriers, 90 % have less" },
	{ "carriers_p99_bytes", "carriers, 99 % have less" },
	{ "most_bytes", "the most" },
	{ "utilisation_p50", "in use, the median" },
	{ "utilisation_p10", "in use, 10 % have less" },
	{ "old_release", "old release" },
	{ "new_release", "new release" },
	{ "old_nodes", "old nodes" },
	{ "new_nodes", "new nodes" },
	{ "old_bytes", "carriers of the old" },
	{ "new_bytes", "carriers of the new" },
	{ "old_p10_bytes", "old, 10 % have less" },
	{ "old_p90_bytes", "old, 90 % have less" },
	{ "new_p10_bytes", "new, 10 % have less" },
	{ "new_p90_bytes", "new, 90 % have less" },
	{ "tried", "flags tried" },
	{ "saving_low_bytes", "saves at least" },
	{ "saving_bytes", "saves" },
	{ "saving_high_bytes", "saves at most" },
	{ "flags", "flags in force" },
	{ "nodes_other", "nodes with other flags" },
	{ "sum_bytes", "in all" },
	{ "p50_bytes", "the median" },
	{ "last_push", "last heard of" },
	{ "hours_ago", "hours ago" },
	{ "last_verdict", "verdict then" },
	{ "last_seen", "last seen" },
	{ "page", "report" },
	{ "page_recorded", "report of" },
};

/* The style's digest as the policy wants it; FLEET_STYLE_SHA256 is the same in hexadecimal digits.
 */
static void put_digest(FILE *stream)
{
	static const char letters[] =
			"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	static const char digits[] = "0123456789abcdef";
	static const char digest[] = FLEET_STYLE_SHA256;
	unsigned int bits = 0;
	int count = 0;

	for (const char *at = digest; *at; at++) {
		bits = bits << 4 | (unsigned int)(strchr(digits, *at) - digits);
		count += 4;
		if (count >= 6) {
			count -= 6;
			fputc(letters[bits >> count & 63], stream);
		}
	}
	if (count > 0) {
		fputc(letters[bits << (6 - count) & 63], stream);
		fputs(count == 4 ? "=" : "==", stream);
	}
}

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

	if (status == CSC_OK) {
		status = fleet_week_fetch(server, db, diag);
	}
	return status == CSC_OK ? fleet_answer_take(server, db, "node_last", node_last, diag)
				: status;
}

void fleet_page_begin(FILE *stream, const char *address, const char *findings, const char *coverage)
{
	time_t now = time(NULL);
	struct tm parts;
	char day[32] = "";

	if (gmtime_r(&now, &parts)) {
		(void)strftime(day, sizeof(day), "%Y-%m-%d %H:%M UTC", &parts);
	}
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-",
			stream);
	put_digest(stream);
	(void)fprintf(stream, "'; base-uri 'none'; form-action 'none'\">\n<title>The fleet, %s, ",
			day);
	html_text(stream, address);
	(void)fprintf(stream,
			"</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n<div class=\"fleet\">\n<p>Carrierscope: the fleet of ",
			fleet_fleet_css);
	html_text(stream, address);
	(void)fprintf(stream, ", %s</p>\n<h1>", day);
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
		fputs(is_number ? "<th scope=\"col\" class=\"n\" title=\""
				: "<th scope=\"col\" title=\"",
				stream);
		html_text(stream, database_text(doc, 1));
		fputs("\">", stream);
	} else {
		columns->kinds[column] = cell_kind_of(NULL, name);
		fputs("<th scope=\"col\">", stream);
	}

	(void)sqlite3_reset(doc);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		name = strcmp(name, words[i][0]) == 0 ? words[i][1] : name;
	}
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
	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", stream);
	for (const char *at = view; *at; at++) {
		fputc(*at == '_' ? ' ' : *at, stream);
	}
	fputs("\"><table><thead><tr>", stream);
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

/* A page may lie on a server or beside this one: nothing that runs when it is followed, and no name
 * that no file has. */
static bool is_page(const char *address)
{
	size_t scheme = strcspn(address, ":/?#");

	if (address[scheme] == ':') {
		return strncmp(address, "http://", strlen("http://")) == 0 ||
				strncmp(address, "https://", strlen("https://")) == 0;
	}
	return *address && !strpbrk(address, "<>\"\\`\t\n\r");
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
		fputs("\">its report</a></td>", stream);
	} else if (i == columns->page && !*raw) {
		fputs("<td>none of its recordings has one</td>", stream);
	} else if (part > 0) {
		fputs("<td class=\"n\">", stream);
		html_text(stream, text);
		(void)fprintf(stream,
				"<svg class=\"bar\" viewBox=\"0 0 100 1\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect x=\"%.0f\" width=\"%.0f\" height=\"1\"/></svg></td>",
				100 - part, part);
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
		const struct columns *columns, struct diag *diag)
{
	fputs("<tr>", stream);
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

/* The rows of `sql`, a text that is freed; `view`: what has the meaning of its columns;
 * `has_links`: of nodes. */
static enum csc_status write_table(FILE *stream, sqlite3 *db, char *sql, const char *view,
		bool has_links, struct diag *diag)
{
	struct columns columns = { .node = -1, .page = -1 };
	sqlite3_stmt *rows = NULL;
	int result = SQLITE_DONE;
	enum csc_status status = database_prepare(db, sql, &rows, diag);

	if (status == CSC_OK) {
		status = write_head(stream, db, rows, view, &columns, diag);
	}
	if (!has_links) {
		columns.node = -1;
	}
	while (status == CSC_OK && (result = sqlite3_step(rows)) == SQLITE_ROW) {
		status = write_row(stream, db, rows, &columns, diag);
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
				view, true, diag);
	}
	if (rows > ROWS_SHOWN) {
		(void)fprintf(stream, "<p>%d more: carrierscope fleet report %s</p>\n",
				rows - ROWS_SHOWN, answer);
	}

	return status;
}

static void begin_strips(FILE *stream, const char *label)
{
	(void)fprintf(stream,
			"<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table class=\"strips\"><thead><tr><th scope=\"col\">node</th>"
			"<th scope=\"col\">7 days until now</th><th scope=\"col\" class=\"n\">carriers at last</th><th scope=\"col\">how that is</th>"
			"<th scope=\"col\">application</th><th scope=\"col\">release</th></tr></thead>\n<tbody>\n",
			label);
}

enum csc_status fleet_page_strips(FILE *stream, sqlite3 *db, struct diag *diag)
{
	sqlite3_stmt *rows = NULL;
	int result = SQLITE_DONE;
	int seen = (int)ask_number(db, sqlite3_mprintf("SELECT nodes_seen FROM fleet_coverage"));
	int shown = (int)ask_number(db, sqlite3_mprintf("SELECT count(*) FROM node_week"));
	enum csc_status status = database_prepare(
			db, sqlite3_mprintf("SELECT * FROM node_week"), &rows, diag);

	if (status != CSC_OK || shown == 0) {
		(void)sqlite3_finalize(rows);
		return status;
	}

	fputs("<section>\n<h2>The last 7 days</h2>\n<p>The most surprising nodes come first: their last hour lies outside of what is usual. "
	      "Light is what carriers have, dark what is in use. Each strip has its own scale.</p>\n",
			stream);
	begin_strips(stream, "The last 7 days");
	for (int i = 0; (result = sqlite3_step(rows)) == SQLITE_ROW; i++) {
		if (i == STRIPS_SHOWN) {
			(void)fprintf(stream,
					"</tbody></table></div>\n<details><summary>%d that surprise less</summary>\n",
					shown - i);
			begin_strips(stream, "Those that surprise less");
		}
		fleet_week_strip(stream, rows, place_of(db, database_text(rows, 0)));
	}
	status = database_check(db, result, diag);
	fputs(shown > STRIPS_SHOWN ? "</tbody></table></div>\n</details>\n"
				   : "</tbody></table></div>\n",
			stream);
	if (seen > shown) {
		(void)fprintf(stream,
				"<p>%d more nodes are less surprising, or have no minutes.</p>\n",
				seen - shown);
	}
	fputs("</section>\n", stream);
	(void)sqlite3_finalize(rows);
	return status;
}

/* The page of one node: its week, its last recording and the report of it. */
static enum csc_status write_node(FILE *stream, sqlite3 *db, sqlite3_stmt *node, struct diag *diag)
{
	const char *name = database_text(node, 1);
	sqlite3_stmt *row = NULL;
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("SELECT * FROM node_week WHERE node = %Q", name), &row,
			diag);

	(void)fprintf(stream,
			"<article id=\"node-%d\">\n<p><a href=\"#\">The whole fleet</a></p>\n<h1>",
			sqlite3_column_int(node, 0));
	html_text(stream, name);
	fputs("</h1>\n", stream);
	if (status == CSC_OK && sqlite3_step(row) == SQLITE_ROW) {
		fleet_week_page(stream, row);
	} else if (status == CSC_OK) {
		fputs("<p>It sent no minutes in the last 7 days, or is less surprising than 200 others.</p>\n",
				stream);
	}
	(void)sqlite3_finalize(row);
	if (status == CSC_OK) {
		fputs("<p>Its last recording, and the last that has a report:</p>\n", stream);
		status = write_table(stream, db,
				sqlite3_mprintf("SELECT * FROM node_last WHERE node = %Q", name),
				"node_last", false, diag);
	}
	fputs("</article>\n", stream);
	return status;
}

enum csc_status fleet_page_end(FILE *stream, sqlite3 *db, struct diag *diag)
{
	sqlite3_stmt *nodes = NULL;
	int result = SQLITE_DONE;
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("SELECT number, node FROM node_shown ORDER BY number"),
			&nodes, diag);

	fputs("</div>\n", stream);
	while (status == CSC_OK && (result = sqlite3_step(nodes)) == SQLITE_ROW) {
		status = write_node(stream, db, nodes, diag);
	}
	if (status == CSC_OK) {
		status = database_check(db, result, diag);
	}

	(void)sqlite3_finalize(nodes);
	fputs("</main>\n</body>\n</html>\n", stream);
	return status;
}
