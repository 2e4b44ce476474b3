/*
 * SPDX-License-Identifier: MIT
 *
 * The page's marks and what is put there: texts and tables that can be read without
 * JavaScript, and rows of views, which the charts are drawn from.
 */
#include "page.h"

#include <string.h>

#include "answer_card.h"
#include "asset.h"
#include "database.h"
#include "html.h"
#include "judge.h"
#include "page_map.h"

/* A path without its folders. */
static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const struct figure {
	const char *name;
	const char *sql;
} figures[] = {
	{ "allocators",
			"SELECT source_id, runtime_id, snapshot_id, vpid, level, allocator, verdict, sentence, "
			"carriers_bytes, blocks_bytes, utilisation, pooled_bytes, at_stake_bytes, iif(level = 'runtime', node, NULL) AS node\n"
			"FROM verdict\nORDER BY source_id, runtime_id, snapshot_id, level DESC, carriers_bytes DESC" },
	{ "footprint",
			"SELECT source_id, runtime_id, vpid, allocator, max(begin_ns) - first_ns AS begin_ns, "
			"end_ns - first_ns AS end_ns, mbc_carriers_bytes, mbc_blocks_bytes, carriers_bytes, blocks_bytes, basis\n"
			"FROM page_level, page_time\nGROUP BY runtime_id, allocator, (begin_ns - first_ns) / slot_ns\n"
			"ORDER BY runtime_id, allocator, begin_ns" },
	{ "resident",
			"SELECT runtime_id, ts_ns - first_ns AS at_ns, bytes\nFROM snapshot_memory, page_time\n"
			"WHERE key = 'os_resident'\nORDER BY runtime_id, ts_ns LIMIT 5000" },
	{ "limit",
			"SELECT runtime_id, json ->> '$.limit.name' AS name, json ->> '$.limit.bytes' AS bytes\nFROM answer\n"
			"WHERE json ->> '$.limit.bytes' IS NOT NULL\nORDER BY runtime_id" },
	{ "live",
			"SELECT l.*, u.carriers_bytes\nFROM (SELECT source_id, runtime_id, vpid, allocator, max(begin_ns) - first_ns AS begin_ns, "
			"end_ns - first_ns AS end_ns, live_bytes, basis\n"
			"FROM page_live, page_time GROUP BY runtime_id, allocator, (begin_ns - first_ns) / slot_ns) AS l, page_time\n"
			/* When the level was recorded, which is seldom. */
			"LEFT JOIN (SELECT runtime_id, allocator, begin_ns, end_ns, carriers_bytes FROM page_level) AS u "
			"ON u.runtime_id = l.runtime_id AND u.allocator = l.allocator "
			"AND l.begin_ns >= u.begin_ns - first_ns AND l.begin_ns < u.end_ns - first_ns\n"
			"ORDER BY l.runtime_id, l.allocator, l.begin_ns" },
	{ "pool",
			"SELECT level, source_id, runtime_id, vpid, max(begin_ns) - first_ns AS begin_ns, "
			"end_ns - first_ns AS end_ns, pooled_carriers, pooled_bytes_min\n"
			"FROM pool_over_time, page_time\nWHERE level = 'runtime'\n"
			"GROUP BY runtime_id, (begin_ns - first_ns) / slot_ns\nORDER BY runtime_id, begin_ns" },
	{ "losses",
			"SELECT runtime_id, begin_ns - first_ns AS begin_ns, end_ns - first_ns AS end_ns\n"
			"FROM runtime_footprint, page_time\nWHERE touches_loss\nORDER BY runtime_id, begin_ns" },
	{ "marks",
			"SELECT runtime_id, vpid, ts_ns - first_ns AS at_ns, letter, kind, number, label\n"
			"FROM moment, page_time\nORDER BY runtime_id, at_ns, kind LIMIT 500" },
	{ "board",
			"SELECT source, runtime AS runtime_id, run, line, at_s, free_bytes, min(free_largest) AS free_largest\n"
			"FROM (SELECT *, row_number() OVER (PARTITION BY source, runtime ORDER BY run, line, at_s) AS n, "
			"count(*) OVER () AS readings FROM report_board_readings)\n"
			"GROUP BY source, runtime, run, n * 1000 / max(1000, readings)\nORDER BY source, runtime, n" },
	{ "board_failures",
			"SELECT source_id AS source, runtime_id, line, (ts_ns - first_ns) / 1e9 AS at_s, allocator, operation, type, "
			"size_bytes, free_bytes, free_largest\nFROM board_failure, page_time\nORDER BY source_id, runtime_id, line, ts_ns LIMIT 500" },
	{ "waterfall",
			"SELECT source_id, runtime_id, snapshot_id, vpid, allocator, step, name, kind, bytes, "
			"running_bytes, quality, meaning, bytes_bound\nFROM waterfall\n"
			"ORDER BY source_id, runtime_id, snapshot_id, allocator, step, size_to" },
	{ "instances",
			"SELECT source_id, runtime_id, vpid, allocator, instance, mbc_carriers, carriers_bytes, "
			"blocks_bytes, utilisation\nFROM utilisation_now_instance\n"
			"ORDER BY carriers_bytes DESC, allocator, instance LIMIT 2000" },
	{ "sizes",
			"SELECT source_id, runtime_id, vpid, allocator, size_from, size_to, max(begin_ns) - first_ns AS begin_ns, "
			"live_blocks, live_bytes\nFROM size_over_time, page_time\n"
			"GROUP BY runtime_id, allocator, size_from, (begin_ns - first_ns) / size_slot_ns\n"
			"ORDER BY runtime_id, allocator, size_from, begin_ns" },
	{ "thresholds",
			"SELECT DISTINCT runtime_id, allocator, name, CAST(value AS INTEGER) AS bytes\nFROM setting\n"
			"WHERE name IN ('sbct', 'smbcs', 'lmbcs') AND runtime_id IS NOT NULL AND length(value) < 13 AND value GLOB '[0-9]*'\n"
			"ORDER BY runtime_id, allocator, name, bytes LIMIT 500" },
	{ "ages",
			"SELECT source_id, runtime_id, vpid, allocator, kind, from_ns, to_ns, ends_if_shortest, "
			"ends_if_longest\nFROM carrier_lifetime\nORDER BY runtime_id, allocator, kind, from_ns" },
	{ "stacks",
			"SELECT runtime_id, moment, allocator, type, application, process, function, blocks, bytes\n"
			"FROM page_stack\nORDER BY moment, runtime_id, application, process, function, allocator, type" },
	{ "libraries",
			"SELECT DISTINCT runtime_id, function\nFROM stack_function\nWHERE is_library\n"
			"ORDER BY runtime_id, function" },
	{ "holders",
			"SELECT runtime_id, snapshot_id, allocator, type, kind, application, process, bytes, quality, basis\n"
			"FROM page_holder\nORDER BY runtime_id, snapshot_id, application, process, allocator, type" },
	{ "held",
			"SELECT runtime_id, ts_ns - first_ns AS at_ns, allocator, type, application, process, bytes\n"
			"FROM page_held, page_time\nORDER BY runtime_id, application, process, allocator, type, at_ns" },
	{ "changes",
			"SELECT runtime_id, end_ns - first_ns AS end_ns, allocator, type, application, process, made_blocks, made_bytes, "
			"ended_blocks, ended_bytes, kept_blocks, kept_bytes\n"
			"FROM page_change, page_time\nORDER BY runtime_id, application, process, allocator, type, end_ns" },
	{ "growers",
			"SELECT source_id, runtime_id, vpid, allocator, type, from_bytes, to_bytes, growth_bytes, blocks\n"
			"FROM growth_top\nORDER BY growth_bytes DESC LIMIT 500" },
	{ "sweep",
			"SELECT source_id, runtime_id, vpid, flags, is_advised, objective, objective_bytes, calls, "
			"copied_bytes, mappings, is_on_frontier\n"
			"FROM page_sweep\nORDER BY runtime_id, objective_bytes, flags LIMIT 1000" },
	{ "sweep_curve",
			"SELECT c.runtime_id, c.is_advised, c.ts_ns - first_ns AS begin_ns, "
			"lead(c.ts_ns, 1, s.last_ts_ns) OVER (PARTITION BY c.runtime_id, c.is_advised ORDER BY c.ts_ns) - first_ns "
			"AS end_ns, c.carriers_bytes\nFROM page_time, sweep_curve AS c\n"
			"JOIN runtime AS r ON r.id = c.runtime_id\nJOIN source AS s ON s.id = r.source_id\n"
			"ORDER BY c.runtime_id, c.is_advised, c.ts_ns" },
};

