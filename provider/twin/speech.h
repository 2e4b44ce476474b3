/* SPDX-License-Identifier: MIT */
/*
 * What the core says, said to LTTng: the runtime's four carrier events under both names of their
 * provider, and our own block events.
 *
 * Which events a session wants is asked by speech_refresh(); in between a disabled event costs the
 * core one bit.
 */
#ifndef CSC_SPEECH_H
#define CSC_SPEECH_H

#include "emit.h"

/* Allocator types that may have a name. */
#define SPEECH_NAMES_MAX 16

struct speech {
	/* Static: by allocator type; NULL: it has no name. */
	const char *names[SPEECH_NAMES_MAX];

	/* Who else listens; NULL: nobody. */
	const struct csc_listener *other;

	struct csc_listener listener;
};

/* Makes `speech->listener`, which also tells `other`, if there is one. */
void speech_init(struct speech *speech, const struct csc_listener *other);

/* Looks which events are enabled now. */
void speech_refresh(struct speech *speech);

#endif
