/*
 * SPDX-License-Identifier: MIT
 */
#include "serve_host.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ":8642", or nothing. */
static bool is_port(const char *text)
{
	return !*text ||
			(*text == ':' && text[1] &&
					strspn(text + 1, "0123456789") == strlen(text + 1));
}

bool serve_is_numeric_host(const char *host)
{
	char name[INET6_ADDRSTRLEN + 1];
	struct in6_addr address;
	bool is_six = *host == '[';
	size_t length = strcspn(host + is_six, is_six ? "]" : ":");
	const char *rest = host + is_six + length;

	if (length == 0 || length >= sizeof(name) || (is_six && *rest != ']') ||
			!is_port(rest + is_six)) {
		return false;
	}
	(void)snprintf(name, sizeof(name), "%.*s", (int)length, host + is_six);
	return is_six ? inet_pton(AF_INET6, name, &address) == 1
		      : strcasecmp(name, "localhost") == 0 ||
					inet_pton(AF_INET, name, &address) == 1;
}
