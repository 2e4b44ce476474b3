/*
 * SPDX-License-Identifier: MIT
 *
 * The LTTng session of a recording: it records one process.
 */
#ifndef CSC_RECORD_SESSION_H
#define CSC_RECORD_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "buffers.h"
#include "diag.h"

/* Names of our sessions: this and the recorder's mark. */
#define RECORD_SESSION_PREFIX "carrierscope-record-"

struct record_session {
	char name[80];

	/* Folder of the trace; owned by the session, removed by session_remove_trace(). */
	char trace[400];

	struct ring_size ring;

	/* A session daemon of our own; 0: there was one. */
	pid_t daemon;

	/* The session was made: it is to be ended, and a daemon that another recorder started may
	 * be left to us. */
	bool was_made;
};

/* Bytes of ring buffers in all that are used if the user names none: a tenth of what is free, at
 * most this. */
enum { RECORD_DEFAULT_BYTES = 32 * 1024 * 1024 };

/* How much memory is free for new work, in bytes; 0: unknown. */
uint64_t record_free_bytes(void);

/* Names the session and its trace, which is to lie beside `database`; nothing is made.  Errors: the
 * name is too long. */
enum csc_status record_session_name(
		struct record_session *session, const char *database, struct diag *diag);

/*
 * Makes a session that records process `pid` (as that process sees itself) and has ring buffers of
 * at most `memory_bytes` in all; it does not run yet.  It is named before. Errors: LTTng is not
 * installed or refuses, too little memory for the processors of this machine.
 */
enum csc_status record_session_create(struct record_session *session, pid_t pid,
		uint64_t memory_bytes, struct diag *diag);

/*
 * Waits until the session daemon knows process `pid`, for at most `seconds`.  A process that lost
 * its daemon asks for one every five seconds.  `daemon`: ours, 0 for one that was there; ours is of
 * this user, so another user's process is not awaited.  Errors: it does not know it then.
 */
enum csc_status record_session_await(
		pid_t pid, pid_t daemon, unsigned int seconds, struct diag *diag);

/* A process that LTTng's session daemon knows and that `ancestor` started, itself or by others; 0:
 * there is none. */
pid_t record_session_find_below(pid_t ancestor);

enum csc_status record_session_start(struct record_session *session, struct diag *diag);

/* Stops the session.  Errors: it is gone, since somebody destroyed it or its daemon ended. */
enum csc_status record_session_stop(struct record_session *session, struct diag *diag);

/* Writes what is still in the buffers and ends the session; the daemon as well if a recorder
 * started it and nobody else uses it.  May be repeated. */
void record_session_end(struct record_session *session);

void record_session_remove_trace(struct record_session *session);

#endif
