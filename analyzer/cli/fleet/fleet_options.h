/*
 * SPDX-License-Identifier: MIT
 *
 * Options of the commands that ask the server of a fleet.
 */
#ifndef CSC_FLEET_OPTIONS_H
#define CSC_FLEET_OPTIONS_H

#include "command.h"
#include "server.h"

enum fleet_key { FLEET_KEY_TO = 400, FLEET_KEY_CREDENTIALS, FLEET_KEY_CA, FLEET_KEY_TIMEOUT };

struct fleet_options {
	struct server_options server;
};

#define FLEET_DEFAULTS                       \
	{                                    \
		.server = {.timeout_s = 60 } \
	}

#define FLEET_OPTIONS                                                                                      \
	{ "to", FLEET_KEY_TO, "URL", 0, "the server: http://HOST:8123/DATABASE, or https", 0 },            \
			{ "credentials", FLEET_KEY_CREDENTIALS, "FILE", 0,                                 \
				"a line with the name and one with the password; nobody else may read it", \
				0 },                                                                       \
			{ "ca", FLEET_KEY_CA, "FILE", 0,                                                   \
				"certificates to trust instead of the system's", 0 },                      \
	{                                                                                                  \
		"timeout", FLEET_KEY_TIMEOUT, "TIME", 0,                                                   \
				"how long a request may take (default 60s)", 0                             \
	}

/* For a type whose member `fleet` is a struct fleet_options. */
#define FLEET_FLAGS(type)                                                                     \
	COMMAND_VALUE(FLEET_KEY_TO, type, fleet.server.address),                              \
			COMMAND_VALUE(FLEET_KEY_CREDENTIALS, type, fleet.server.credentials), \
			COMMAND_VALUE(FLEET_KEY_CA, type, fleet.server.certificates)

static inline void fleet_take_timeout(
		const struct argp_state *state, struct fleet_options *options, const char *text)
{
	enum { MOST = 3600 };

	options->server.timeout_s = (long)command_take_seconds(state, "--timeout", text, MOST);
}

#endif