/* What of an old recording is drawn beside the new one. */
static bool is_compared(const char *figure)
{
	static const char *const compared[] = { "allocators", "footprint", "live", "holders",
		"stacks" };

	for (size_t i = 0; i < sizeof(compared) / sizeof(compared[0]); i++) {
		if (strcmp(figure, compared[i]) == 0) {
			return true;
		}
	}

	return false;
}

/* `path`: NULL for an old recording. */
static enum csc_status put_figures(
		struct json_writer *json, sqlite3 *db, const char *path, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	json_key(json, "figures");
	json_open(json, '{');
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]) && status == CSC_OK; i++) {
		if (path || is_compared(figures[i].name)) {
			json_break(json);
			json_key(json, figures[i].name);
			status = html_figure(json, db, figures[i].sql, NULL, diag);
		}
	}
	if (path && status == CSC_OK) {
		status = page_map_put(json, db, path, diag);
	}
	json_close(json, '}');
	return status;
}

static enum csc_status put_data(FILE *stream, sqlite3 *db, const char *path,
		const struct page_old *old, struct diag *diag)
{
	struct json_writer json = { .stream = stream };
	enum csc_status status;

	json_open(&json, '{');
	status = put_figures(&json, db, path, diag);
	if (status == CSC_OK && old) {
		json_break(&json);
		json_key(&json, "old");
		json_open(&json, '{');
		json_key(&json, "name");
		json_text(&json, name_of(old->path));
		status = put_figures(&json, old->db, NULL, diag);
		json_close(&json, '}');
	}
	json_close(&json, '}');
	return status;
}

