/*
 * SPDX-License-Identifier: MIT
 *
 * A ClickHouse server, asked over HTTP or HTTPS.
 *
 * Certificates are verified, nothing is redirected, every wait has an end, and the name and the
 * password come from a file or the environment: never from the address.
 */
#ifndef CSC_SERVER_H
#define CSC_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "diag.h"

struct server_options {
	/* http://HOST:PORT/DATABASE or https; borrowed until server_close(). */
	const char *address;

	/* File of two lines, name and password; NULL: CARRIERSCOPE_FLEET_USER and _PASSWORD, if
	 * set. */
	const char *credentials;

	/* File of certificates to trust instead of the system's; NULL: the system's. */
	const char *certificates;

	/* Seconds that one request may take, 1 to 3600. */
	long timeout_s;
};

struct server;

/* Whether a text is a name of a database or a cluster: letters, digits and underscores. */
bool server_is_name(const char *text);

/* Connects to nothing yet.  Errors: an address, a file or a name that cannot be used. */
enum csc_status server_open(const struct server_options *options, struct server **ret_server,
		struct diag *diag);
void server_close(struct server *server);

/* As it was given: it has neither name nor password. */
const char *server_address(const struct server *server);

/* Name of the database: letters, digits and underscores. */
const char *server_database(const struct server *server);

/* The database is not named in what is asked from here on: it may not exist yet. */
void server_forget_database(struct server *server, bool is_forgotten);

/*
 * Sends a query, and `body` (NULL: none) as its data; where `query` is empty, `body` is the query.
 * *ret_answer (NULL: not wanted) is what the
 * server answered, ended by a 0; the caller frees it.  Errors: no answer in time, one that is no
 * success, one that is too long.
 */
enum csc_status server_ask(struct server *server, const char *query, const void *body,
		size_t body_bytes, char **ret_answer, struct diag *diag);

/* Answers from here on are of those servers of a cluster that can be reached; else one that cannot
 * is an error. */
void server_skip_lost(struct server *server, bool is_skipped);

bool server_is_skipping_lost(const struct server *server);

/* Of ClickHouse: no server of a shard can be reached, or one that was went away. */
enum { SERVER_UNREACHABLE = 279 };

/* Number of ClickHouse's error of the last request that failed; 0: it was not its server's. */
int server_error(const struct server *server);

#endif
