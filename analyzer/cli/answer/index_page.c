/*
 * SPDX-License-Identifier: MIT
 */
#include "index_page.h"

#include "database.h"
#include "html.h"

void index_page_begin(FILE *stream)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Carrierscope</title>\n"
	      "<style>body{font:15px/1.5 system-ui,sans-serif;margin:2em;color:#222;background:#fff}"
	      "table{border-collapse:collapse}th,td{text-align:left;vertical-align:top;padding:.4em .8em;"
	      "border-bottom:1px solid #ddd}strong{text-transform:uppercase}</style></head>\n"
	      "<body><main><h1>Recordings</h1>\n<table><thead><tr><th scope=\"col\">File</th>"
	      "<th scope=\"col\">Node</th><th scope=\"col\">Time (UTC)</th><th scope=\"col\">Answer</th></tr></thead>\n<tbody>\n",
			stream);
}

static void print_link(FILE *stream, const char *path, size_t number)
{
	(void)fprintf(stream, "<tr><td><a href=\"/%zu/\">", number);
	html_text(stream, path);
	fputs("</a></td><td>", stream);
}

static void print_answer(FILE *stream, sqlite3_stmt *row)
{
	html_text(stream, database_text(row, 0));
	fputs("</td><td>", stream);
	html_text(stream, database_text(row, 1));
	fputs("</td><td><strong>", stream);
	html_text(stream, database_text(row, 2));
	fputs("</strong>: ", stream);
	html_text(stream, database_text(row, 3));
	fputs("</td></tr>\n", stream);
}

void index_page_add(FILE *stream, sqlite3 *db, const char *path, size_t number)
{
	sqlite3_stmt *row = NULL;
	struct diag diag = { 0 };

	print_link(stream, path, number);
	if (db &&
			database_prepare(db,
					sqlite3_mprintf("SELECT json ->> '$.place', replace(rtrim(json ->> '$.time', 'Z'), 'T', ' '), "
							"json ->> '$.headline', json ->> '$.sentence' FROM answer ORDER BY rank LIMIT 1"),
					&row, &diag) == CSC_OK &&
			sqlite3_step(row) == SQLITE_ROW) {
		print_answer(stream, row);
	} else {
		fputs("</td><td></td><td>cannot be read: ", stream);
		html_text(stream, db && *diag.text ? diag.text : "see the program that serves it");
		fputs("</td></tr>\n", stream);
	}
	(void)sqlite3_finalize(row);
}

void index_page_end(FILE *stream)
{
	fputs("</tbody></table>\n<p>For Prometheus: <a href=\"/metrics\">/metrics</a></p></main></body></html>\n",
			stream);
}
