/*
 * SPDX-License-Identifier: MIT
 *
 * The last 7 days of nodes as pictures: a strip of each, and a larger one on its own page.
 */
#ifndef CSC_FLEET_WEEK_H
#define CSC_FLEET_WEEK_H

#include <sqlite3.h>
#include <stdio.h>

#include "diag.h"
#include "server.h"

/*
 * Makes table node_week: of each of the 200 most surprising nodes its hours, the most surprising
 * first.  A node surprises by how far its last hour lies outside of what is usual for itself and
 * for the nodes of its application.
 */
enum csc_status fleet_week_fetch(struct server *server, sqlite3 *db, struct diag *diag);

/* A row of the table of strips; `row`: of node_week; `place`: of the node's page. */
void fleet_week_strip(FILE *stream, sqlite3_stmt *row, int place);

/* The hours of one node, and its days as a table. */
void fleet_week_page(FILE *stream, sqlite3_stmt *row);

#endif
