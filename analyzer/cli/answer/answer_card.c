/*
 * SPDX-License-Identifier: MIT
 */
#include "answer_card.h"

#include <stdbool.h>
#include <stddef.h>

#include "answer_interval.h"
#include "database.h"
#include "html.h"
#include "next_command.h"

/* What the columns of a query are. */
enum kind {
	/* A text, in which FILE stands for the database. */
	KIND_TEXT,
	/* The same, if it is worth the user's time. */
	KIND_STEP,
	/* A name, and an interval of bytes; they stand in one line. */
	KIND_FIGURE,
	/* The same with the most bytes of all rows behind it, drawn as a bar. */
	KIND_AMOUNT,
	/* The same, but before the most an interval of bytes in a second, and whether it goes on.
	 */
	KIND_GAIN,
};

struct part {
	const char *label;
	enum kind kind;
	const char *sql;
};

static const struct part texts[] = {
	{ "Do now", KIND_STEP,
			"SELECT d.value FROM answer AS a, json_each(a.json, '$.do') AS d WHERE a.rank = 1 ORDER BY d.key LIMIT 2" },
	{ "Memory", KIND_FIGURE,
			"SELECT n.column2, a.json ->> (n.column1 || '.low'), a.json ->> (n.column1 || '.likely'), "
			"a.json ->> (n.column1 || '.high') FROM answer AS a, (VALUES ('$.memory.resident', 'resident'), "
			"('$.memory.carriers', 'carriers'), ('$.memory.used', 'in use'), ('$.memory.empty', 'empty'), "
			"('$.memory.recorder', 'ours')) AS n WHERE a.rank = 1 AND coalesce(a.json ->> (n.column1 || '.low'), "
			"a.json ->> (n.column1 || '.likely'), a.json ->> (n.column1 || '.high')) IS NOT NULL" },
	{ "Evidence", KIND_TEXT,
			"SELECT json ->> '$.evidence' FROM answer WHERE rank = 1 AND json ->> '$.evidence' IS NOT NULL" },
	{ "Not known", KIND_TEXT,
			"SELECT u.value FROM answer AS a, json_each(a.json, '$.unknown') AS u WHERE a.rank = 1 "
			"AND u.value IS NOT a.json ->> '$.sentence' ORDER BY u.key LIMIT 2" },
	{ "Wrong if", KIND_TEXT,
			"SELECT json ->> '$.wrong_if' FROM answer WHERE rank = 1 AND json ->> '$.wrong_if' IS NOT NULL" },
};

/* The worst ones; the longest bar is the most that one of them may have. */
static const struct part bars[] = {
	{ "Who grew", KIND_GAIN,
			"SELECT *, max(coalesce(high, likely, low)) OVER () FROM (SELECT g.value ->> '$.who', "
			"g.value ->> '$.grown_bytes.low' AS low, g.value ->> '$.grown_bytes.likely' AS likely, "
			"g.value ->> '$.grown_bytes.high' AS high, g.value ->> '$.bytes_per_s.low', g.value ->> '$.bytes_per_s.likely', "
			"g.value ->> '$.bytes_per_s.high', g.value ->> '$.to_the_end', g.key FROM answer AS a, "
			"json_each(a.json, '$.growth') AS g WHERE a.rank = 1 ORDER BY g.key LIMIT 5) ORDER BY key" },
	{ "Holds most", KIND_AMOUNT,
			"SELECT *, max(coalesce(high, likely, low)) OVER () FROM (SELECT h.value ->> '$.who', "
			"h.value ->> '$.bytes.low' AS low, h.value ->> '$.bytes.likely' AS likely, "
			"h.value ->> '$.bytes.high' AS high, h.key FROM answer AS a, json_each(a.json, '$.holders') AS h "
			"WHERE a.rank = 1 ORDER BY h.key LIMIT 3) ORDER BY key" },
};

/* The row as text; NULL: it is left out. */
static char *text_of(sqlite3 *db, sqlite3_stmt *row, enum kind kind, const char *path)
{
	const char *first = database_text(row, 0);
	char *amount;
	char *text;

	if (kind == KIND_TEXT || kind == KIND_STEP) {
		return kind == KIND_STEP && !next_command_is_worth(db, first)
				? NULL
				: next_command_fill(first, path);
	}

	amount = kind == KIND_GAIN ? answer_gain(row, 1) : answer_interval(row, 1, "");
	text = sqlite3_mprintf(kind == KIND_FIGURE ? "%s %s" : "%s: %s", first,
			amount ? amount : "not known");
	sqlite3_free(amount);
	return text;
}

static double or_else(sqlite3_stmt *row, int column, double otherwise)
{
	return sqlite3_column_type(row, column) == SQLITE_NULL ? otherwise
							       : sqlite3_column_double(row, column);
}

/* An interval beside the most there is: what is sure, and what may be. */
static void print_bar(FILE *stream, sqlite3_stmt *row)
{
	double low = or_else(row, 1, 0);
	double high = or_else(row, 3, or_else(row, 2, low));
	double share = 100 / or_else(row, sqlite3_column_count(row) - 1, 0);

	if (!(share > 0 && low >= 0 && low <= high && high * share < 101)) {
		return;
	}
	(void)fprintf(stream,
			"<svg class=\"interval\" aria-hidden=\"true\"><rect class=\"sure\" width=\"%.2f%%\" height=\"100%%\"/>"
			"<rect class=\"maybe\" x=\"%.2f%%\" width=\"%.2f%%\" height=\"100%%\"/></svg>",
			low * share, low * share, (high - low) * share);
}

static enum csc_status print_part(FILE *stream, sqlite3 *db, const struct part *part,
		const char *path, struct diag *diag)
{
	sqlite3_stmt *rows = NULL;
	int result = SQLITE_DONE;
	bool is_begun = false;
	enum csc_status status =
			database_prepare(db, sqlite3_mprintf("%s", part->sql), &rows, diag);

	while (status == CSC_OK && !ferror(stream) && (result = sqlite3_step(rows)) == SQLITE_ROW) {
		char *text = text_of(db, rows, part->kind, path);

		if (text) {
			if (!is_begun) {
				(void)fprintf(stream, "<dt>%s</dt><dd>", part->label);
			} else {
				fputs(part->kind == KIND_FIGURE ? ", " : "</dd>\n<dd>", stream);
			}
			html_text(stream, text);
			if (part->kind == KIND_AMOUNT || part->kind == KIND_GAIN) {
				print_bar(stream, rows);
			}
			is_begun = true;
		}
		sqlite3_free(text);
	}
	fputs(is_begun ? "</dd>\n" : "", stream);
	if (status == CSC_OK && !ferror(stream)) {
		status = database_check(db, result, diag);
	}
	(void)sqlite3_finalize(rows);
	return status;
}

static enum csc_status print_list(FILE *stream, sqlite3 *db, const struct part *parts, size_t count,
		const char *path, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	for (size_t i = 0; status == CSC_OK && i < count; i++) {
		status = print_part(stream, db, &parts[i], path, diag);
	}
	return status;
}

enum csc_status answer_card_print(FILE *stream, sqlite3 *db, const char *path, struct diag *diag)
{
	enum csc_status status;

	fputs("<div class=\"answers\">\n<dl class=\"answer\">\n", stream);
	status = print_list(stream, db, texts, sizeof(texts) / sizeof(texts[0]), path, diag);
	fputs("</dl>\n<dl class=\"amounts\">", stream);
	if (status == CSC_OK) {
		status = print_list(stream, db, bars, sizeof(bars) / sizeof(bars[0]), path, diag);
	}
	fputs("</dl>\n</div>\n", stream);
	return status;
}
