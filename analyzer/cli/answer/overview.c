/*
 * SPDX-License-Identifier: MIT
 *
 * Paragraphs, bars and a curve of characters.
 */
#include "overview.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "database.h"
#include "table.h"
#include "topics.h"
#include "visible.h"

/* CURVE_MOMENTS: footprint_plot has so many of each source. */
enum { WIDTH = 80, CURVE = 64, CURVE_MOMENTS = 100 };

/* Writes a text in lines of at most WIDTH columns, each after `indent` spaces. */
static void print_wrapped(FILE *stream, int indent, const char *text)
{
	char *shown = visible_copy(text, VISIBLE_CELL);
	int column = 0;

	text = shown ? shown : "";
	while (*text) {
		size_t length = strcspn(text, " ");
		char word[WIDTH * 4 + 1];
		int width;

		(void)snprintf(word, sizeof(word), "%.*s", (int)length, text);
		width = cell_width(word);
		if (column > 0 && column + 1 + width > WIDTH) {
			fputc('\n', stream);
			column = 0;
		}

		if (column == 0) {
			(void)fprintf(stream, "%*s%s", indent, "", word);
			column = indent + width;
		} else {
			(void)fprintf(stream, " %s", word);
			column += 1 + width;
		}

		text += length;
		text += strspn(text, " ");
	}

	fputc('\n', stream);
	free(shown);
}

/* A label and a text beside it. */
static void print_item(FILE *stream, const char *label, const char *text)
{
	char *line = NULL;

	if (text && *text && asprintf(&line, "%s %s", label, text) >= 0) {
		print_wrapped(stream, 6, line);
		free(line);
	}
}

static const char *text_of(sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	return text ? text : "";
}

/* Runs a query and has each row printed below a heading, or the sentence if there is none. */
static enum csc_status print_rows_or(FILE *stream, sqlite3 *db, const char *heading, char *sql,
		void (*print_row)(FILE *stream, sqlite3_stmt *row), const char *sentence,
		struct diag *diag)
{
	bool is_empty = true;
	sqlite3_stmt *rows = NULL;
	int result = SQLITE_DONE;
	enum csc_status status = database_prepare(db, sql, &rows, diag);

	if (status != CSC_OK) {
		return status;
	}

	while (!ferror(stream) && (result = sqlite3_step(rows)) == SQLITE_ROW) {
		if (is_empty) {
			fputs(heading, stream);
		}
		print_row(stream, rows);
		is_empty = false;
	}

	status = ferror(stream) ? CSC_OK : database_check(db, result, diag);
	if (status == CSC_OK && is_empty) {
		fputs(sentence, stream);
	}
	(void)sqlite3_finalize(rows);
	return status;
}

static enum csc_status print_rows(FILE *stream, sqlite3 *db, const char *heading, char *sql,
		void (*print_row)(FILE *stream, sqlite3_stmt *row), struct diag *diag)
{
	return print_rows_or(stream, db, heading, sql, print_row, "", diag);
}

static void print_verdict(FILE *stream, sqlite3_stmt *row)
{
	char *headline = visible_copy(text_of(row, 1), VISIBLE_CELL);

	fputc('\n', stream);
	visible_print(stream, text_of(row, 0), VISIBLE_CELL);
	fputs(": ", stream);
	for (const char *at = headline ? headline : ""; *at; at++) {
		fputc((unsigned char)*at < 0x80 ? toupper((unsigned char)*at) : *at, stream);
	}
	fputc('\n', stream);
	free(headline);
	if (*text_of(row, 4)) {
		print_wrapped(stream, 2, text_of(row, 4));
	}
	print_wrapped(stream, 2, text_of(row, 2));
	if (*text_of(row, 3)) {
		print_wrapped(stream, 2, text_of(row, 3));
	}
}

static void print_finding(FILE *stream, sqlite3_stmt *row)
{
	char *line = NULL;

	if (asprintf(&line, "%s (%s, %s): %s", text_of(row, 0), text_of(row, 1), text_of(row, 2),
			    text_of(row, 3)) >= 0) {
		print_wrapped(stream, 2, line);
		free(line);
	}

	print_item(stream, "try:", text_of(row, 4));
	print_item(stream, "next:", text_of(row, 5));
}

