/* SPDX-License-Identifier: MIT */
/*
 * Two listeners that hear the same core.
 */
#ifndef CSC_TEE_H
#define CSC_TEE_H

#include "emit.h"

struct tee {
	/* What the core gets. */
	struct csc_listener listener;

	/* Borrowed. */
	struct csc_listener *first;
	/* Borrowed; NULL: nobody. */
	struct csc_listener *second;
};

/* `tee` stays where it is while the core has it. */
void tee_init(struct tee *tee, struct csc_listener *first, struct csc_listener *second);

/* Wants what the two want now: to be called after each tick. */
void tee_refresh(struct tee *tee);

#endif
