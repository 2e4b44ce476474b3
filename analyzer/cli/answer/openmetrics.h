/*
 * SPDX-License-Identifier: MIT
 *
 * Metrics for other programs.
 */
#ifndef CSC_OPENMETRICS_H
#define CSC_OPENMETRICS_H

#include <sqlite3.h>
#include <stdio.h>

#include "diag.h"

/* The metrics in the text format of OpenMetrics. */
enum csc_status openmetrics_print(FILE *stream, sqlite3 *db, struct diag *diag);

#endif
