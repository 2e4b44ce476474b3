/* SPDX-License-Identifier: MIT */
/* What the threads that write into rings, and the one that drains them, have in common. */
#ifndef CSC_RINGS_STATE_H
#define CSC_RINGS_STATE_H

#include <pthread.h>

#include "rings.h"

#define RINGS_HIDDEN __attribute__((visibility("hidden")))

/* In a page of its own, which a child finds empty. */
struct control {
	bool is_open;
};

extern RINGS_HIDDEN struct rings {
	struct rings_options options;
	struct control *control;
	size_t bytes;
	uint32_t count;

	/* What rings lie in; NULL: private memory. */
	struct ring_file *file;
	struct ring *list[RINGS_MOST];

	/* Records of threads without a ring, and those of them that a batch has said. */
	uint64_t lost;
	uint64_t lost_said;

	/* No batch that comes has an older record. */
	uint64_t horizon_ns;

	/* Of the drainer: */
	uintptr_t listeners;
	uint64_t beat_ns;
	uint64_t census_ns;
	uint64_t ordinal;

	/* That have ended. */
	uint64_t rounds;

	bool is_on;
	bool is_asked;
	bool is_ending;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t wake;
} rings;

/* How what is drained now is emitted. */
RINGS_HIDDEN struct ring_reader rings_reader(void);

/* Whether this is a process that was forked from the one with the rings. */
RINGS_HIDDEN bool rings_are_of_parent(void);

/* Private memory that a child finds empty; NULL: the system has none. */
RINGS_HIDDEN void *rings_map(size_t bytes);

/* How many rings there have been, and each; NULL: none was made. */
RINGS_HIDDEN uint32_t rings_made(void);
RINGS_HIDDEN struct ring *rings_at(uint32_t number);

/* Makes the file, once.  NULL: it is there, else why not. */
RINGS_HIDDEN const char *rings_make_file(void);

/* Puts page and slots of a ring of `slots` slots, new or released, into the file.  False: there is
 * no room. */
RINGS_HIDDEN bool rings_share(struct ring *ring, uint64_t slots);

/* The same of a ring that is there and empty, for more slots. */
RINGS_HIDDEN bool rings_reserve(const struct ring *ring, uint64_t slots);

/* Takes an empty ring that nobody writes into out of the file.  False: it is as before. */
RINGS_HIDDEN bool rings_unshare(struct ring *ring);

/* Gives the memory of an empty ring's slots back; rings_share() comes before it is used again. */
RINGS_HIDDEN void rings_release(struct ring *ring);

#endif
