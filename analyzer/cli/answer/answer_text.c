/*
 * SPDX-License-Identifier: MIT
 *
 * All figures are those of table `answer`, which the judge has stored.
 */
#include "answer_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "answer_interval.h"
#include "cell.h"
#include "database.h"
#include "fit.h"
#include "lines.h"
#include "next_command.h"
#include "topics.h"
#include "visible.h"

enum { USUAL_WIDTH = 80, LEAST_WIDTH = 20, MOST_LINES = 20, LISTED = 3, STRETCHES = 40 };

/* Parts in the order in which they are printed; the verdict is first or last. */
enum part {
	PART_PLACE,
	PART_MEMORY,
	PART_CURVE,
	PART_GREW,
	PART_HOLDS,
	PART_ALARM,
	PART_EVIDENCE,
	PART_UNKNOWN,
	PART_WRONG_IF,
	PART_OTHERS,
	PART_DO,
	PART_NEXT,
	PART_ALSO,
	PARTS,
};

/* The first of these are the last to be left out. */
static const enum part importance[PARTS] = {
	PART_DO,
	PART_MEMORY,
	PART_PLACE,
	PART_OTHERS,
	PART_NEXT,
	PART_GREW,
	PART_UNKNOWN,
	PART_HOLDS,
	PART_ALARM,
	PART_EVIDENCE,
	PART_CURVE,
	PART_ALSO,
	PART_WRONG_IF,
};

struct screen {
	sqlite3 *db;
	const struct answer_style *style;
	int width;
	struct lines parts[PARTS];
	struct lines verdict;

	/* A command for this file is among what to do. */
	bool has_next;
	bool can_try;
};

/* Runs a query and has each row put into the screen. */
static enum csc_status read_rows(struct screen *screen, char *sql,
		void (*add)(struct screen *screen, sqlite3_stmt *row), struct diag *diag)
{
	sqlite3_stmt *rows = NULL;
	int result = SQLITE_DONE;
	enum csc_status status = database_prepare(screen->db, sql, &rows, diag);

	while (status == CSC_OK && (result = sqlite3_step(rows)) == SQLITE_ROW) {
		add(screen, rows);
	}

	status = status == CSC_OK ? database_check(screen->db, result, diag) : status;
	(void)sqlite3_finalize(rows);
	return status;
}

static void add_line(struct screen *screen, enum part part, const char *label, const char *text)
{
	lines_add(&screen->parts[part], screen->width, label, text);
}

static void add_text(struct screen *screen, enum part part, size_t most, const char *label,
		const char *text)
{
	if (*text) {
		lines_wrap(&screen->parts[part], screen->width, most, label, text);
	}
}

/* headline, sentence, ending, place, time, evidence, what would prove it wrong */
static void add_verdict(struct screen *screen, sqlite3_stmt *row)
{
	static const char unknown[] = "Not known: ";
	const char *headline = database_text(row, 0);
	const char *sentence = database_text(row, 1);
	char *upper = strdup(headline);
	char *path = visible_copy(screen->style->path, VISIBLE_CELL);
	char *text;

	for (char *at = upper; at && *at; at++) {
		*at = (char)((unsigned char)*at < 0x80 ? toupper((unsigned char)*at) : *at);
	}
	/* Of an unknown one the headline says so. */
	text = sqlite3_mprintf("%s: %s", upper ? upper : headline,
			sentence +
					(strncmp(sentence, unknown, sizeof(unknown) - 1) == 0
									? sizeof(unknown) - 1
									: 0));
	lines_wrap(&screen->verdict, screen->width, 12, "", text ? text : "");
	sqlite3_free(text);
	free(upper);
	if (*database_text(row, 2)) {
		text = sqlite3_mprintf("What ended it: %s.", database_text(row, 2));
		lines_wrap(&screen->verdict, screen->width, 3, "", text ? text : "");
		sqlite3_free(text);
	}

	text = sqlite3_mprintf("%s%s%s", database_text(row, 3), *database_text(row, 4) ? ", " : "",
			database_text(row, 4));
	lines_add_pair(&screen->parts[PART_PLACE], screen->width, "", text ? text : "",
			path && cell_width(path) < screen->width / 2 ? path : "");
	free(path);
	sqlite3_free(text);
	add_text(screen, PART_EVIDENCE, 2, "Evidence", database_text(row, 5));
	add_text(screen, PART_WRONG_IF, 2, "Wrong if", database_text(row, 6));
}

