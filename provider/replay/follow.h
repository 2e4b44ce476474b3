/* SPDX-License-Identifier: MIT */
/*
 * A replay beside all readings of the node, not only the last one: where the two part.
 *
 * A node that is read asks each scheduler for the figures of its own instances, and busy ones
 * answer late.  When an instance answered, its count of calls shows: the figures of the replay are
 * those at the same call.
 */
#ifndef CSC_FOLLOW_H
#define CSC_FOLLOW_H

#include "player.h"
#include "reading.h"

/* Fewer readings give no average. */
#define FOLLOW_READINGS 8

struct follower;

/* An instance as the node read it, and as the replay had it at the same call. */
struct follow_pair {
	/* Of readings->moments. */
	size_t moment;
	enum csc_allocator allocator;
	uint32_t instance;
	const struct reading_figures *node;
	const struct csc_statistics *replayed;
};

/* Who is told each pair.  NULL: nobody is. */
struct follow_listener {
	void (*hear)(void *context, const struct follow_pair *pair);
	void *context;
};

/* Reads all readings.  All are weak.  NULL: `diag` says why. */
struct follower *follow_begin(const struct recording *recording, const struct readings *readings,
		const struct csc_options *options, const struct follow_listener *listener,
		struct diag *diag);

/* The player has been filled: what follows are calls of the recording. */
void follow_start(struct follower *follower, const struct player *player);

/* A player_watch of a follower: the next call is one of this scheduler of this allocator. */
void follow_call(void *context, const struct player *player, enum csc_allocator allocator,
		uint32_t scheduler, int64_t ts_ns);

/*
 * How long blocks that another thread freed waited on average, in ns, as the bytes show that the
 * node had in blocks and the replay had not: known when the follower has ended.  0: not at all, or
 * there are too few readings to know.
 */
int64_t follow_wait_ns(const struct follower *follower, const struct player *player);

/* No call comes any more: tells the pairs that are left. */
void follow_end(struct follower *follower, const struct player *player);
void follow_free(struct follower *follower);

#endif
