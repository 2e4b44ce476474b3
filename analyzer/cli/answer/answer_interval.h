/*
 * SPDX-License-Identifier: MIT
 *
 * Amounts of an answer as people read them; texts are freed with sqlite3_free().
 */
#ifndef CSC_ANSWER_INTERVAL_H
#define CSC_ANSWER_INTERVAL_H

#include <sqlite3.h>

/* Columns low, likely and high, in bytes: "8.3 to 11.4 MiB/s", "at least 3 KiB"; of an estimate
 * "about", of what was recorded last and may be anything since "perhaps"; NULL: not known. */
char *answer_interval(sqlite3_stmt *row, int column, const char *per);

/* What something gained: its interval, that of its rate, and whether it goes on to the end. */
char *answer_gain(sqlite3_stmt *row, int column);

#endif