/* name, low, likely, high: five figures in one or two lines */
static void add_memory(struct screen *screen, sqlite3_stmt *row)
{
	char *amount = answer_interval(row, 1, "");
	struct lines *lines = &screen->parts[PART_MEMORY];
	char *item = amount ? sqlite3_mprintf("%s %s", database_text(row, 0), amount) : NULL;
	char *last = lines->count > 0 ? lines->text[lines->count - 1] : NULL;
	char *joined = NULL;

	if (item && last && strlen(last) + 2 + strlen(item) <= (size_t)screen->width &&
			asprintf(&joined, "%s, %s", last, item) >= 0) {
		free(last);
		lines->text[lines->count - 1] = joined;
	} else if (item) {
		add_line(screen, PART_MEMORY, "Memory", item);
	}

	sqlite3_free(item);
	sqlite3_free(amount);
}

/* who; low, likely, high of what it gained; the same of its rate; whether it goes on */
static void add_grower(struct screen *screen, sqlite3_stmt *row)
{
	char *text = answer_gain(row, 1);

	lines_add_pair(&screen->parts[PART_GREW], screen->width, "Grew", database_text(row, 0),
			text ? text : "");
	sqlite3_free(text);
}

/* who; low, likely, high */
static void add_holder(struct screen *screen, sqlite3_stmt *row)
{
	char *amount = answer_interval(row, 1, "");

	lines_add_pair(&screen->parts[PART_HOLDS], screen->width, "Holds most",
			database_text(row, 0), amount ? amount : "not known");
	sqlite3_free(amount);
}

static void add_do(struct screen *screen, sqlite3_stmt *row)
{
	char *text;

	if (!next_command_is_worth(screen->db, database_text(row, 0))) {
		return;
	}
	text = next_command_fill(database_text(row, 0), screen->style->path);
	add_text(screen, PART_DO, 3, "Do now", text ? text : "");
	screen->has_next = screen->has_next || (text && strcmp(text, database_text(row, 0)) != 0);
	sqlite3_free(text);
}

static void add_unknown(struct screen *screen, sqlite3_stmt *row)
{
	char *text = next_command_fill(database_text(row, 0), screen->style->path);

	add_text(screen, PART_UNKNOWN, 2, "Not known", text ? text : "");
	sqlite3_free(text);
}

static void add_alarm(struct screen *screen, sqlite3_stmt *row)
{
	add_text(screen, PART_ALARM, 2, "Alarm", database_text(row, 0));
}

/* place, headline, sentence of another place */
static void add_other(struct screen *screen, sqlite3_stmt *row)
{
	char *text = sqlite3_mprintf("%s, %s: %s", database_text(row, 0), database_text(row, 1),
			database_text(row, 2));

	add_text(screen, PART_OTHERS, 3, "Others", text ? text : "");
	sqlite3_free(text);
}

/* One character for each stretch, from 0 to the most. */
static char *draw_curve(const double *bytes, int count)
{
	static const char plain[] = " .:-=+*#%@";
	static const int levels = 8;
	bool is_utf8 = fit_is_utf8();
	sqlite3_str *curve = sqlite3_str_new(NULL);
	double most = 1;

	for (int i = 0; i < count; i++) {
		most = bytes[i] > most ? bytes[i] : most;
	}
	for (int i = 0; i < count; i++) {
		int level = bytes[i] > 0 ? (int)(bytes[i] / most * levels + 0.5) : 0;

		if (is_utf8 && level > 0) {
			/* U+2581 to U+2588 are bars of one to eight eighths. */
			const char bar[] = { '\xe2', '\x96', (char)(0x80 + level) };

			sqlite3_str_append(curve, bar, sizeof(bar));
		} else {
			sqlite3_str_appendchar(curve, 1, plain[level]);
		}
	}

	return sqlite3_str_finish(curve);
}

