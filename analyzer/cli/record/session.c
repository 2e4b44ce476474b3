/*
 * SPDX-License-Identifier: MIT
 *
 * By the program lttng: it finds or starts the session daemon of whoever runs it.
 */
#include "session.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lttng.h"
#include "process.h"

enum { TRIES_A_SECOND = 10 };
enum { SUBBUFFERS = 4, LEAST_BYTES = 65536, MOST_BYTES = 8 * 1024 * 1024 };

uint64_t record_free_bytes(void)
{
	static const char name[] = "MemAvailable:";
	FILE *file = fopen("/proc/meminfo", "r");
	uint64_t kib = 0;
	char line[128];

	while (file && kib == 0 && fgets(line, sizeof(line), file)) {
		if (strncmp(line, name, strlen(name)) == 0) {
			kib = strtoull(line + strlen(name), NULL, 10);
		}
	}
	if (file) {
		(void)fclose(file);
	}
	return kib * 1024;
}

/* Sub-buffers are powers of two for each processor; LTTng adds one for its reader. */
static enum csc_status size_buffers(
		struct record_session *session, uint64_t memory_bytes, struct diag *diag)
{
	long processors = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t each = memory_bytes / (SUBBUFFERS + 1) /
			(uint64_t)(processors > 0 ? processors : 1);

	if (each < LEAST_BYTES) {
		return DIAG_FAIL(diag,
				"%llu KiB are too little for buffers of %ld processors: at least %ld KiB, by --memory",
				(unsigned long long)memory_bytes / 1024, processors,
				processors * (SUBBUFFERS + 1) * (LEAST_BYTES / 1024));
	}
	session->subbuffers = SUBBUFFERS;
	session->subbuffer_bytes = LEAST_BYTES;
	while (session->subbuffer_bytes * 2 <= each && session->subbuffer_bytes < MOST_BYTES) {
		session->subbuffer_bytes *= 2;
	}
	return CSC_OK;
}

/* The channel, its events and contexts, and the one process that is recorded. */
static enum csc_status fill_session(
		const struct record_session *session, pid_t pid, struct diag *diag)
{
	const char *name = session->name;
	char bytes[48];
	char count[48];
	char vpid[48];
	enum csc_status status;

	(void)snprintf(bytes, sizeof(bytes), "--subbuf-size=%zu", session->subbuffer_bytes);
	(void)snprintf(count, sizeof(count), "--num-subbuf=%zu", session->subbuffers);
	(void)snprintf(vpid, sizeof(vpid), "--vpid=%d", (int)pid);
	status = LTTNG(LTTNG_MS, diag, "enable-channel", "-u", "-s", name, "--buffers-uid", bytes,
			count, "memory");
	if (status == CSC_OK) {
		status = LTTNG(LTTNG_MS, diag, "enable-event", "-u", "-s", name, "-c", "memory",
				"carrierscope:*,org_erlang_otp:*,org_erlang_dyntrace:process_*");
	}
	if (status == CSC_OK) {
		status = LTTNG(LTTNG_MS, diag, "add-context", "-u", "-s", name, "-c", "memory",
				"-t", "vpid", "-t", "vtid", "-t", "procname");
	}
	if (status == CSC_OK) {
		status = LTTNG(LTTNG_MS, diag, "track", "-u", "-s", name, vpid);
	}
	return status;
}

enum csc_status record_session_create(struct record_session *session, pid_t pid,
		uint64_t memory_bytes, const char *database, struct diag *diag)
{
	char output[300];
	enum csc_status status = size_buffers(session, memory_bytes, diag);

	if (status == CSC_OK) {
		status = lttng_start_daemon(&session->daemon, diag);
	}
	if (status != CSC_OK) {
		return status;
	}
	(void)snprintf(session->name, sizeof(session->name), RECORD_SESSION_PREFIX "%d",
			(int)getpid());
	if ((size_t)snprintf(session->trace, sizeof(session->trace), "%s.trace-%d", database,
			    (int)getpid()) >= sizeof(session->trace)) {
		session->trace[0] = '\0';
		session->name[0] = '\0';
		return DIAG_FAIL(diag, "the name '%s' is too long", database);
	}
	(void)snprintf(output, sizeof(output), "--output=%s", session->trace);
	status = LTTNG(LTTNG_MS, diag, "create", session->name, output);
	if (status != CSC_OK) {
		session->name[0] = '\0';
		return status;
	}
	return fill_session(session, pid, diag);
}

enum csc_status record_session_await(pid_t pid, unsigned int seconds, struct diag *diag)
{
	struct process_result *result = malloc(sizeof(*result));
	char program[] = "lttng";
	char list[] = "list";
	char user[] = "-u";
	char line[32];
	bool is_known = false;
	enum csc_status status = result ? CSC_OK : DIAG_NO_MEMORY(diag);

	(void)snprintf(line, sizeof(line), "PID: %d ", (int)pid);
	for (unsigned int i = 0; status == CSC_OK && !is_known && i < seconds * TRIES_A_SECOND;
			i++) {
		if (i > 0) {
			process_pause();
		}
		status = process_run((char *[]){ program, list, user, NULL }, NULL, LTTNG_MS,
				result, diag);
		is_known = status == CSC_OK && strstr(result->output, line);
	}
	free(result);
	return status == CSC_OK && !is_known
			? DIAG_FAIL(diag, "LTTng's session daemon does not know process %d: does it run as another user, or in a container of its own?",
					  (int)pid)
			: status;
}

enum csc_status record_session_start(struct record_session *session, struct diag *diag)
{
	return LTTNG(LTTNG_MS, diag, "start", session->name);
}

void record_session_end(struct record_session *session)
{
	if (*session->name) {
		lttng_destroy(session->name);
		session->name[0] = '\0';
	}
	if (session->daemon > 0) {
		lttng_end_daemon(session->daemon);
		session->daemon = 0;
	}
}

void record_session_remove_trace(struct record_session *session)
{
	if (*session->trace) {
		lttng_remove_folder(session->trace);
		session->trace[0] = '\0';
	}
}

/* A session whose recorder, named by its pid, is gone. */
static void end_left(const char *name, void *context)
{
	unsigned int *count = context;
	long pid = strtol(name + strlen(RECORD_SESSION_PREFIX), NULL, 10);

	if (pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH) {
		lttng_destroy(name);
		++*count;
	}
}

enum csc_status record_session_clean(unsigned int *ret_count, struct diag *diag)
{
	*ret_count = 0;
	return lttng_each_session(RECORD_SESSION_PREFIX, end_left, ret_count, diag);
}
