/*
 * SPDX-License-Identifier: MIT
 *
 * The LTTng session of a recording: it records one process.
 */
#ifndef CSC_RECORD_SESSION_H
#define CSC_RECORD_SESSION_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "diag.h"

/* Names of our sessions: this and the recorder's pid. */
#define RECORD_SESSION_PREFIX "carrierscope-record-"

struct record_session {
	char name[64];

	/* Folder of the trace; owned by the session, removed by session_remove_trace(). */
	char trace[256];

	/* Of each sub-buffer, and how many there are for each processor. */
	size_t subbuffer_bytes;
	size_t subbuffers;

	/* A session daemon of our own; 0: there was one. */
	pid_t daemon;
};

/* Bytes of ring buffers in all that are used if the user names none: a tenth of what is free, at
 * most this. */
enum { RECORD_DEFAULT_BYTES = 32 * 1024 * 1024 };

/* How much memory is free for new work, in bytes; 0: unknown. */
uint64_t record_free_bytes(void);

/*
 * Makes a session that records process `pid` (as that process sees itself) and has ring buffers of
 * at most `memory_bytes` in all; it does not run yet.  The trace lies beside `database`. Errors:
 * LTTng is not installed or refuses, too little memory for the processors of this machine.
 */
enum csc_status record_session_create(struct record_session *session, pid_t pid,
		uint64_t memory_bytes, const char *database, struct diag *diag);

/*
 * Waits until the session daemon knows process `pid`, for at most `seconds`.  A process that lost
 * its daemon asks for one every five seconds.  Errors: it does not know it then.
 */
enum csc_status record_session_await(pid_t pid, unsigned int seconds, struct diag *diag);

enum csc_status record_session_start(struct record_session *session, struct diag *diag);

/* Writes what is still in the buffers and ends the session; our daemon as well.  May be repeated.
 */
void record_session_end(struct record_session *session);

void record_session_remove_trace(struct record_session *session);

/* Ends sessions whose recorder is gone; *ret_count: how many. */
enum csc_status record_session_clean(unsigned int *ret_count, struct diag *diag);

#endif
