/*
 * SPDX-License-Identifier: MIT
 *
 * The program lttng.
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

/*
 * Makes a session, of traces in CTF 1.8, which every reader has; LTTng writes CTF 2 by default
 * from 2.15 on.  `option`: one more, NULL: none.
 */
enum csc_status lttng_create(
		const char *name, const char *output, const char *option, struct diag *diag);

/* Writes what is in the buffers of a session where it records into files, and removes it. */
void lttng_destroy(const char *session);

/*
 * Calls `visit` with the name of each session that begins with `prefix`; `context` is handed over.
 * Errors: no daemon answers.
 */
enum csc_status lttng_each_session(const char *prefix,
		void (*visit)(const char *session, void *context), void *context,
		struct diag *diag);

/* Bytes of all files in a folder. */
uint64_t lttng_folder_bytes(const char *folder);

#endif