/* Text of a column of the current row between two pieces of markup; nothing if it is NULL. */
static void put(FILE *stream, const char *before, sqlite3_stmt *row, int column, const char *after)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	if (text && *text) {
		fputs(before, stream);
		html_text(stream, text);
		fputs(after, stream);
	}
}

/* Runs a query and has each row written; `empty` stands for none. */
static enum csc_status put_rows(FILE *stream, sqlite3 *db, const char *sql,
		void (*put_row)(FILE *stream, sqlite3_stmt *row), const char *empty,
		struct diag *diag)
{
	sqlite3_stmt *rows = NULL;
	bool is_empty = true;
	int result = SQLITE_DONE;
	enum csc_status status = database_prepare(db, sqlite3_mprintf("%s", sql), &rows, diag);

	if (status != CSC_OK) {
		return status;
	}

	while (!ferror(stream) && (result = sqlite3_step(rows)) == SQLITE_ROW) {
		put_row(stream, rows);
		is_empty = false;
	}

	if (is_empty) {
		fputs(empty, stream);
	}

	status = ferror(stream) ? CSC_OK : database_check(db, result, diag);
	(void)sqlite3_finalize(rows);
	return status;
}

/* Words of a verdict that are also names of styles. */
static const char *style_of(const char *verdict)
{
	static const char *const styles[] = { "leak", "outside", "fragmentation", "pooled", "peak",
		"normal" };

	for (size_t i = 0; verdict && i < sizeof(styles) / sizeof(styles[0]); i++) {
		if (strncmp(verdict, styles[i], strlen(styles[i])) == 0) {
			return styles[i];
		}
	}

	return "unknown";
}

