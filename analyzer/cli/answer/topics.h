/*
 * SPDX-License-Identifier: MIT
 *
 * Reports by topic: what a user asks about.
 */
#ifndef CSC_TOPICS_H
#define CSC_TOPICS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>

/*
 * Of a topic that is neither a report nor a view: its first report that has rows, or its first.
 * NULL: the word is something else.
 */
const char *topics_report(sqlite3 *db, const char *topic);

/* The report or topic with this name or nearly; NULL: there is none. */
const char *topics_nearest(const char *name);

/* A line for each topic with the reports that have rows.  Where it takes long to see whether a
 * report has, it is there if what it is made of was recorded. */
void topics_print(FILE *stream, sqlite3 *db);

/* Whether a report has rows, or may have; true of what is no report. */
bool topics_has_rows(sqlite3 *db, const char *report);

#endif
