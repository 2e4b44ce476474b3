/*
 * SPDX-License-Identifier: MIT
 *
 * Reports for other programs.
 */
#ifndef CSC_EXPORTS_H
#define CSC_EXPORTS_H

#include <sqlite3.h>
#include <stdio.h>

#include "diag.h"

/* The metrics in the text format of OpenMetrics. */
enum csc_status openmetrics_print(FILE *stream, sqlite3 *db, struct diag *diag);

/* What view_doc says, as metadata.yaml of datasette: descriptions and a query for each report. */
enum csc_status datasette_print(FILE *stream, sqlite3 *db, const char *path, struct diag *diag);

#endif
