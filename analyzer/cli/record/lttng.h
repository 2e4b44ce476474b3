/*
 * SPDX-License-Identifier: MIT
 *
 * The program lttng, and the session daemon of the user that runs it.
 */
#ifndef CSC_RECORD_LTTNG_H
#define CSC_RECORD_LTTNG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "diag.h"

/* A daemon that writes to a slow disk may take a while; one that waits for a killed node, without
 * end. */
enum { LTTNG_MS = 30000, LTTNG_DESTROY_MS = 15000 };

/* Runs lttng with words that NULL ends, the first is "lttng".  Errors: it is not installed, does
 * not end in time, or refuses. */
enum csc_status lttng_run(int timeout_ms, struct diag *diag, const char *const words[]);
#define LTTNG(timeout_ms, diag, ...) \
	lttng_run((timeout_ms), (diag), (const char *const[]){ "lttng", __VA_ARGS__, NULL })

/* Starts a session daemon unless one answers; *daemon is its pid then, and as it was otherwise. */
enum csc_status lttng_start_daemon(pid_t *daemon, struct diag *diag);

/* Ends a daemon that lttng_start_daemon() started, of this process or of one that was killed. */
void lttng_end_daemon(pid_t daemon);

/* Writes what is in the buffers of a session where it records into files, and removes it. */
void lttng_destroy(const char *session);

/*
 * Calls `visit` with the name of each session that begins with `prefix`; `context` is handed over.
 * Errors: no daemon answers.
 */
enum csc_status lttng_each_session(const char *prefix,
		void (*visit)(const char *session, void *context), void *context,
		struct diag *diag);

/* Removes a folder with all that is in it. */
void lttng_remove_folder(const char *folder);

#endif
