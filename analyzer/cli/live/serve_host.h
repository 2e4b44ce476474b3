/*
 * SPDX-License-Identifier: MIT
 *
 * By which name a browser reached us.
 */
#ifndef CSC_SERVE_HOST_H
#define CSC_SERVE_HOST_H

#include <stdbool.h>

/*
 * Whether the value of a Host header is localhost or a numeric address, with a port or without.  A
 * page of another site that makes its own name lead here (DNS rebinding) has neither.
 */
bool serve_is_numeric_host(const char *host);

#endif