static void print_line(FILE *stream, sqlite3_stmt *row)
{
	print_wrapped(stream, 2, text_of(row, 0));
}

static void print_step(FILE *stream, sqlite3_stmt *row)
{
	char *line = NULL;

	/* Of several places, before its first step. */
	if (*text_of(row, 3)) {
		print_wrapped(stream, 0, text_of(row, 3));
	}
	if (asprintf(&line, "  %-35.35s %9s  %s", text_of(row, 0), text_of(row, 1),
			    text_of(row, 2)) >= 0) {
		visible_print(stream, line, VISIBLE_CELL);
		fputc('\n', stream);
		free(line);
	}
	/* After the last step of a place. */
	if (*text_of(row, 4)) {
		print_wrapped(stream, 2, text_of(row, 4));
	}
}

/* The footprint of a source: the most in each stretch of time, which has at least one moment. */
struct curve {
	int64_t source;
	int64_t bytes[CURVE];
	size_t length;

	/* The stretch of the last moment. */
	int64_t stretch;
	char span_s[32];
};

static void add_moment(struct curve *curve, sqlite3_stmt *row)
{
	int64_t bytes = sqlite3_column_int64(row, 2);
	int64_t stretch = sqlite3_column_int(row, 1) * (int64_t)CURVE / CURVE_MOMENTS;

	if (curve->length == 0 || (stretch != curve->stretch && curve->length < CURVE)) {
		curve->source = sqlite3_column_int64(row, 0);
		curve->stretch = stretch;
		curve->bytes[curve->length++] = bytes;
	} else if (bytes > curve->bytes[curve->length - 1]) {
		curve->bytes[curve->length - 1] = bytes;
	}
	(void)snprintf(curve->span_s, sizeof(curve->span_s), "%s", text_of(row, 3));
}

/* One character for each stretch of time, higher is more. */
static void print_curve(FILE *stream, const struct curve *curve)
{
	static const char levels[] = ".:-=+*#%@";
	const int64_t steps = sizeof(levels) - 1;
	int64_t most = 1;

	for (size_t i = 0; i < curve->length; i++) {
		most = curve->bytes[i] > most ? curve->bytes[i] : most;
	}

	(void)fprintf(stream, "  source %lld: ", (long long)curve->source);
	visible_print(stream, curve->span_s, VISIBLE_CELL);
	fputs(" s\n  |", stream);
	for (size_t i = 0; i < curve->length; i++) {
		int64_t bytes = curve->bytes[i];
		int64_t level = bytes > INT64_MAX / steps ? bytes / (most / steps)
							  : bytes * steps / most;

		fputc(level <= 0 ? ' ' : levels[level > steps ? steps - 1 : level - 1], stream);
	}
	fputs("|\n", stream);
}

static enum csc_status print_curves(FILE *stream, sqlite3 *db, struct diag *diag)
{
	struct curve curve = { 0 };
	sqlite3_stmt *rows = NULL;
	int result = SQLITE_DONE;
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("SELECT source_id, i, footprint_bytes, format('%%.3f', elapsed_s) "
					"FROM footprint_plot ORDER BY source_id, i"),
			&rows, diag);

	while (status == CSC_OK && !ferror(stream) && (result = sqlite3_step(rows)) == SQLITE_ROW) {
		if (curve.length == 0) {
			fputs("\nCarriers in use over time, by their counters (without the pool)\n",
					stream);
		} else if (curve.source != sqlite3_column_int64(rows, 0)) {
			print_curve(stream, &curve);
			curve.length = 0;
		}
		add_moment(&curve, rows);
	}
	if (curve.length > 0) {
		print_curve(stream, &curve);
	}
	if (status == CSC_OK && !ferror(stream)) {
		status = database_check(db, result, diag);
	}
	(void)sqlite3_finalize(rows);
	return status;
}

/* Advice is a rule of thumb; where blocks were recorded one by one it can be tried. */
static enum csc_status print_trial(FILE *stream, sqlite3 *db, struct diag *diag)
{
	return print_rows(stream, db, "\n",
			sqlite3_mprintf("SELECT 'What flags would have saved is counted by replaying the recorded "
					"blocks with them: carrierscope advise FILE' "
					"WHERE EXISTS (SELECT 1 FROM block_event) "
					"AND EXISTS (SELECT 1 FROM name_type)"),
			print_line, diag);
}

