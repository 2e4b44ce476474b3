/*
 * SPDX-License-Identifier: MIT
 *
 * The answer on the page, of the same table as on a terminal.
 */
#ifndef CSC_ANSWER_CARD_H
#define CSC_ANSWER_CARD_H

#include <sqlite3.h>
#include <stdio.h>

#include "diag.h"

/* Figures, who grew, who holds most, what to do, what is not known and what would prove it wrong,
 * of the worst place; `path` is the database as the user named it.  Nothing of a database without
 * an answer. */
enum csc_status answer_card_print(FILE *stream, sqlite3 *db, const char *path, struct diag *diag);

#endif
