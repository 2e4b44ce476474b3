/*
 * SPDX-License-Identifier: MIT
 *
 * Metadata for datasette.
 */
#ifndef CSC_DATASETTE_H
#define CSC_DATASETTE_H

#include <sqlite3.h>
#include <stdio.h>

#include "diag.h"

/* What view_doc has, as metadata.yaml of datasette: descriptions and a query for each report. */
enum csc_status datasette_print(FILE *stream, sqlite3 *db, const char *path, struct diag *diag);

#endif