/* The three that grew most, of the worst places first. */
static enum csc_status print_growers(FILE *stream, sqlite3 *db, struct diag *diag)
{
	const struct table_style style = { .view = "growth", .width = WIDTH };
	sqlite3_stmt *rows = NULL;
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("SELECT g.who, g.grown_bytes, CASE WHEN g.to_the_end THEN format('%%.2f to %%.2f %%s', g.bytes_per_s_low / u.unit, "
					"g.bytes_per_s_high / u.unit, u.name) WHEN g.to_the_end = 0 THEN 'over' ELSE 'not known' END AS rate "
					"FROM growth AS g JOIN answer AS a ON a.runtime_id = g.runtime_id AND a.snapshot_id IS NULL "
					"JOIN (SELECT 1048576.0 AS unit, 'MiB/s' AS name, 104858 AS least, 9e99 AS most UNION ALL SELECT 1024.0, 'KiB/s', 0, 104858) AS u "
					"ON ifnull(g.bytes_per_s_high, 0) >= u.least AND ifnull(g.bytes_per_s_high, 0) < u.most "
					"ORDER BY a.rank, g.rank LIMIT 3"),
			&rows, diag);

	if (status == CSC_OK) {
		fputs("\nWho grew\n", stream);
		status = table_print_text(stream, db, rows, &style, diag);
	}
	(void)sqlite3_finalize(rows);
	return status;
}

/* The most of all nodes, as report holders has them, of a snapshot or a dump that lists processes;
 * and what nobody has, where that is much. */
static enum csc_status print_holders(FILE *stream, sqlite3 *db, struct diag *diag)
{
	const struct table_style style = { .view = "report_holders", .width = WIDTH };
	sqlite3_stmt *rows = NULL;
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("SELECT EXISTS (SELECT 1 FROM snapshot_holders) OR EXISTS (SELECT 1 FROM process_sample), "
					"(SELECT count(DISTINCT ifnull(runtime_id, -snapshot_id)) > 1 FROM verdict WHERE level <> 'allocator')"),
			&rows, diag);
	bool has_holders = status == CSC_OK && sqlite3_step(rows) == SQLITE_ROW &&
			sqlite3_column_int(rows, 0);
	bool has_nodes = has_holders && sqlite3_column_int(rows, 1);

	(void)sqlite3_finalize(rows);
	if (!has_holders) {
		return status;
	}
	rows = NULL;
	if (status == CSC_OK) {
		status = database_prepare(db,
				sqlite3_mprintf("SELECT %s holder, type, mib, percent, quality FROM (SELECT *, "
						"row_number() OVER (ORDER BY kind = 'temporary', bytes DESC) AS rank "
						"FROM report_holders) WHERE rank <= 8 OR (kind = 'nobody' "
						"AND percent >= 100 * (SELECT value FROM finding_threshold WHERE name = 'holder_share') "
						"AND bytes >= (SELECT value FROM finding_threshold WHERE name = 'matter_bytes')) "
						"ORDER BY rank LIMIT 20",
						has_nodes ? "node," : ""),
				&rows, diag);
	}
	if (status == CSC_OK) {
		fputs("\nWho holds it\n", stream);
		status = table_print_text(stream, db, rows, &style, diag);
	}
	(void)sqlite3_finalize(rows);
	return status;
}

/* Who grew; of what is not wrong nobody asks who holds it then. */
static enum csc_status print_who(FILE *stream, sqlite3 *db, struct diag *diag)
{
	sqlite3_stmt *row = NULL;
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("SELECT EXISTS (SELECT 1 FROM growth), EXISTS (SELECT 1 FROM verdict WHERE level <> 'allocator' AND verdict <> 'normal')"),
			&row, diag);
	bool is_read = status == CSC_OK && sqlite3_step(row) == SQLITE_ROW;
	bool has_growth = is_read && sqlite3_column_int(row, 0);
	bool has_problem = is_read && sqlite3_column_int(row, 1);

	(void)sqlite3_finalize(row);
	if (status == CSC_OK && has_growth) {
		status = print_growers(stream, db, diag);
	}

	return status == CSC_OK && (!has_growth || has_problem) ? print_holders(stream, db, diag)
								: status;
}

