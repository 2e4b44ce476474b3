/*
 * SPDX-License-Identifier: MIT
 *
 * Step _trend of the judge: the statistics (trend.h) of each curve of step _curve.
 */
#ifndef CSC_TREND_ROWS_H
#define CSC_TREND_ROWS_H

#include <sqlite3.h>

#include "diag.h"

/* Makes the temporary table _trend; holds the points of one curve at a time. */
enum csc_status trend_rows_make(sqlite3 *db, struct diag *diag);

#endif
