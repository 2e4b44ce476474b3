/*
 * SPDX-License-Identifier: MIT
 *
 * What `carrierscope report FILE` prints without a NAME: the verdict, the findings and
 * where the memory is, in 80 columns.
 */
#ifndef CSC_OVERVIEW_H
#define CSC_OVERVIEW_H

#include <sqlite3.h>
#include <stdio.h>

#include "diag.h"

enum csc_status overview_print(FILE *stream, sqlite3 *db, const char *path, struct diag *diag);

#endif
