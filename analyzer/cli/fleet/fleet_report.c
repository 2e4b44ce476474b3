/*
 * SPDX-License-Identifier: MIT
 *
 * Answers are fetched first, all of them, and printed then.
 */
#include "fleet_report.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "database.h"
#include "fleet_answer.h"
#include "fleet_page.h"
#include "html.h"
#include "json_writer.h"
#include "table.h"
#include "visible.h"

const char *const fleet_answers[] = { "fragmenting", "leak", "use", "release", "saving", "holder",
	"silent", NULL };

static enum csc_status fetch(struct server *server, sqlite3 *db, const char *name, bool is_first,
		struct diag *diag)
{
	char query[96];
	char table[64];
	struct diag refused = { 0 };
	enum csc_status status;

	(void)snprintf(table, sizeof(table), "fleet_%s", name);
	(void)snprintf(query, sizeof(query), "SELECT * FROM %s", table);
	status = fleet_answer_take(server, db, table, query, &refused);
	if (status != CSC_OK && is_first && server_error(server) == SERVER_UNREACHABLE) {
		command_print("warning: a server of the cluster cannot be reached; nodes whose rows lie there are missing below");
		server_skip_lost(server, true);
		return fleet_answer_take(server, db, table, query, diag);
	}

	if (status != CSC_OK) {
		*diag = refused;
	}
	return status;
}

static bool is_wanted(const char *answer, const char *name)
{
	return !name || strcmp(answer, name) == 0;
}

static enum csc_status fetch_all(struct server *server, sqlite3 *db, const char *name,
		enum fleet_format format, struct diag *diag)
{
	enum csc_status status = fetch(server, db, "coverage", true, diag);

	if (status == CSC_OK) {
		status = database_run(db,
				sqlite3_mprintf("ALTER TABLE fleet_coverage ADD COLUMN is_whole INTEGER DEFAULT %d",
						!server_is_skipping_lost(server)),
				diag);
	}
	if (status == CSC_OK) {
		status = fleet_answer_take(server, db, "doc", "SELECT * FROM fleet_doc", diag);
	}
	if (status == CSC_OK) {
		status = database_run(db, sqlite3_mprintf("INSERT INTO view_doc SELECT * FROM doc"),
				diag);
	}

	for (int i = 0; fleet_answers[i] && status == CSC_OK; i++) {
		if (is_wanted(fleet_answers[i], name)) {
			status = fetch(server, db, fleet_answers[i], false, diag);
		}
	}
	if (format == FLEET_HTML && status == CSC_OK) {
		status = fleet_page_fetch(server, db, diag);
	}

	return status;
}

/* "Of 1,000 known nodes 998 reported ...": a text that the caller frees by sqlite3_free(). */
static char *describe_coverage(sqlite3 *db)
{
	sqlite3_stmt *row = NULL;
	struct diag ignored = { 0 };
	char *text = NULL;

	if (database_prepare(db,
			    sqlite3_mprintf("SELECT nodes_known, nodes_seen, nodes_with_blocks, is_whole, nodes_with_hours FROM fleet_coverage"),
			    &row, &ignored) == CSC_OK &&
			sqlite3_step(row) == SQLITE_ROW) {
		text = sqlite3_mprintf(
				"%sf %,lld known nodes %,lld reported in the last 7 days; blocks are known of %,lld, and 30 hours of one life, in which a leak shows, of %,lld.",
				sqlite3_column_int(row, 3)
						? "O"
						: "Some servers of the cluster cannot be reached. On the others: o",
				sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1),
				sqlite3_column_int64(row, 2), sqlite3_column_int64(row, 4));
	}

	(void)sqlite3_finalize(row);
	return text;
}

/* "2 releases leak (14 lives), 4 nodes fragment, flags would save 1.6 GiB.": freed the same way. */
static char *describe_findings(sqlite3 *db)
{
	static const char sql[] =
			"WITH part(number, text) AS ("
			"SELECT 1, format('%,d release%s (%,d li%s)', count(DISTINCT app || char(0) || release), "
			"iif(count(DISTINCT app || char(0) || release) = 1, ' leaks', 's leak'), sum(lives), iif(sum(lives) = 1, 'fe', 'ves')) "
			"FROM fleet_leak HAVING count(*) > 0 "
			"UNION ALL SELECT 2, format('%,d node%s', count(DISTINCT node), iif(count(DISTINCT node) = 1, ' fragments', 's fragment')) "
			"FROM fleet_fragmenting HAVING count(*) > 0 "
			"UNION ALL SELECT 3, format('flags would save %.1f GiB', sum(most) / 1073741824.0) FROM "
			"(SELECT max(saving_bytes) AS most FROM fleet_saving GROUP BY app) WHERE most > 0 HAVING sum(most) >= 53687092 "
			"UNION ALL SELECT 4, format('%,d node%s silent', count(*), iif(count(*) = 1, ' is', 's are')) FROM fleet_silent HAVING count(*) > 0) "
			"SELECT ifnull((SELECT group_concat(text, ', ') FROM (SELECT text FROM part ORDER BY number)), 'No release leaks, no node fragments') || '.'";
	sqlite3_stmt *row = NULL;
	struct diag ignored = { 0 };
	char *text = NULL;

	if (database_prepare(db, sqlite3_mprintf("%s", sql), &row, &ignored) == CSC_OK &&
			sqlite3_step(row) == SQLITE_ROW) {
		text = sqlite3_mprintf("%s", database_text(row, 0));
	}
	(void)sqlite3_finalize(row);
	return text;
}

