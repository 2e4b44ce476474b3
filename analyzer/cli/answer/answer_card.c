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
	/* A name, and an interval of bytes; figures stand in one line. */
	KIND_AMOUNT,
	KIND_FIGURE,
	/* A name, an interval of bytes, one of bytes in a second, and whether it goes on. */
	KIND_GAIN,
};

static const struct part {
	const char *label;
	enum kind kind;
	const char *sql;
} parts[] = {
	{ "Do now", KIND_STEP,
			"SELECT d.value FROM answer AS a, json_each(a.json, '$.do') AS d WHERE a.rank = 1 ORDER BY d.key LIMIT 2" },
	{ "Memory", KIND_FIGURE,
			"SELECT n.column2, a.json ->> (n.column1 || '.low'), a.json ->> (n.column1 || '.likely'), "
			"a.json ->> (n.column1 || '.high') FROM answer AS a, (VALUES ('$.memory.resident', 'resident'), "
			"('$.memory.carriers', 'carriers'), ('$.memory.used', 'in use'), ('$.memory.empty', 'empty'), "
			"('$.memory.recorder', 'ours')) AS n WHERE a.rank = 1 AND coalesce(a.json ->> (n.column1 || '.low'), "
			"a.json ->> (n.column1 || '.likely'), a.json ->> (n.column1 || '.high')) IS NOT NULL" },
	{ "Grew", KIND_GAIN,
			"SELECT g.value ->> '$.who', g.value ->> '$.grown_bytes.low', g.value ->> '$.grown_bytes.likely', "
			"g.value ->> '$.grown_bytes.high', g.value ->> '$.bytes_per_s.low', g.value ->> '$.bytes_per_s.likely', "
			"g.value ->> '$.bytes_per_s.high', g.value ->> '$.to_the_end' FROM answer AS a, "
			"json_each(a.json, '$.growth') AS g WHERE a.rank = 1 ORDER BY g.key LIMIT 3" },
	{ "Holds most", KIND_AMOUNT,
			"SELECT h.value ->> '$.who', h.value ->> '$.bytes.low', h.value ->> '$.bytes.likely', "
			"h.value ->> '$.bytes.high' FROM answer AS a, json_each(a.json, '$.holders') AS h WHERE a.rank = 1 "
			"ORDER BY h.key LIMIT 3" },
	{ "Evidence", KIND_TEXT,
			"SELECT json ->> '$.evidence' FROM answer WHERE rank = 1 AND json ->> '$.evidence' IS NOT NULL" },
	{ "Not known", KIND_TEXT,
			"SELECT u.value FROM answer AS a, json_each(a.json, '$.unknown') AS u WHERE a.rank = 1 "
			"AND u.value IS NOT a.json ->> '$.sentence' ORDER BY u.key LIMIT 2" },
	{ "Wrong if", KIND_TEXT,
			"SELECT json ->> '$.wrong_if' FROM answer WHERE rank = 1 AND json ->> '$.wrong_if' IS NOT NULL" },
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

enum csc_status answer_card_print(FILE *stream, sqlite3 *db, const char *path, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	fputs("<dl class=\"answer\">\n", stream);
	for (size_t i = 0; status == CSC_OK && i < sizeof(parts) / sizeof(parts[0]); i++) {
		status = print_part(stream, db, &parts[i], path, diag);
	}
	fputs("</dl>\n", stream);
	return status;
}
