/*
 * SPDX-License-Identifier: MIT
 *
 * Texts, tables and data as parts of an HTML page.  Content of a database is never markup.
 */
#ifndef CSC_HTML_H
#define CSC_HTML_H

#include <sqlite3.h>
#include <stdio.h>

#include "diag.h"
#include "json_writer.h"

/* Writes a text with <, >, &, " and ' as entities; control characters become '?'.  NULL: nothing.
 */
void html_text(FILE *stream, const char *text);

/*
 * Writes the rows of a query as a table; nothing but a sentence if there are none.
 * `view`: the view in view_doc that has units and meanings of the columns.
 */
enum csc_status html_table(
		FILE *stream, sqlite3 *db, const char *sql, const char *view, struct diag *diag);

/*
 * Writes {"sql": …, "columns": […], "rows": [[…], …]}.  A text that is one of the last eight
 * different texts of its column is written as its place among them, 0 for the latest.  `shown`:
 * what stands there as "sql", of the same rows; NULL: the query itself.
 */
enum csc_status html_figure(struct json_writer *json, sqlite3 *db, const char *sql,
		const char *shown, struct diag *diag);

#endif