/* A file's name as a shell takes it. */
static char *shell_word(const char *path)
{
	static const char plain[] =
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+@%:,=-";
	const char *folder = *path == '-' ? "./" : "";
	sqlite3_str *word = sqlite3_str_new(NULL);

	if (path[strspn(path, plain)] == '\0') {
		sqlite3_str_appendf(word, "%s%s", folder, path);
	} else {
		sqlite3_str_appendf(word, "'%s", folder);
		for (; *path; path++) {
			sqlite3_str_appendf(word, *path == '\'' ? "'\\''" : "%.1s", path);
		}
		sqlite3_str_appendall(word, "'");
	}

	return sqlite3_str_finish(word);
}

/* The first command of a text that needs nothing but FILE, up to that word; 0: there is none. */
static size_t find_command(const char **text)
{
	static const char program[] = "carrierscope ";
	static const char file[] = " FILE";

	for (const char *at = strstr(*text, program); at; at = strstr(at + 1, program)) {
		size_t length = 0;

		/* Words of small letters, as a report's name. */
		while (islower((unsigned char)at[length]) || at[length] == '_' ||
				(at[length] == ' ' && islower((unsigned char)at[length + 1]))) {
			length++;
		}
		if (strncmp(at + length, file, sizeof(file) - 1) == 0 &&
				!strchr("abcdefghijklmnopqrstuvwxyz-",
						at[length + sizeof(file) - 1]) &&
				strncmp(at + length + sizeof(file) - 1, " -", 2) != 0) {
			*text = at;
			return length;
		}
	}

	return 0;
}

/* Whether a command prints something; an empty report is no next step. */
static bool is_worth(sqlite3 *db, const char *command)
{
	static const char report[] = "carrierscope report ";
	size_t length = sizeof(report) - 1;

	return strncmp(command, report, length) != 0 || topics_has_rows(db, command + length);
}

/* Where no finding has a step. */
static const char *usual_next(sqlite3 *db)
{
	if (topics_has_rows(db, "holders")) {
		return "carrierscope report holders";
	}

	return topics_has_rows(db, "dump") ? "carrierscope report dump"
					   : "carrierscope report figures";
}

/* What to type next: the step of the worst finding that has a command for this file, or who holds
 * the memory. */
static enum csc_status print_next(FILE *stream, sqlite3 *db, const char *path, struct diag *diag)
{
	sqlite3_stmt *rows = NULL;
	char *file = shell_word(path);
	char *command = NULL;
	int result = SQLITE_DONE;
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("SELECT next_step FROM finding_next WHERE next_step IS NOT NULL "
					"ORDER BY rank, at_stake_bytes DESC LIMIT 20"),
			&rows, diag);

	while (status == CSC_OK && !command && (result = sqlite3_step(rows)) == SQLITE_ROW) {
		const char *text = text_of(rows, 0);
		size_t length = find_command(&text);

		if (length > 0) {
			command = sqlite3_mprintf("%.*s", (int)length, text);
		}
		if (command && !is_worth(db, command)) {
			sqlite3_free(command);
			command = NULL;
		}
	}

	(void)sqlite3_finalize(rows);
	if (status == CSC_OK && !command && result != SQLITE_ROW) {
		status = database_check(db, result, diag);
	}
	if (status == CSC_OK) {
		fputs("\nNext: ", stream);
		visible_print(stream, command ? command : usual_next(db), VISIBLE_CELL);
		fputc(' ', stream);
		visible_print(stream, file ? file : path, VISIBLE_CELL);
		fputc('\n', stream);
	}

	sqlite3_free(command);
	sqlite3_free(file);
	return status;
}

static enum csc_status print_reports(FILE *stream, sqlite3 *db, const char *path, struct diag *diag)
{
	fputs("\nReports with rows, for 'carrierscope report NAME FILE' (all: report --all FILE)\n",
			stream);
	topics_print(stream, db);
	return print_next(stream, db, path, diag);
}

enum csc_status overview_print(FILE *stream, sqlite3 *db, const char *path, struct diag *diag)
{
	enum csc_status status;

