/*
 * SPDX-License-Identifier: MIT
 *
 * Names of Erlang nodes that epmd knows.
 */
#ifndef CSC_REGISTERED_H
#define CSC_REGISTERED_H

#include <stdbool.h>

/* Whether a node of this name, without a host, is registered at the epmd of this machine
 * (ERL_EPMD_PORT, else 4369). It waits half a second at most; false too where nobody answers. */
bool registered_node(const char *name);

#endif
