/*
 * SPDX-License-Identifier: MIT
 *
 * Who is connected to `carrierscope serve`, and for how long: a client that sends its request or
 * takes its answer slowly makes way for others, and ends at a deadline.
 */
#ifndef CSC_SERVE_CLIENTS_H
#define CSC_SERVE_CLIENTS_H

#include <stdbool.h>

#include <microhttpd.h>

/* Most connections at once.  Those that are slow are fewer: see serve_clients.c. */
enum { SERVE_CONNECTIONS = 64 };

struct serve_clients;

/* NULL: out of memory. */
struct serve_clients *serve_clients_create(void);
void serve_clients_free(struct serve_clients *clients);

/* For MHD_OPTION_NOTIFY_CONNECTION, with the clients as its data. */
void serve_clients_notify(void *data, struct MHD_Connection *connection, void **client,
		enum MHD_ConnectionNotificationCode code);

/* The request has come whole.  False: too many wait for their answers, so that it is refused. */
bool serve_clients_admit(struct serve_clients *clients, struct MHD_Connection *connection);

/* The answer is on its way: its deadline begins. */
void serve_clients_answered(struct serve_clients *clients, struct MHD_Connection *connection);

/* Ends connections that are beyond their deadlines; to be called each second. */
void serve_clients_expire(struct serve_clients *clients);

#endif