static void put_verdict(FILE *stream, sqlite3_stmt *row)
{
	(void)fprintf(stream, "<div class=\"verdict %s\"><h2>",
			style_of((const char *)sqlite3_column_text(row, 0)));
	put(stream, "", row, 1, "");
	put(stream, " in ", row, 2, "");
	put(stream, " &ndash; ", row, 3, "");
	fputs("</h2>\n", stream);
	put(stream, "<p>", row, 4, "</p>\n");
	put(stream, "<p class=\"limit\">", row, 5, "</p>\n");
}

static void put_other_verdict(FILE *stream, sqlite3_stmt *row)
{
	put_verdict(stream, row);
	put(stream, "<p class=\"doubt\">Figures: ", row, 6, "</p>\n");
	fputs("</div>\n", stream);
}

/* The worst place with all of its answer, then the others. */
static enum csc_status put_verdicts(FILE *stream, sqlite3 *db, const char *path, struct diag *diag)
{
	static const char sql[] =
			"SELECT iif(headline LIKE 'out of memory%' OR headline LIKE 'died%', 'leak', verdict), "
			"upper(substr(headline, 1, 1)) || substr(headline, 2), "
			"iif(verdict = 'normal', NULL, allocator), "
			"iif((SELECT count(*) FROM verdict AS o WHERE o.level <> 'allocator') > 1, "
			"coalesce('reading ' || snapshot_id, node || ' (OS pid ' || vpid || ')', 'OS process ' || vpid, "
			"'source ' || source_id), NULL), "
			"ifnull('What ended it: ' || ending || '. ', '') || sentence, "
			"saving_sentence, "
			"iif(verdict = 'unknown', NULL, confidence || ifnull('; ' || doubt, '')) "
			"FROM verdict WHERE level <> 'allocator' "
			"ORDER BY ending IS NULL, verdict IN ('normal', 'unknown'), at_stake_bytes DESC, source_id, "
			"runtime_id, snapshot_id LIMIT ";
	char *first = sqlite3_mprintf("%s1", sql);
	char *others = sqlite3_mprintf("%s-1 OFFSET 1", sql);
	enum csc_status status = first && others ? CSC_OK : DIAG_NO_MEMORY(diag);

	if (status == CSC_OK) {
		status = put_rows(stream, db, first, put_verdict,
				"<div class=\"verdict unknown\"><h2>Nothing was loaded</h2>\n",
				diag);
	}
	if (status == CSC_OK) {
		status = answer_card_print(stream, db, path, diag);
		fputs("</div>\n", stream);
	}
	if (status == CSC_OK) {
		status = put_rows(stream, db, others, put_other_verdict, "", diag);
	}
	sqlite3_free(first);
	sqlite3_free(others);
	return status;
}

static void put_finding(FILE *stream, sqlite3_stmt *row)
{
	fputs("<details class=\"finding\"><summary><h3>", stream);
	/* A severity is one of four words, or the database is not ours: then it is no style. */
	(void)fprintf(stream, "<span class=\"tag %s\">",
			sqlite3_column_int(row, 8) == 0			  ? "critical"
					: sqlite3_column_int(row, 8) == 1 ? "warning"
					: sqlite3_column_int(row, 8) == 2 ? "advice"
									  : "info");
	put(stream, "", row, 0, " ");
	put(stream, "", row, 1, "</span>");
	put(stream, "", row, 2, "");
	put(stream, "</h3> <span>", row, 3, "</span>");
	fputs("</summary>\n<dl>", stream);
	put(stream, "<dt>Try</dt><dd><code>", row, 4, "</code></dd>");
	put(stream, "<dt>Next</dt><dd>", row, 10, ".</dd>");
	put(stream, "<dt>Wrong if</dt><dd>", row, 5, "</dd>");
	put(stream, "<dt>Basis</dt><dd>", row, 6, "</dd>");
	put(stream, "<dt>Figures</dt><dd>", row, 7, "</dd>");
	put(stream, "<dt>Evidence</dt><dd><details><summary>SQL</summary><pre>", row, 9,
			"</pre></details></dd>");
	fputs("</dl></details>\n", stream);
}

