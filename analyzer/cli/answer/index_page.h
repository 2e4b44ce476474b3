/*
 * SPDX-License-Identifier: MIT
 *
 * What `carrierscope serve` shows of several databases: a line for each.
 */
#ifndef CSC_INDEX_PAGE_H
#define CSC_INDEX_PAGE_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdio.h>

void index_page_begin(FILE *stream);

/* A row that links to /NUMBER/; `db` NULL: it cannot be read, and `path` stands alone. */
void index_page_add(FILE *stream, sqlite3 *db, const char *path, size_t number);

void index_page_end(FILE *stream);

#endif
