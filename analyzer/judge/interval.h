/*
 * SPDX-License-Identifier: MIT
 *
 * Step _interval of the judge: where all evidence of a quantity overlaps, narrowed by rules.
 */
#ifndef CSC_INTERVAL_H
#define CSC_INTERVAL_H

#include <sqlite3.h>

#include "diag.h"

/* Makes the temporary table of that name of _bound, _interval_rule and _bounded_quantity. */
enum csc_status interval_make(sqlite3 *db, struct diag *diag);

#endif
