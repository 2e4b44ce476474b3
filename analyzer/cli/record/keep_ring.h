/*
 * SPDX-License-Identifier: MIT
 *
 * The LTTng session of a keeper: a ring in memory, or parts on disk.
 */
#ifndef CSC_KEEP_RING_H
#define CSC_KEEP_RING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "diag.h"

struct keep_ring {
	/* Sessions of one folder begin with `prefix`; empty name: there is none. */
	char prefix[48];
	char name[64];

	/* The keeper's folder; absolute. */
	char folder[256];

	/* A session daemon of our own; 0: there was one. */
	pid_t daemon;
	bool is_on_disk;
};

/* What a session records. */
struct keep_ring_plan {
	/* As the process sees itself. */
	pid_t pid;
	uint64_t memory_bytes;
	bool has_samples;

	/* 0: a ring in memory. */
	unsigned int rotate_seconds;
};

/* Names the sessions of a folder, which exists; nothing is begun. */
void keep_ring_prepare(struct keep_ring *ring, const char *folder);

/* Makes the session for a process; it does not run yet.  Errors: LTTng is not installed or refuses,
 * too little memory. */
enum csc_status keep_ring_create(
		struct keep_ring *ring, const struct keep_ring_plan *plan, struct diag *diag);

enum csc_status keep_ring_start(struct keep_ring *ring, struct diag *diag);

/*
 * Writes what the ring holds, or the parts on disk that end now, to a new folder `ret_trace`, which
 * keep_ring_drop() removes.  Errors: a full disk, the session daemon is gone.
 */
enum csc_status keep_ring_take(
		struct keep_ring *ring, char ret_trace[static 320], struct diag *diag);
void keep_ring_drop(const struct keep_ring *ring, const char *trace);

/* Ends the session; the daemon goes on. */
void keep_ring_end(struct keep_ring *ring);

/* Ends a daemon of ours. */
void keep_ring_end_daemon(struct keep_ring *ring);

/* Makes a session that a killed keeper of this folder left the ring's own; false: there is none. */
bool keep_ring_adopt(struct keep_ring *ring);

/* Removes parts on disk that are older. */
void keep_ring_prune(const struct keep_ring *ring, unsigned int seconds);

#endif
