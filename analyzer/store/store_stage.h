/*
 * SPDX-License-Identifier: MIT
 *
 * Views that are computed once for all that read them.
 */
#ifndef CSC_STORE_STAGE_H
#define CSC_STORE_STAGE_H

#include <sqlite3.h>

#include "diag.h"

/*
 * Makes a temporary table of each view that table `stage` lists for `set`, in its order, with what
 * the view yields now; views of the set and of the connection read the table from then on.  A view
 * of the set that is there already as a temporary table is left as it is.
 */
enum csc_status stage_views(sqlite3 *db, const char *set, struct diag *diag);

/* Drops these tables again. */
enum csc_status stage_drop(sqlite3 *db, const char *set, struct diag *diag);

#endif
