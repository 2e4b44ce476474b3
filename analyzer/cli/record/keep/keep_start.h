/*
 * SPDX-License-Identifier: MIT
 *
 * How a keeper begins in the node.
 */
#ifndef CSC_KEEP_START_H
#define CSC_KEEP_START_H

#include <stddef.h>

#include "keep_options.h"
#include "keep_ring.h"

/* The call of carrierscope_keeper:start/2, for a ring that exists.  The node ends by itself when it
 * is not asked for lease_ms. */
void keep_start_call(const struct keep_options *options, const struct keep_ring *ring, int lease_ms,
		char *ret_text, size_t bytes);

#endif
