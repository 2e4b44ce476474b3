/*
 * SPDX-License-Identifier: MIT
 *
 * Reports by topic: what a user asks about.
 */
#ifndef CSC_TOPICS_H
#define CSC_TOPICS_H

#include <sqlite3.h>
#include <stdbool.h>

/*
 * Of a topic that is neither a report nor a view: its first report that has rows, or its first.
 * NULL: the word is something else.
 */
const char *topics_report(sqlite3 *db, const char *topic);

/* The report or topic with this name or nearly; NULL: there is none. */
const char *topics_nearest(const char *name);

/* "memory, holders": topics of which a report has rows, without that of the answer.  Where it takes
 * long to see whether a report has, it is there if what it is made of was recorded.  Freed with
 * sqlite3_free(), as the next. */
char *topics_list(sqlite3 *db);

/* A query of the reports that have rows: topic, report, meaning. */
char *topics_query(sqlite3 *db);

/* Whether a report has rows, or may have; true of what is no report. */
bool topics_has_rows(sqlite3 *db, const char *report);

#endif