/* seconds; bytes of one stretch after the other */
static enum csc_status read_curve(struct screen *screen, struct diag *diag)
{
	double bytes[STRETCHES];
	double seconds = 0;
	int count = 0;
	sqlite3_stmt *rows = NULL;
	int result = SQLITE_DONE;
	enum csc_status status = database_prepare(screen->db,
			sqlite3_mprintf("SELECT a.json ->> '$.curve.seconds', c.value FROM answer AS a, "
					"json_each(a.json, '$.curve.used_bytes') AS c WHERE a.rank = 1 ORDER BY c.key"),
			&rows, diag);

	while (status == CSC_OK && (result = sqlite3_step(rows)) == SQLITE_ROW &&
			count < STRETCHES) {
		seconds = sqlite3_column_double(rows, 0);
		bytes[count++] = sqlite3_column_double(rows, 1);
	}
	(void)sqlite3_finalize(rows);
	if (status == CSC_OK && result != SQLITE_ROW) {
		status = database_check(screen->db, result, diag);
	}
	if (status == CSC_OK && count > 0) {
		char *curve = draw_curve(bytes, count);
		char *text = sqlite3_mprintf("%s %.1f to %.1f MiB in %.0f s", curve ? curve : "",
				bytes[0] / 1048576, bytes[count - 1] / 1048576, seconds);

		add_line(screen, PART_CURVE, "In use", text ? text : "");
		sqlite3_free(text);
		sqlite3_free(curve);
	}

	return status;
}

/* Flags can be tried where blocks were recorded one by one. */
static void add_trial(struct screen *screen, sqlite3_stmt *row)
{
	screen->can_try = sqlite3_column_int(row, 0);
}

static enum csc_status read_next(struct screen *screen, struct diag *diag)
{
	char *command = NULL;
	char *topics = topics_list(screen->db);
	char *also = NULL;
	enum csc_status status = next_command(screen->db, screen->style->path, &command, diag);

	if (status == CSC_OK && !screen->has_next) {
		add_text(screen, PART_NEXT, 2, "Next", command);
	}
	if (status == CSC_OK && topics && *topics) {
		char *text = sqlite3_mprintf("%scarrierscope report TOPIC FILE, of %s",
				screen->can_try ? "carrierscope advise FILE; " : "", topics);

		also = text ? next_command_fill(text, screen->style->path) : NULL;
		add_text(screen, PART_ALSO, 2, "Also", also ? also : "");
		sqlite3_free(text);
	}

	sqlite3_free(also);
	sqlite3_free(topics);
	sqlite3_free(command);
	return status;
}

static enum csc_status read_answer(struct screen *screen, struct diag *diag)
{
	static const struct {
		const char *sql;
		void (*add)(struct screen *screen, sqlite3_stmt *row);
	} queries[] = {
		{ "SELECT json ->> '$.headline', json ->> '$.sentence', json ->> '$.ending', json ->> '$.place', "
		  "replace(rtrim(json ->> '$.time', 'Z'), 'T', ' ') || ' UTC', json ->> '$.evidence', json ->> '$.wrong_if' "
		  "FROM answer WHERE rank = 1",
				add_verdict },
		{ "SELECT n.column2, a.json ->> (n.column1 || '.low'), a.json ->> (n.column1 || '.likely'), "
		  "a.json ->> (n.column1 || '.high') FROM answer AS a, (VALUES ('$.memory.resident', 'resident'), "
		  "('$.memory.carriers', 'carriers'), ('$.memory.used', 'in use'), ('$.memory.empty', 'empty'), "
		  "('$.memory.recorder', 'ours')) AS n WHERE a.rank = 1",
				add_memory },
		{ "SELECT g.value ->> '$.who', g.value ->> '$.grown_bytes.low', g.value ->> '$.grown_bytes.likely', "
		  "g.value ->> '$.grown_bytes.high', g.value ->> '$.bytes_per_s.low', g.value ->> '$.bytes_per_s.likely', "
		  "g.value ->> '$.bytes_per_s.high', g.value ->> '$.to_the_end' FROM answer AS a, "
		  "json_each(a.json, '$.growth') AS g WHERE a.rank = 1 ORDER BY g.key LIMIT 3",
				add_grower },
		{ "SELECT h.value ->> '$.who', h.value ->> '$.bytes.low', h.value ->> '$.bytes.likely', h.value ->> '$.bytes.high' "
		  "FROM answer AS a, json_each(a.json, '$.holders') AS h WHERE a.rank = 1 ORDER BY h.key LIMIT 3",
				add_holder },
		{ "SELECT d.value FROM answer AS a, json_each(a.json, '$.do') AS d WHERE a.rank = 1 ORDER BY d.key LIMIT 2",
				add_do },
		{ "SELECT u.value FROM answer AS a, json_each(a.json, '$.unknown') AS u WHERE a.rank = 1 "
		  "AND u.value IS NOT a.json ->> '$.sentence' ORDER BY u.key LIMIT 2",
				add_unknown },
		{ "SELECT format('%s UTC, %s: %s is %s, more than %s%s', time_utc, node, rule, value, more_than, "
		  "ifnull(', in ' || process, '')) FROM report_alarms LIMIT 1",
				add_alarm },
		{ "SELECT json ->> '$.place', json ->> '$.headline', json ->> '$.sentence' FROM answer WHERE rank > 1 ORDER BY rank LIMIT 3",
				add_other },
		{ "SELECT EXISTS (SELECT 1 FROM block_event) AND EXISTS (SELECT 1 FROM name_type)",
				add_trial },
	};
	enum csc_status status = CSC_OK;

