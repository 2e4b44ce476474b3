/* SPDX-License-Identifier: MIT */
/*
 * Two listeners that hear the same core.
 */
#ifndef CSC_LISTENER_PAIR_H
#define CSC_LISTENER_PAIR_H

#include "emit.h"

struct listener_pair {
	/* What the core gets. */
	struct csc_listener listener;

	/* Borrowed. */
	struct csc_listener *first;
	/* Borrowed; NULL: nobody. */
	struct csc_listener *second;
};

/* `pair` stays where it is while the core has it. */
void listener_pair_init(struct listener_pair *pair, struct csc_listener *first,
		struct csc_listener *second);

/* Wants what the two want now: to be called after each tick. */
void listener_pair_refresh(struct listener_pair *pair);

#endif