static enum csc_status put_findings(FILE *stream, sqlite3 *db, struct diag *diag)
{
	return put_rows(stream, db,
			"SELECT rule, severity, title || ifnull(' – ' || place, ''), sentence, flag, falsify, basis, "
			"confidence || iif(source_lost_events <> 0, format('; %d events were lost', source_lost_events), ''), "
			"rank, evidence, iif(next_step LIKE 'Nothing%', NULL, rtrim(next_step, '.')) FROM finding_next "
			"ORDER BY rank, at_stake_bytes DESC, source_id, runtime_id, snapshot_id, rule, allocator LIMIT 200",
			put_finding,
			"<p class=\"note\">No rule found anything. Where the verdict is unknown, it says what to record.</p>\n",
			diag);
}

static void put_text(FILE *stream, sqlite3_stmt *row)
{
	put(stream, "", row, 0, "");
}

static enum csc_status put_about(FILE *stream, sqlite3 *db, struct diag *diag)
{
	return put_rows(stream, db,
			"SELECT iif(sum(events) > 0, format('%,d events of %.3f seconds, from %s UTC', "
			"sum(events), (max(last_ts_ns) - min(first_ts_ns)) / 1e9, "
			"strftime('%Y-%m-%d %H:%M:%S', min(first_ts_ns) / 1000000000, 'unixepoch')), "
			"replace(group_concat(DISTINCT kind), '_', ' ') || ifnull(strftime(', of %Y-%m-%d %H:%M:%S UTC', "
			"min(first_ts_ns) / 1000000000, 'unixepoch'), '')) FROM source",
			put_text, "", diag);
}

/* What the browser shows of it among others: the node, when and what; then the file. */
static enum csc_status put_tab(FILE *stream, sqlite3 *db, const char *name, struct diag *diag)
{
	enum csc_status status = put_rows(stream, db,
			"SELECT format('%s: %s, %s UTC – ', ifnull(json ->> '$.node', json ->> '$.place'), json ->> '$.headline', "
			"replace(rtrim(json ->> '$.time', 'Z'), 'T', ' ')) FROM answer WHERE rank = 1 AND json ->> '$.time' IS NOT NULL",
			put_text, "", diag);

	html_text(stream, name);
	return status;
}

/* A table that stands at a mark. */
static const struct table_mark {
	const char *mark;
	const char *view;
	const char *sql;
} tables[] = {
	{ "waterfall", "waterfall",
			"SELECT vpid, name, kind, bytes, running_bytes, quality, meaning FROM waterfall "
			"WHERE allocator IS NULL ORDER BY source_id, runtime_id, snapshot_id, step, size_to" },
	{ "allocators", "verdict",
			"SELECT vpid, allocator, verdict, carriers_bytes, blocks_bytes, utilisation, pooled_bytes, "
			"peak_bytes, confidence FROM verdict WHERE level = 'allocator' "
			"ORDER BY source_id, runtime_id, snapshot_id, carriers_bytes DESC, allocator" },
	{ "holders", "report_holders",
			"SELECT node, holder, allocator, type, bytes, percent, quality, basis FROM (SELECT *, "
			"row_number() OVER (PARTITION BY node ORDER BY kind = 'temporary' DESC, bytes DESC, holder) AS n FROM report_holders) "
			"WHERE n <= 20 ORDER BY node, n" },
	{ "settings", "setting",
			"SELECT vpid, allocator, instance, name, value FROM setting "
			"ORDER BY source_id, runtime_id, snapshot_id, allocator, instance, name LIMIT 3000" },
	{ "summary", "report_summary", "SELECT * FROM report_summary" },
	{ "glossary", "glossary", "SELECT term, meaning FROM glossary ORDER BY term" },
};

