/*
 * SPDX-License-Identifier: MIT
 *
 * By the program lttng: it finds or starts the session daemon of whoever runs it.
 */
#include "session.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffers.h"
#include "daemon.h"
#include "files.h"
#include "lttng.h"
#include "mark.h"
#include "process.h"

enum { TRIES_A_SECOND = 10 };

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

/* The channel, its events and contexts, and the one process that is recorded. */
static enum csc_status fill_session(
		const struct record_session *session, pid_t pid, struct diag *diag)
{
	const char *name = session->name;
	char bytes[48];
	char count[48];
	char vpid[48];
	enum csc_status status;

	(void)snprintf(bytes, sizeof(bytes), "--subbuf-size=%zu",
			(size_t)session->ring.subbuffer_bytes);
	(void)snprintf(count, sizeof(count), "--num-subbuf=%u", session->ring.subbuffers);
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

enum csc_status record_session_name(
		struct record_session *session, const char *database, struct diag *diag)
{
	char mark[MARK_BYTES];

	mark_own(mark);
	(void)snprintf(session->name, sizeof(session->name), RECORD_SESSION_PREFIX "%s", mark);
	if ((size_t)snprintf(session->trace, sizeof(session->trace), "%s.trace-%s", database,
			    mark) >= sizeof(session->trace)) {
		session->trace[0] = '\0';
		return DIAG_FAIL(diag, "the name '%s' is too long", database);
	}
	return CSC_OK;
}

enum csc_status record_session_create(
		struct record_session *session, pid_t pid, uint64_t memory_bytes, struct diag *diag)
{
	char output[420];
	enum csc_status status = buffers_for_recording(
			memory_bytes, buffers_processors(), &session->ring, diag);
	int turn;

	if (status != CSC_OK) {
		return status;
	}
	/* By us, before LTTng's daemon would: for this user alone. */
	if (files_make_folder(session->trace) != 0) {
		return DIAG_FAIL(diag, "cannot make the folder '%s': %s", session->trace,
				strerror(errno));
	}
	(void)snprintf(output, sizeof(output), "--output=%s", session->trace);
	turn = daemon_take_turn();
	status = daemon_start(&session->daemon, diag);
	if (status == CSC_OK) {
		status = lttng_create(session->name, output, NULL, diag);
	}
	daemon_leave_turn(turn);
	session->was_made = status == CSC_OK;
	return status == CSC_OK ? fill_session(session, pid, diag) : status;
}

/* Another user's process, that a daemon of ours does not record; NULL: it may be recorded, or
 * nothing is known of it. */
static const struct passwd *owner_elsewhere(pid_t pid)
{
	char path[32];
	struct stat about;

	(void)snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return geteuid() != 0 && stat(path, &about) == 0 && about.st_uid != geteuid()
			? getpwuid(about.st_uid)
			: NULL;
}

/* A process of this user, who is not root. */
static bool is_own(pid_t pid)
{
	char path[32];
	struct stat about;

	(void)snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return geteuid() != 0 && stat(path, &about) == 0 && about.st_uid == geteuid();
}

static enum csc_status fail_unknown(pid_t pid, struct diag *diag)
{
	const struct passwd *owner = owner_elsewhere(pid);

	if (owner) {
		return DIAG_FAIL(diag,
				"process %d is of user '%s', and LTTng's session daemon of this user does not record it: run this as that user or as root",
				(int)pid, owner->pw_name);
	}
	return DIAG_FAIL(diag,
			"LTTng's session daemon of this user does not know process %d%s, and in the node's container if it has one",
			(int)pid,
			is_own(pid) ? ", which loaded LTTng's library before this user ever had a session daemon, or elsewhere: start the node again, or run this as root"
				    : ": run this as the user of the node or as root");
}

/* The processes that the daemon knows.  Its list has some 6 KiB of events for each of ours, which
 * nobody needs: of a dozen they are more than is kept of an answer. */
static enum csc_status list_processes(struct process_result *result, struct diag *diag)
{
	char shell[] = "sh";
	char option[] = "-c";
	char list[] = "lttng list -u | grep '^PID: '";

	return process_run((char *[]){ shell, option, list, NULL }, NULL, LTTNG_MS, result, diag);
}

enum csc_status record_session_await(
		pid_t pid, pid_t daemon, unsigned int seconds, struct diag *diag)
{
	struct process_result *result = malloc(sizeof(*result));
	char line[32];
	bool is_known = false;
	enum csc_status status = result ? CSC_OK : DIAG_NO_MEMORY(diag);
	/* Nobody of another user comes to a daemon of our own. */
	unsigned int tries = daemon > 0 && owner_elsewhere(pid) ? 0 : seconds * TRIES_A_SECOND;

	(void)snprintf(line, sizeof(line), "PID: %d ", (int)pid);
	for (unsigned int i = 0; status == CSC_OK && !is_known && i < tries; i++) {
		if (i > 0) {
			process_pause();
		}
		status = list_processes(result, diag);
		is_known = status == CSC_OK && strstr(result->output, line);
	}
	free(result);
	return status == CSC_OK && !is_known ? fail_unknown(pid, diag) : status;
}

pid_t record_session_find_below(pid_t ancestor)
{
	struct process_result *result = malloc(sizeof(*result));
	struct diag diag = { 0 };
	pid_t found = 0;

	if (result && list_processes(result, &diag) == CSC_OK) {
		const char *at = result->output;

		while (found == 0 && (at = strstr(at, "PID: "))) {
			pid_t pid = (pid_t)strtol(at += strlen("PID: "), NULL, 10);

			found = process_is_below(pid, ancestor) ? pid : 0;
		}
	}
	free(result);
	return found;
}

enum csc_status record_session_start(struct record_session *session, struct diag *diag)
{
	return LTTNG(LTTNG_MS, diag, "start", session->name);
}

enum csc_status record_session_stop(struct record_session *session, struct diag *diag)
{
	struct diag why = { 0 };

	/* lttng_destroy() waits until all is written. */
	return LTTNG(LTTNG_MS, &why, "stop", "--no-wait", session->name) == CSC_OK
			? CSC_OK
			: DIAG_FAIL(diag, "the recording ended before its time (%s): its session was destroyed, or LTTng's session daemon ended; what was recorded until then is judged",
					  why.text);
}

void record_session_end(struct record_session *session)
{
	if (session->was_made) {
		lttng_destroy(session->name);
	}
	if (session->daemon > 0 || session->was_made) {
		daemon_end(session->daemon);
		session->daemon = 0;
		session->was_made = false;
	}
}

void record_session_remove_trace(struct record_session *session)
{
	if (*session->trace) {
		files_remove_tree(session->trace);
		session->trace[0] = '\0';
	}
}
