/*
 * SPDX-License-Identifier: MIT
 *
 * What to type next about a database.
 */
#ifndef CSC_NEXT_COMMAND_H
#define CSC_NEXT_COMMAND_H

#include <sqlite3.h>
#include <stdbool.h>

#include "diag.h"

/*
 * The command of the worst finding that has one for this file, else the report of who holds the
 * memory, with the file's name.  The caller frees it with sqlite3_free().
 */
enum csc_status next_command(sqlite3 *db, const char *path, char **ret_command, struct diag *diag);

/* Whether a text names no report without rows. */
bool next_command_is_worth(sqlite3 *db, const char *text);

/* `text` with the file's name for each word FILE, as a shell takes it; freed the same way. */
char *next_command_fill(const char *text, const char *path);

#endif