/* Whether a query has a row. */
static enum csc_status has_row(sqlite3 *db, const char *sql, bool *ret_has, struct diag *diag)
{
	sqlite3_stmt *row = NULL;
	enum csc_status status = database_prepare(db, sqlite3_mprintf("%s", sql), &row, diag);

	*ret_has = status == CSC_OK && sqlite3_step(row) == SQLITE_ROW;
	(void)sqlite3_finalize(row);
	return status;
}

/* A section of its own, when a source has the heap of a board. */
static enum csc_status put_board(FILE *stream, sqlite3 *db, struct diag *diag)
{
	bool has_board;
	enum csc_status status =
			has_row(db, "SELECT 1 FROM heap_reading LIMIT 1", &has_board, diag);

	if (!has_board || status != CSC_OK) {
		return status;
	}

	fputs("<section>\n<h2>The board</h2>\n", stream);
	status = html_table(stream, db, "SELECT * FROM report_board", "report_board", diag);
	if (status == CSC_OK) {
		status = html_table(stream, db, "SELECT * FROM report_board_readings LIMIT 500",
				"report_board_readings", diag);
	}
	fputs("</section>\n", stream);
	return status;
}

/* A section of its own, when a keeper's rule held. */
static enum csc_status put_alarms(FILE *stream, sqlite3 *db, struct diag *diag)
{
	bool has_alarm;
	enum csc_status status = has_row(db, "SELECT 1 FROM node_alarm LIMIT 1", &has_alarm, diag);

	if (!has_alarm || status != CSC_OK) {
		return status;
	}

	fputs("<section id=\"alarms\">\n<h2>Alarms</h2>\n<p class=\"why\">Rules of <code>carrierscope keep</code> that held. "
	      "They stand as A at the first curve.</p>\n",
			stream);
	status = html_table(stream, db,
			"SELECT node, time_utc, rule, value, more_than, process, kept, verdict "
			"FROM report_alarms LIMIT 500",
			"report_alarms", diag);
	fputs("</section>\n", stream);
	return status;
}

/* What `carrierscope advise` has found, when it has searched. */
static enum csc_status put_sweep(FILE *stream, sqlite3 *db, struct diag *diag)
{
	bool has_sweep;
	enum csc_status status =
			has_row(db, "SELECT 1 FROM sweep_result LIMIT 1", &has_sweep, diag);

	if (!has_sweep || status != CSC_OK) {
		return status;
	}

	fputs("<section data-of=\"all\">\n<h2>Flags that were tried</h2>\n"
	      "<p class=\"why\">What other flags would have made of this recording, by replays of its blocks "
	      "(<code>carrierscope advise</code>). Down and to the left is better.</p>\n"
	      "<div class=\"figure\" data-bars=\"sweep\" data-figure=\"sweep\" data-of=\"whole\">"
	      "<h3>Memory and what it costs</h3></div>\n"
	      "<div class=\"figure\" data-curve=\"sweep\" data-figure=\"sweep_curve\" data-of=\"whole\">"
	      "<h3>Carriers over time, as recorded and with the advised flags</h3></div>\n"
	      "<details open><summary>As a table: the 40 with least memory, and what is advised</summary>\n",
			stream);
	status = html_table(stream, db,
			"SELECT flags, advised, peak_mib, peak_mib_min, peak_mib_max, end_mib, average_mib, calls, "
			"copied_mib, mappings FROM (SELECT *, row_number() OVER (PARTITION BY vpid ORDER BY peak_mib) "
			"AS n FROM report_sweep) WHERE n <= 40 OR advised = 'yes' OR flags = '' ORDER BY vpid, n",
			"report_sweep", diag);
	fputs("</details>\n</section>\n", stream);
	return status;
}

/* What differs from an old recording; nothing on the page of one. */
static enum csc_status put_old(FILE *stream, const struct page_old *old, struct diag *diag)
{
	enum csc_status status;

