/*
 * SPDX-License-Identifier: MIT
 *
 * The answer on one screen: what `carrierscope FILE`, `report FILE`, `load` and `record` print.
 */
#ifndef CSC_ANSWER_TEXT_H
#define CSC_ANSWER_TEXT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>

#include "diag.h"

struct answer_style {
	/* The database, as the user named it. */
	const char *path;

	/* Columns of a line; 0: 80. */
	int width;
	bool has_color;

	/* On a terminal, where what comes last stays in sight. */
	bool is_verdict_last;
};

/* At most 20 lines, of the worst place of the database. */
enum csc_status answer_text_print(
		FILE *stream, sqlite3 *db, const struct answer_style *style, struct diag *diag);

#endif
