/*
 * SPDX-License-Identifier: MIT
 *
 * The page of a fleet: its answers, and a way down to each node that they name.
 */
#ifndef CSC_FLEET_PAGE_H
#define CSC_FLEET_PAGE_H

#include <sqlite3.h>
#include <stdio.h>

#include "diag.h"
#include "server.h"

/* What is asked beside the answers: table node_last has the last recording of each node, node_week
 * hours of some. */
enum csc_status fleet_page_fetch(struct server *server, sqlite3 *db, struct diag *diag);

/* `address`: the server's; `findings`: what is wrong, in a sentence; `coverage`: how many of the
 * known nodes answered. */
void fleet_page_begin(
		FILE *stream, const char *address, const char *findings, const char *coverage);

/* The last 7 days of nodes, the most surprising first; nothing where none has minutes. */
enum csc_status fleet_page_strips(FILE *stream, sqlite3 *db, struct diag *diag);

/* One answer: its first rows, and how many more there are. */
enum csc_status fleet_page_answer(
		FILE *stream, sqlite3 *db, const char *answer, const char *view, struct diag *diag);

/* A page for each node that was named: its week, its last verdict and its report; then the end. */
enum csc_status fleet_page_end(FILE *stream, sqlite3 *db, struct diag *diag);

#endif
