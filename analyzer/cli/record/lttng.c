/*
 * SPDX-License-Identifier: MIT
 */
#include "lttng.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"

enum { DAEMON_TRIES = 100 };

enum csc_status lttng_run(int timeout_ms, struct diag *diag, const char *const words[])
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

static bool has_daemon(void)
{
	struct diag ignored = { 0 };

	return LTTNG(LTTNG_MS, &ignored, "--no-sessiond", "list") == CSC_OK;
}

enum csc_status lttng_start_daemon(pid_t *daemon, struct diag *diag)
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
	*daemon = pid;
	for (int i = 0; i < DAEMON_TRIES; i++) {
		int status;

		if (has_daemon()) {
			return CSC_OK;
		}
		if (process_has_ended(pid, &status)) {
			*daemon = 0;
			break;
		}
		process_pause();
	}
	return DIAG_FAIL(diag,
			"LTTng's session daemon cannot be started; is lttng-tools installed?");
}

/* Its consumers, too: at its end it waits for ever if a node was killed while it wrote an event. */
void lttng_end_daemon(pid_t daemon)
{
	int status;

	(void)kill(daemon, SIGTERM);
	for (int i = 0; i < DAEMON_TRIES; i++) {
		if (process_has_ended(daemon, &status) || kill(daemon, 0) != 0) {
			return;
		}
		process_pause();
	}
	(void)kill(-daemon, SIGKILL);
	(void)waitpid(daemon, &status, 0);
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
	(void)about;
	(void)kind;
	(void)where;
	return remove(path);
}

void lttng_remove_folder(const char *folder)
{
	(void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A session of a node that was killed while it wrote an event may never end by itself. */
void lttng_destroy(const char *session)
{
	struct diag ignored = { 0 };

	(void)LTTNG(LTTNG_MS, &ignored, "stop", session);
	if (LTTNG(LTTNG_DESTROY_MS, &ignored, "destroy", session) != CSC_OK) {
		(void)LTTNG(LTTNG_MS, &ignored, "destroy", "--no-wait", session);
	}
}

enum csc_status lttng_each_session(const char *prefix,
		void (*visit)(const char *session, void *context), void *context, struct diag *diag)
{
	struct process_result *result = malloc(sizeof(*result));
	char program[] = "lttng";
	char no_daemon[] = "--no-sessiond";
	char list[] = "list";
	enum csc_status status;

	if (!result) {
		return DIAG_NO_MEMORY(diag);
	}
	status = process_run(
			(char *[]){ program, no_daemon, list, NULL }, NULL, LTTNG_MS, result, diag);
	for (char *at = result->output; status == CSC_OK && (at = strstr(at, prefix));) {
		char name[64] = "";

		(void)sscanf(at, "%63[-a-z0-9]", name);
		at += strlen(name);
		visit(name, context);
	}
	free(result);
	return status;
}
