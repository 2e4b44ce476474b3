/*
 * SPDX-License-Identifier: MIT
 *
 * Answers of a fleet's server as tables of a database in memory, with their view_doc.
 */
#ifndef CSC_FLEET_ANSWER_H
#define CSC_FLEET_ANSWER_H

#include <sqlite3.h>

#include "diag.h"
#include "server.h"

/* A database in memory with an empty view_doc; sqlite3_close() closes it. */
enum csc_status fleet_answer_open(sqlite3 **ret_db, struct diag *diag);

/*
 * Makes table `name` of the rows of a query.  Errors: those of server_ask(), and an answer that has
 * not the form of one.
 */
enum csc_status fleet_answer_take(struct server *server, sqlite3 *db, const char *name,
		const char *query, struct diag *diag);

#endif