/* The sentence about a view; valid until the database closes, as it is copied by the caller. */
static enum csc_status print_meaning(FILE *stream, sqlite3 *db, const char *view,
		void (*put)(FILE *stream, const char *text), struct diag *diag)
{
	sqlite3_stmt *row = NULL;
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("SELECT meaning FROM view_doc WHERE view = %Q AND column = ''",
					view),
			&row, diag);

	if (status == CSC_OK && sqlite3_step(row) == SQLITE_ROW) {
		put(stream, database_text(row, 0));
	}

	(void)sqlite3_finalize(row);
	return status;
}

static void put_line(FILE *stream, const char *text)
{
	visible_print(stream, text, VISIBLE_CELL);
	fputc('\n', stream);
}

static enum csc_status print_rows(FILE *stream, sqlite3 *db, const char *view,
		enum fleet_format format, struct diag *diag)
{
	const struct table_style style = { .view = view };
	sqlite3_stmt *rows = NULL;
	/* A file of CSV has no other place to say that a server is missing. */
	const char *sql = format == FLEET_TEXT
			? "SELECT * FROM \"%w\""
			: "SELECT v.*, c.is_whole FROM \"%w\" AS v, fleet_coverage AS c";
	enum csc_status status = database_prepare(db, sqlite3_mprintf(sql, view), &rows, diag);

	if (status == CSC_OK) {
		status = format == FLEET_TEXT ? table_print_text(stream, db, rows, &style, diag)
					      : table_print_csv(stream, db, rows, false, diag);
	}

	(void)sqlite3_finalize(rows);
	return status;
}

/* A leak is a sentence. */
static bool has_sentences(const char *view)
{
	return strcmp(view, "fleet_leak") == 0;
}

static enum csc_status print_sentences(FILE *stream, sqlite3 *db, const char *view,
		void (*put)(FILE *stream, const char *text), struct diag *diag)
{
	sqlite3_stmt *row = NULL;
	bool is_empty = true;
	int result = SQLITE_DONE;
	enum csc_status status = database_prepare(
			db, sqlite3_mprintf("SELECT sentence FROM \"%w\"", view), &row, diag);

	while (status == CSC_OK && (result = sqlite3_step(row)) == SQLITE_ROW) {
		put(stream, database_text(row, 0));
		is_empty = false;
	}
	if (is_empty) {
		put(stream, "None.");
	}

	status = status == CSC_OK ? database_check(db, result, diag) : status;
	(void)sqlite3_finalize(row);
	return status;
}

static enum csc_status print_text(FILE *stream, sqlite3 *db, const char *view, struct diag *diag)
{
	enum csc_status status = print_meaning(stream, db, view, put_line, diag);

	if (status != CSC_OK) {
		return status;
	}
	return has_sentences(view) ? print_sentences(stream, db, view, put_line, diag)
				   : print_rows(stream, db, view, FLEET_TEXT, diag);
}

/* {"coverage": [{...}], "leak": [{...}, ...], ...}. */
static void put_value(struct json_writer *json, sqlite3_stmt *row, int column)
{
	switch (sqlite3_column_type(row, column)) {
	case SQLITE_NULL:
		json_text(json, NULL);
		break;
	case SQLITE_INTEGER:
		json_integer(json, sqlite3_column_int64(row, column));
		break;
	case SQLITE_FLOAT:
		json_number(json, sqlite3_column_double(row, column));
		break;
	default:
		json_text(json, database_text(row, column));
		break;
	}
}

static enum csc_status print_json(
		struct json_writer *json, sqlite3 *db, const char *view, struct diag *diag)
{
	sqlite3_stmt *row = NULL;
	int result = SQLITE_DONE;
	enum csc_status status = database_prepare(
			db, sqlite3_mprintf("SELECT * FROM \"%w\"", view), &row, diag);