	if (!old) {
		return CSC_OK;
	}

	fputs("<section id=\"compared\">\n<h2>Compared with ", stream);
	html_text(stream, name_of(old->path));
	fputs("</h2>\n<p class=\"why\">The verdict of the old recording, and what differs by more than noise. "
	      "All else on this page is of the new one.</p>\n",
			stream);
	status = put_verdicts(stream, old->db, name_of(old->path), diag);
	fputs(*old->differences ? old->differences
				: "<p class=\"note\">No metric differs by more than noise.</p>\n",
			stream);
	fputs("<div class=\"figure\" data-bars=\"compared\" data-figure=\"holders\"><h3>Holders that changed "
	      "most</h3></div>\n",
			stream);
	fputs(old->holders, stream);
	fputs("</section>\n", stream);
	return status;
}

/* What is put at the marks. */
struct page {
	sqlite3 *db;
	const char *path;

	/* NULL: a page of one recording. */
	const struct page_old *old;
};

static enum csc_status put_mark(FILE *stream, const struct page *page, const char *mark,
		size_t length, struct diag *diag)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (strlen(tables[i].mark) == length &&
				strncmp(tables[i].mark, mark, length) == 0) {
			return html_table(stream, page->db, tables[i].sql, tables[i].view, diag);
		}
	}

	if (strncmp(mark, "title", length) == 0) {
		html_text(stream, name_of(page->path));
		return CSC_OK;
	}
	if (strncmp(mark, "tab", length) == 0) {
		return put_tab(stream, page->db, name_of(page->path), diag);
	}
	if (strncmp(mark, "about", length) == 0) {
		return put_about(stream, page->db, diag);
	}
	if (strncmp(mark, "verdict", length) == 0) {
		if (page->old) {
			fputs("<p class=\"become\">", stream);
			html_text(stream, page->old->sentence);
			fputs("</p>\n", stream);
		}
		return put_verdicts(stream, page->db, name_of(page->path), diag);
	}
	if (strncmp(mark, "findings", length) == 0) {
		return put_findings(stream, page->db, diag);
	}
	if (strncmp(mark, "old", length) == 0) {
		return put_old(stream, page->old, diag);
	}
	if (strncmp(mark, "alarms", length) == 0) {
		return put_alarms(stream, page->db, diag);
	}
	if (strncmp(mark, "board", length) == 0) {
		return put_board(stream, page->db, diag);
	}
	if (strncmp(mark, "sweep", length) == 0) {
		return put_sweep(stream, page->db, diag);
	}
	if (strncmp(mark, "data", length) == 0) {
		return put_data(stream, page->db, page->path, page->old, diag);
	}

	return CSC_OK;
}

enum csc_status page_check(struct diag *diag)
{
	return *page_asset ? CSC_OK : DIAG_FAIL(diag, "no HTML reports: %s", page_missing);
}

enum csc_status page_print(FILE *stream, sqlite3 *db, const char *path, const struct page_old *old,
		struct diag *diag)
{
	const struct page page = { db, path, old };
	static const char open[] = "<!--@";
	static const char close[] = "-->";
	const char *at = page_asset;
	enum csc_status status = CSC_OK;

	for (;;) {
		const char *mark = strstr(at, open);
		const char *end = mark ? strstr(mark, close) : NULL;

		if (!end || status != CSC_OK) {
			break;
		}

		(void)fwrite(at, 1, (size_t)(mark - at), stream);
		mark += strlen(open);
		status = put_mark(stream, &page, mark, (size_t)(end - mark), diag);
		at = end + strlen(close);
	}

	fputs(at, stream);
	return status;
}

enum csc_status page_prepare(sqlite3 *db, struct diag *diag)
{
	enum csc_status status = judge_prepare(db, NULL, diag);

	return status == CSC_OK ? judge_prepare(db, "page_change page_stack", diag) : status;
}
