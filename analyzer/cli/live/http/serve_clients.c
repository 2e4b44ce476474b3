/*
 * SPDX-License-Identifier: MIT
 *
 * The library's own timeout is one of silence, which a byte now and then puts off.
 */
#include "serve_clients.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

/* Clients that are sending their requests, and those that wait for an answer or take it: beyond
 * either number the slowest makes way. */
enum { MOST_ASKING = 16, MOST_ANSWERED = 16 };

/* Seconds: for a request as a whole, for its answer, and of an answer that nobody has to make way
 * for. */
enum { ASK_SECONDS = 10, ANSWER_SECONDS = 120, PATIENCE_SECONDS = 5 };

enum state {
	FREE,
	ASKS,

	/* Its page is being made: that ends by itself. */
	WAITS,
	IS_ANSWERED,

	/* Its socket is shut down; the library has yet to see it. */
	IS_ENDED,
};

struct client {
	enum state state;
	int socket;

	/* Since when it is in its state, on the clock that never stops. */
	int64_t since_ms;
};

struct serve_clients {
	pthread_mutex_t lock;
	struct client list[SERVE_CONNECTIONS];
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct serve_clients *serve_clients_create(void)
{
	struct serve_clients *clients = calloc(1, sizeof(*clients));

	if (clients) {
		(void)pthread_mutex_init(&clients->lock, NULL);
	}
	return clients;
}

void serve_clients_free(struct serve_clients *clients)
{
	if (clients) {
		(void)pthread_mutex_destroy(&clients->lock);
		free(clients);
	}
}

/* With the lock, as all below: the library closes no socket of a client that is in the list. */
static void change(struct client *client, enum state state)
{
	client->state = state;
	client->since_ms = now_ms();
}

static void end(struct client *client)
{
	(void)shutdown(client->socket, SHUT_RDWR);
	change(client, IS_ENDED);
}

/* How many are in a state; *ret_oldest: the one that has been longest, NULL: none. */
static int count(struct serve_clients *clients, enum state state, struct client **ret_oldest)
{
	int found = 0;

	*ret_oldest = NULL;
	for (size_t i = 0; i < SERVE_CONNECTIONS; i++) {
		struct client *client = &clients->list[i];

		if (client->state != state) {
			continue;
		}
		found++;
		if (!*ret_oldest || client->since_ms < (*ret_oldest)->since_ms) {
			*ret_oldest = client;
		}
	}
	return found;
}

static void *add(struct serve_clients *clients, int socket)
{
	struct client *oldest;

	if (count(clients, ASKS, &oldest) >= MOST_ASKING) {
		end(oldest);
	}
	for (size_t i = 0; i < SERVE_CONNECTIONS; i++) {
		if (clients->list[i].state == FREE) {
			clients->list[i].socket = socket;
			change(&clients->list[i], ASKS);
			return &clients->list[i];
		}
	}
	return NULL;
}

void serve_clients_notify(void *data, struct MHD_Connection *connection, void **client,
		enum MHD_ConnectionNotificationCode code)
{
	struct serve_clients *clients = data;
	const union MHD_ConnectionInfo *info =
			MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	(void)pthread_mutex_lock(&clients->lock);
	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		*client = info ? add(clients, info->connect_fd) : NULL;
	} else if (*client) {
		((struct client *)*client)->state = FREE;
	}
	(void)pthread_mutex_unlock(&clients->lock);
}

/* NULL: the list was full when it came. */
static struct client *client_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
			MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

bool serve_clients_admit(struct serve_clients *clients, struct MHD_Connection *connection)
{
	struct client *client = client_of(connection);
	struct client *slowest;
	struct client *waiting;
	int busy;
	bool is_admitted;

	(void)pthread_mutex_lock(&clients->lock);
	busy = count(clients, IS_ANSWERED, &slowest) + count(clients, WAITS, &waiting);
	if (busy >= MOST_ANSWERED && slowest &&
			now_ms() - slowest->since_ms >= PATIENCE_SECONDS * INT64_C(1000)) {
		end(slowest);
		busy--;
	}
	is_admitted = client && client->state == ASKS && busy < MOST_ANSWERED;
	if (is_admitted) {
		change(client, WAITS);
	}
	(void)pthread_mutex_unlock(&clients->lock);
	return is_admitted;
}

void serve_clients_answered(struct serve_clients *clients, struct MHD_Connection *connection)
{
	struct client *client = client_of(connection);

	(void)pthread_mutex_lock(&clients->lock);
	if (client && client->state != IS_ENDED) {
		change(client, IS_ANSWERED);
	}
	(void)pthread_mutex_unlock(&clients->lock);
}

void serve_clients_expire(struct serve_clients *clients)
{
	int64_t now = now_ms();

	(void)pthread_mutex_lock(&clients->lock);
	for (size_t i = 0; i < SERVE_CONNECTIONS; i++) {
		struct client *client = &clients->list[i];
		int64_t seconds = (now - client->since_ms) / 1000;

		if ((client->state == ASKS && seconds >= ASK_SECONDS) ||
				(client->state == IS_ANSWERED && seconds >= ANSWER_SECONDS)) {
			end(client);
		}
	}
	(void)pthread_mutex_unlock(&clients->lock);
}