	json_break(json);
	json_key(json, view + strlen("fleet_"));
	json_open(json, '[');
	while (status == CSC_OK && (result = sqlite3_step(row)) == SQLITE_ROW) {
		json_break(json);
		json_open(json, '{');
		for (int i = 0; i < sqlite3_column_count(row); i++) {
			json_key(json, sqlite3_column_name(row, i));
			put_value(json, row, i);
		}
		json_close(json, '}');
	}

	json_close(json, ']');
	status = status == CSC_OK ? database_check(db, result, diag) : status;
	(void)sqlite3_finalize(row);
	return status;
}

static void put_paragraph(FILE *stream, const char *text)
{
	fputs("<p>", stream);
	html_text(stream, text);
	fputs("</p>\n", stream);
}

/* An answer's name in words. */
static const char *title_of(const char *answer)
{
	static const char *const titles[][2] = {
		{ "fragmenting", "Nodes that fragment" },
		{ "leak", "Releases that leak" },
		{ "use", "Memory by application and release" },
		{ "release", "Each release against the one before" },
		{ "saving", "What flags would save" },
		{ "holder", "Who holds memory" },
		{ "silent", "Nodes that went silent" },
	};

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++) {
		if (strcmp(answer, titles[i][0]) == 0) {
			return titles[i][1];
		}
	}

	return answer;
}

static enum csc_status print_html(
		FILE *stream, sqlite3 *db, const char *answer, const char *view, struct diag *diag)
{
	enum csc_status status;

	(void)fprintf(stream, "<section>\n<h2>%s</h2>\n", title_of(answer));
	status = print_meaning(stream, db, view, put_paragraph, diag);
	if (status == CSC_OK) {
		status = has_sentences(view)
				? print_sentences(stream, db, view, put_paragraph, diag)
				: fleet_page_answer(stream, db, answer, view, diag);
	}

	fputs("</section>\n", stream);
	return status;
}

static enum csc_status print_one(FILE *stream, struct json_writer *json, sqlite3 *db,
		const char *answer, enum fleet_format format, struct diag *diag)
{
	char view[64];

	(void)snprintf(view, sizeof(view), "fleet_%s", answer);
	switch (format) {
	case FLEET_TEXT:
		return print_text(stream, db, view, diag);
	case FLEET_CSV:
		return print_rows(stream, db, view, FLEET_CSV, diag);
	case FLEET_JSON:
		return print_json(json, db, view, diag);
	case FLEET_HTML:
		break;
	}

	return print_html(stream, db, answer, view, diag);
}

static enum csc_status print_all(FILE *stream, sqlite3 *db, const char *address, const char *name,
		enum fleet_format format, const char *coverage, struct diag *diag)
{
	struct json_writer json = { .stream = stream };
	char *findings = name ? NULL : describe_findings(db);
	enum csc_status status = CSC_OK;

	if (format == FLEET_TEXT && findings) {
		(void)fprintf(stream, "%s\n\n", findings);
	}
	if (format == FLEET_CSV) {
		command_print("%s", coverage);
	} else if (format == FLEET_HTML) {
		fleet_page_begin(stream, address, findings ? findings : "The fleet", coverage);
		status = name ? CSC_OK : fleet_page_strips(stream, db, diag);
	} else if (format == FLEET_JSON) {
		json_open(&json, '{');
		status = print_json(&json, db, "fleet_coverage", diag);
	}

	for (int i = 0; fleet_answers[i] && status == CSC_OK; i++) {
		if (!is_wanted(fleet_answers[i], name)) {
			continue;
		}
		status = print_one(stream, &json, db, fleet_answers[i], format, diag);
		if (format == FLEET_TEXT) {
			(void)fprintf(stream, "%s\n%s", coverage, name ? "" : "\n");
		}
	}

	if (format == FLEET_HTML && status == CSC_OK) {
		status = fleet_page_end(stream, db, diag);
	} else if (format == FLEET_JSON) {
		json_close_line(&json, '}');
	}

	sqlite3_free(findings);
	return status;
}

enum csc_status fleet_report_print(FILE *stream, struct server *server, const char *name,
		enum fleet_format format, struct diag *diag)
{
	sqlite3 *db = NULL;
	char *coverage = NULL;
	enum csc_status status = fleet_answer_open(&db, diag);

	if (status == CSC_OK) {
		status = fetch_all(server, db, name, format, diag);
	}
	if (status == CSC_OK) {
		coverage = describe_coverage(db);
		status = coverage ? print_all(stream, db, server_address(server), name, format,
						    coverage, diag)
				  : DIAG_NO_MEMORY(diag);
	}

	sqlite3_free(coverage);
	(void)sqlite3_close(db);
	return status;
}
