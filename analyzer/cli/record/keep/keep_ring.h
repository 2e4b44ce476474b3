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
#include "mark.h"

struct keep_ring {
	/* Sessions of one folder begin with `prefix`; empty name: there is none. */
	char prefix[48];
	char name[96];

	/* Of the keeper: the end of its session's name. */
	char mark[MARK_BYTES];

	/* The keeper's folder; absolute. */
	char folder[256];

	/* A session daemon of our own; 0: there was one. */
	pid_t daemon;
	bool is_on_disk;

	/* Its parts on disk lie in a folder that was there before. */
	bool has_old_parts;

	/* Of the buffers of one processor: what the ring of hours holds. */
	uint64_t hours_bytes;

	/* The same of the smaller ring of snapshots. */
	uint64_t least_bytes;
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

/*
 * From here on LTTng itself takes a snapshot at the end of the one that the process takes at an
 * alarm; its folder appears in the keeper's.  Yields a descriptor to poll() for that, -1: LTTng has
 * no such triggers (2.12 and older), or inotify is not there; then the node has to be asked.
 */
int keep_ring_watch_alarms(const struct keep_ring *ring, pid_t pid);

/*
 * The newest of these snapshots, once it is whole, as keep_ring_take() has it.  False: there is
 * none, or the disk is full.
 */
bool keep_ring_take_alarm(const struct keep_ring *ring, char ret_trace[static 320]);

/* Bytes that a user may still write to the keeper's folder. */
uint64_t keep_ring_room(const struct keep_ring *ring);

/* Ends the session; the daemon goes on. */
void keep_ring_end(struct keep_ring *ring);

/* Leaves the session to the next keeper: it records nothing more. */
void keep_ring_leave(struct keep_ring *ring);

/* Ends a session in which nothing was recorded; of its folders, those that it made go. */
void keep_ring_undo(struct keep_ring *ring);

/* Ends a daemon of ours. */
void keep_ring_end_daemon(struct keep_ring *ring);

/* The folder of the trace that a kill -9 leaves, `is_on_disk`: in parts. */
void keep_ring_name_left(
		const struct keep_ring *ring, bool is_on_disk, char *ret_trace, size_t bytes);

/* Makes a session that a dead keeper of this folder left the ring's own; false: there is none. */
bool keep_ring_adopt(struct keep_ring *ring);

/* Removes parts on disk that are older, those of dead keepers, too. */
void keep_ring_prune(const struct keep_ring *ring, unsigned int seconds);

#endif
