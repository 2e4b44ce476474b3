/*
 * SPDX-License-Identifier: MIT
 *
 * The moment that a report is asked about: `report --at TIME`.
 */
#ifndef CSC_REPORT_AT_H
#define CSC_REPORT_AT_H

#include <sqlite3.h>
#include <stdbool.h>

#include "diag.h"

/* Whether a text is a time: ns since the epoch, or +SECONDS since the recording began. */
bool report_at_is_time(const char *text);

/*
 * Makes the views of this connection be about a moment, without writing to the file: table
 * `question` and all views once more, as temporary ones.  `since` may be NULL.  Errors: out of
 * memory; '+SECONDS' and no event; `view` is not about a moment.
 */
enum csc_status report_at_ask(sqlite3 *db, const char *view, const char *at, const char *since,
		struct diag *diag);

#endif
