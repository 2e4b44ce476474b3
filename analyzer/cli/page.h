/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope report --format html`: a page of its own, to be read without a network.
 */
#ifndef CSC_PAGE_H
#define CSC_PAGE_H

#include <sqlite3.h>
#include <stdio.h>

#include "diag.h"

/* Errors: the program was built without the page; the database cannot be read. */
enum csc_status page_check(struct diag *diag);
enum csc_status page_print(FILE *stream, sqlite3 *db, const char *path, struct diag *diag);

#endif
