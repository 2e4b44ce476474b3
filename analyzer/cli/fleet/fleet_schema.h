/*
 * SPDX-License-Identifier: MIT
 *
 * Tables and views of a fleet: tables.sql, views.sql and docs.sql, filled in for one server or a
 * cluster.
 */
#ifndef CSC_FLEET_SCHEMA_H
#define CSC_FLEET_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include "diag.h"
#include "server.h"

/* Raised whenever a table of tables.sql changes, or what programs read of a view. */
enum { FLEET_VERSION = 5 };

struct fleet_layout {
	const char *database;

	/* NULL: one server.  Else letters, digits and underscores: the cluster of its
	 * configuration. */
	const char *cluster;

	/* Of a cluster: each table is replicated, which needs ZooKeeper; statements are sent to all
	 * servers. */
	bool is_replicated;

	/* How long rows are kept; 0: for ever. */
	unsigned int keep_days;

	/* Of the tables that are there; 0: none are. */
	int version;

	/* The server has TTL (since 19.6). */
	bool has_ttl;
};

extern const char fleet_tables_sql[];
extern const char fleet_views_sql[];
extern const char fleet_docs_sql[];

/* The style of the page. */
extern const char fleet_fleet_css[];

/*
 * Runs the statements of a script, one after the other.  Of views the old ones are dropped first.
 * Errors: those of server_ask(); what ran before stays.
 */
enum csc_status fleet_run(struct server *server, const char *script,
		const struct fleet_layout *layout, struct diag *diag);

/* One statement with what `layout` fills in; the caller frees it.  NULL: out of memory. */
char *fleet_fill_in(const char *statement, size_t length, const struct fleet_layout *layout);

/*
 * The version of the tables of a server, at least 1.  Errors: there are none, or they are of a
 * newer program; with `is_newest` also those of an older one, whose views answer otherwise.
 */
enum csc_status fleet_check(struct server *server, const char *address, bool is_newest,
		int *ret_version, struct diag *diag);

/* Whether fleet_check() failed because there are no tables. */
bool fleet_is_missing(const struct server *server);

#endif
