/*
 * SPDX-License-Identifier: MIT
 *
 * Asks epmd for its names, by the request NAMES_REQ of Erlang's distribution protocol: the answer
 * is a port of four bytes and a text with a line "name NAME at port PORT" for each node.
 */
#include "registered.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { EPMD_PORT = 4369, NAMES_REQUEST = 'n', HEAD_BYTES = 4, WAIT_US = 500000 };

static int ask(void)
{
	static const unsigned char request[] = { 0, 1, NAMES_REQUEST };
	const struct timeval wait = { .tv_usec = WAIT_US };
	const char *text = getenv("ERL_EPMD_PORT");
	unsigned long port = text ? strtoul(text, NULL, 10) : EPMD_PORT;
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connection < 0) {
		return -1;
	}
	(void)setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	(void)setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	if (connect(connection, (struct sockaddr *)&address, sizeof(address)) != 0 ||
			send(connection, request, sizeof(request), MSG_NOSIGNAL) !=
					(ssize_t)sizeof(request)) {
		(void)close(connection);
		return -1;
	}
	return connection;
}

bool registered_node(const char *name)
{
	enum { MOST_BYTES = 65536, MOST_NAME = 255 };
	char *answer = NULL;
	char line[MOST_NAME + 16];
	size_t length = 0;
	ssize_t got = 0;
	int connection = -1;
	bool is_there = false;

	if (strlen(name) <= MOST_NAME && !strchr(name, '\n')) {
		answer = calloc(1, MOST_BYTES + 1);
		connection = answer ? ask() : -1;
	}
	while (connection >= 0 && length < MOST_BYTES &&
			(got = recv(connection, answer + length, MOST_BYTES - length, 0)) > 0) {
		length += (size_t)got;
	}
	if (length > HEAD_BYTES) {
		(void)snprintf(line, sizeof(line), "name %s at port ", name);
		for (char *at = strstr(answer + HEAD_BYTES, line); at && !is_there;
				at = strstr(at + 1, line)) {
			is_there = at == answer + HEAD_BYTES || at[-1] == '\n';
		}
	}
	if (connection >= 0) {
		(void)close(connection);
	}
	free(answer);
	return is_there;
}
