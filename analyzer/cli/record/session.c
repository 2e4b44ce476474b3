/*
 * SPDX-License-Identifier: MIT
 *
 * By the program lttng: it finds or starts the session daemon of whoever runs it.
 */
#include "session.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process.h"

/* A daemon that writes to a slow disk may take a while; one that waits for a killed node, for ever.
 */
enum {
	LTTNG_MS = 30000,
	DESTROY_MS = 15000,
	DAEMON_TRIES = 100,
	TRIES_A_SECOND = 10,
	PAUSE_NS = 100000000
};
enum { SUBBUFFERS = 4, LEAST_BYTES = 65536, MOST_BYTES = 8 * 1024 * 1024 };

static void pause_briefly(void)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };

	(void)nanosleep(&pause, NULL);
}

/* Runs lttng with words that no one of them has a blank in. */
static enum csc_status run_lttng(int timeout_ms, struct diag *diag, const char *const words[])
{
	struct process_result *result = malloc(sizeof(*result));
	char *argv[16] = { NULL };
	enum csc_status status;

	if (!result) {
		return DIAG_NO_MEMORY(diag);
	}
	for (size_t i = 0; words[i]; i++) {
		argv[i] = (char *)words[i];
	}
	status = process_run(argv, NULL, timeout_ms, result, diag);
	if (status == CSC_OK && result->status != 0) {
		status = DIAG_FAIL(
				diag, "lttng %s: %s", words[1], process_last_line(result->output));
	}
	free(result);
	return status;
}
#define LTTNG(timeout_ms, diag, ...) \
	run_lttng((timeout_ms), (diag), (const char *const[]){ "lttng", __VA_ARGS__, NULL })

static bool has_daemon(void)
{
	struct diag ignored = { 0 };

	return LTTNG(LTTNG_MS, &ignored, "--no-sessiond", "list") == CSC_OK;
}

static enum csc_status start_daemon(struct record_session *session, struct diag *diag)
{
	pid_t pid;

	if (has_daemon()) {
		return CSC_OK;
	}
	pid = fork();
	if (pid < 0) {
		return DIAG_FAIL(diag, "cannot start LTTng's session daemon: %s", strerror(errno));
	}
	if (pid == 0) {
		(void)setpgid(0, 0);
		if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) {
			_exit(1);
		}
		(void)execlp("lttng-sessiond", "lttng-sessiond", "--no-kernel", (char *)NULL);
		_exit(1);
	}
	session->daemon = pid;
	for (int i = 0; i < DAEMON_TRIES; i++) {
		int status;

		if (has_daemon()) {
			return CSC_OK;
		}
		if (process_has_ended(pid, &status)) {
			session->daemon = 0;
			break;
		}
		pause_briefly();
	}
	return DIAG_FAIL(diag,
			"LTTng's session daemon cannot be started; is lttng-tools installed?");
}

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
		status = start_daemon(session, diag);
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
			pause_briefly();
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

/* Its consumers, too: at its end it waits for ever if a node was killed while it wrote an event. */
static void end_daemon(pid_t pid)
{
	int status;

	(void)kill(pid, SIGTERM);
	for (int i = 0; i < DAEMON_TRIES; i++) {
		if (process_has_ended(pid, &status)) {
			return;
		}
		pause_briefly();
	}
	(void)kill(-pid, SIGKILL);
	(void)waitpid(pid, &status, 0);
}

void record_session_end(struct record_session *session)
{
	struct diag ignored = { 0 };

	if (*session->name) {
		(void)LTTNG(LTTNG_MS, &ignored, "stop", session->name);
		if (LTTNG(DESTROY_MS, &ignored, "destroy", session->name) != CSC_OK) {
			(void)LTTNG(LTTNG_MS, &ignored, "destroy", "--no-wait", session->name);
		}
		session->name[0] = '\0';
	}
	if (session->daemon > 0) {
		end_daemon(session->daemon);
		session->daemon = 0;
	}
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
	(void)about;
	(void)kind;
	(void)where;
	return remove(path);
}

void record_session_remove_trace(struct record_session *session)
{
	if (*session->trace) {
		(void)nftw(session->trace, remove_one, 16, FTW_DEPTH | FTW_PHYS);
		session->trace[0] = '\0';
	}
}

/* A session whose recorder, named by its pid, is no more. */
static bool is_left(const char *name)
{
	long pid = strtol(name + strlen(RECORD_SESSION_PREFIX), NULL, 10);

	return pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

enum csc_status record_session_clean(unsigned int *ret_count, struct diag *diag)
{
	struct process_result *result = malloc(sizeof(*result));
	char program[] = "lttng";
	char no_daemon[] = "--no-sessiond";
	char list[] = "list";
	enum csc_status status;

	*ret_count = 0;
	if (!result) {
		return DIAG_NO_MEMORY(diag);
	}
	status = process_run(
			(char *[]){ program, no_daemon, list, NULL }, NULL, LTTNG_MS, result, diag);
	for (char *at = result->output;
			status == CSC_OK && (at = strstr(at, RECORD_SESSION_PREFIX));) {
		char name[64] = "";
		struct diag ignored = { 0 };

		(void)sscanf(at, "%63[-a-z0-9]", name);
		at += strlen(name);
		if (is_left(name) &&
				(LTTNG(DESTROY_MS, &ignored, "destroy", name) == CSC_OK ||
						LTTNG(LTTNG_MS, &ignored, "destroy", "--no-wait",
								name) == CSC_OK)) {
			++*ret_count;
		}
	}
	free(result);
	return status;
}