	visible_print(stream, path, VISIBLE_CELL);
	fputc('\n', stream);
	status = print_rows(stream, db, "",
			sqlite3_mprintf("SELECT coalesce(iif(snapshot_id IS NULL, NULL, "
					"ifnull(node || ', reading ', 'Reading ') || snapshot_id), "
					"node || ' (OS pid ' || vpid || ')', 'OS process ' || vpid, "
					"node, 'Source ' || source_id), headline, sentence, "
					"ltrim(iif(verdict = 'unknown', '', 'Figures: ' || confidence || ifnull('; ' || doubt, '') || '.') "
					"|| ifnull(' ' || scope, '')), "
					"iif(ending IS NULL, NULL, 'What ended it: ' || ending || '.') "
					"FROM verdict WHERE level <> 'allocator' "
					"ORDER BY ending IS NULL, verdict IN ('normal', 'unknown'), at_stake_bytes DESC, source_id, "
					"runtime_id, snapshot_id LIMIT 20"),
			print_verdict, diag);
	if (status == CSC_OK) {
		fputs("\nFindings (what would prove one wrong: carrierscope report findings FILE)\n",
				stream);
		status = print_rows_or(stream, db, "",
				sqlite3_mprintf("SELECT rule, severity, confidence, ifnull(place || ': ', '') || sentence, flag, shown_step FROM (SELECT *, "
						/* What is the same for several is there once. */
						"iif(lag(next_step) OVER worst IS next_step, NULL, next_step) AS shown_step FROM finding_next "
						"WINDOW worst AS (ORDER BY rank, at_stake_bytes DESC, source_id, runtime_id, "
						"snapshot_id, rule, allocator, instance) ORDER BY rank, at_stake_bytes DESC, "
						"source_id, runtime_id, snapshot_id, rule, allocator, instance LIMIT 20)"),
				print_finding,
				"  None: no rule has found anything in what was recorded.\n", diag);
	}
	if (status == CSC_OK) {
		status = print_rows(stream, db, "\nAlarms, of carrierscope keep\n",
				sqlite3_mprintf("SELECT format('%%s UTC, %%s: %%s is %%s, more than %%s%%s', "
						"time_utc, node, rule, value, more_than, ifnull(', in ' || process, '')) "
						"FROM report_alarms LIMIT 20"),
				print_line, diag);
	}
	if (status == CSC_OK) {
		status = print_trial(stream, db, diag);
	}
	if (status == CSC_OK) {
		status = print_who(stream, db, diag);
	}
	if (status == CSC_OK) {
		fputs("\nWhere the memory is, MiB\n", stream);
		status = print_rows_or(stream, db, "",
				sqlite3_mprintf("WITH w AS MATERIALIZED (SELECT *, row_number() OVER () AS number FROM report_waterfall) "
						"SELECT w.step, w.mib, w.bar, iif((SELECT count(*) > 1 FROM verdict WHERE level <> 'allocator') "
						"AND (lag(w.source) OVER steps IS NOT w.source OR lag(w.vpid) OVER steps IS NOT w.vpid), "
						"coalesce((SELECT n.name || ' (OS pid ' || w.vpid || ')' FROM runtime AS r JOIN node_name AS n ON n.runtime_id = r.id "
						"WHERE r.source_id = w.source AND r.vpid = w.vpid), 'OS process ' || w.vpid, "
						"'source ' || w.source), NULL), "
						"iif(lead(w.source) OVER steps IS NOT w.source OR lead(w.vpid) OVER steps IS NOT w.vpid, "
						"(SELECT 'Unknown in this recording: ' || group_concat(u.step, ', ') || '.' FROM w AS u "
						"WHERE u.mib = 'unknown' AND u.source = w.source AND u.vpid IS w.vpid), NULL) "
						"FROM w WHERE w.mib <> 'unknown' OR w.step = 'carriers' "
						"WINDOW steps AS (ORDER BY w.number) ORDER BY w.number LIMIT 60"),
				print_step, "  Unknown: no reading of memory was recorded.\n",
				diag);
	}
	if (status == CSC_OK) {
		status = print_curves(stream, db, diag);
	}

	return status == CSC_OK ? print_reports(stream, db, path, diag) : status;
}
