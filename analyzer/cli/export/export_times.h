/*
 * SPDX-License-Identifier: MIT
 *
 * Exports of what happened over time: a trace of Perfetto, and rows of CSV.
 */
#ifndef CSC_EXPORT_TIMES_H
#define CSC_EXPORT_TIMES_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>

#include "diag.h"

/* Errors: nothing recorded has a level of memory; with `needs_time`, none at a known time. */
enum csc_status export_times_check(
		sqlite3 *db, const char *database, bool needs_time, struct diag *diag);

/* Verdicts have been prepared (judgement.h).  Errors: of the database; those of the stream: see
 * ferror(). */
enum csc_status export_times_perfetto(sqlite3 *db, FILE *stream, struct diag *diag);

/* One row for each allocator and moment, or for each of its instances. */
enum csc_status export_times_csv(
		sqlite3 *db, bool has_instances, bool is_raw, FILE *stream, struct diag *diag);

#endif
