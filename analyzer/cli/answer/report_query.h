/*
 * SPDX-License-Identifier: MIT
 *
 * The query that a report's rows come from.
 */
#ifndef CSC_REPORT_QUERY_H
#define CSC_REPORT_QUERY_H

#include <stdbool.h>

#include <sqlite3.h>

/* Of report code: what its rows are in the order of, and what `bytes` are in JSON. */
enum code_figure {
	CODE_LIVE,
	CODE_MADE,
	CODE_GROWN,
};

struct report_query {
	const char *view;

	/* One JSON object a row. */
	bool is_json;
	enum code_figure figure;

	/* Of rows; -1: all. */
	long long limit;
};

/* Whether it is the report that knows enum code_figure. */
bool report_query_is_code(const char *view);

/* To be freed with sqlite3_free(); NULL: no memory. */
char *report_query_make(sqlite3 *db, const struct report_query *query);

#endif
