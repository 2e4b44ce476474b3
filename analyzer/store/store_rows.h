/*
 * SPDX-License-Identifier: MIT
 *
 * Rows of tables that no event fills, value by value (insert.h), for readers of
 * what is no trace.  They are written by the caller's thread: do not mix them
 * with rows of events, which the writer's thread writes.
 */
#ifndef CSC_STORE_ROWS_H
#define CSC_STORE_ROWS_H

#include "diag.h"
#include "insert.h"

struct store;

/*
 * Where the next row of a table goes: give a value for each of `columns` ("id, name"), in their
 * order, ROW_NULL for an id that is to be made up, then insert_row().  What fails is reported when
 * the source ends, or by store_rows_check().
 * `table` and `columns`: static texts; a table has the same columns each time.
 */
struct insert *store_rows(struct store *store, const char *table, const char *columns);

/* Whether all rows so far were written; cheap. */
enum csc_status store_rows_check(struct store *store, struct diag *diag);

/* The id of this source, and of a runtime with a number of the catalog. */
int64_t store_source_id(const struct store *store);
int64_t store_runtime_id(const struct store *store, int32_t runtime);

/* Ends the statements and yields how they went; fine if there are none. */
enum csc_status store_rows_close(struct store *store, struct diag *diag);

#endif