	for (size_t i = 0; status == CSC_OK && i < sizeof(queries) / sizeof(queries[0]); i++) {
		status = read_rows(screen, sqlite3_mprintf("%s", queries[i].sql), queries[i].add,
				diag);
	}
	if (status == CSC_OK) {
		status = read_curve(screen, diag);
	}

	return status == CSC_OK ? read_next(screen, diag) : status;
}

/* The colour of the verdict; "" without colours. */
static const char *find_color(const struct screen *screen)
{
	static const struct {
		const char *word;
		const char *color;
	} colors[] = {
		{ "LEAK", "\033[1;31m" },
		{ "OUTSIDE", "\033[1;31m" },
		{ "OUT OF MEMORY", "\033[1;31m" },
		{ "NORMAL", "\033[1;32m" },
	};
	const char *line = screen->verdict.count > 0 ? screen->verdict.text[0] : "";

	if (!screen->style->has_color) {
		return "";
	}
	for (size_t i = 0; i < sizeof(colors) / sizeof(colors[0]); i++) {
		if (strncmp(line, colors[i].word, strlen(colors[i].word)) == 0) {
			return colors[i].color;
		}
	}

	return "\033[1;33m";
}

static void print_verdict(FILE *stream, const struct screen *screen)
{
	const char *color = find_color(screen);

	fputs(color, stream);
	lines_print(stream, &screen->verdict);
	fputs(*color ? "\033[0m" : "", stream);
}

/* The verdict is whole; the rest shares what is left, and there is a line between them. */
static void print_screen(FILE *stream, struct screen *screen)
{
	size_t room = MOST_LINES - 1;

	lines_share(&screen->verdict, &room);
	for (size_t i = 0; i < PARTS; i++) {
		lines_share(&screen->parts[importance[i]], &room);
	}

	if (!screen->style->is_verdict_last) {
		print_verdict(stream, screen);
		fputc('\n', stream);
	}
	for (size_t i = 0; i < PARTS; i++) {
		lines_print(stream, &screen->parts[i]);
	}
	if (screen->style->is_verdict_last) {
		fputc('\n', stream);
		print_verdict(stream, screen);
	}
}

enum csc_status answer_text_print(
		FILE *stream, sqlite3 *db, const struct answer_style *style, struct diag *diag)
{
	struct screen screen = { .db = db, .style = style, .width = style->width };
	enum csc_status status;
	bool has_failed = false;

	screen.width = screen.width == 0		  ? USUAL_WIDTH
			: screen.width < LEAST_WIDTH	  ? LEAST_WIDTH
			: screen.width > USUAL_WIDTH + 40 ? USUAL_WIDTH + 40
							  : screen.width;
	status = read_answer(&screen, diag);
	for (size_t i = 0; i < PARTS; i++) {
		has_failed = has_failed || screen.parts[i].has_failed;
	}
	if (status == CSC_OK && (has_failed || screen.verdict.has_failed)) {
		status = DIAG_NO_MEMORY(diag);
	}
	if (status == CSC_OK) {
		print_screen(stream, &screen);
	}

	for (size_t i = 0; i < PARTS; i++) {
		lines_free(&screen.parts[i]);
	}
	lines_free(&screen.verdict);
	return status;
}
