/*
 * SPDX-License-Identifier: MIT
 */
#include "keep_send.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "process.h"
#include "push_file.h"
#include "server.h"

/* Seconds between tries while the server is away, doubled each time; and at the end. */
enum { FIRST_PAUSE = 10, LONGEST_PAUSE = 600, LAST_SECONDS = 10 };

/* Pushes of the spool that one command sends. */
enum { SENT_AT_ONCE = 32 };

static int64_t monotonic_seconds(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

enum csc_status keep_send_run(const char *const words[], int timeout_ms, struct diag *diag)
{
	struct process_result *result = malloc(sizeof(*result));
	enum csc_status status = result
			? process_run_own((char *const *)words, timeout_ms, result, diag)
			: DIAG_NO_MEMORY(diag);

	free(result);
	return status;
}

/* Whether it is a push that is whole. */
static bool is_sound(const char *path)
{
	struct push_rows rows = { 0 };
	struct diag ignored = { 0 };
	bool is_end = false;
	FILE *file = push_file_open(path);
	bool is_read = file && push_file_read(file, path, &rows, &is_end, &ignored) == CSC_OK;

	if (file) {
		(void)fclose(file);
	}
	push_rows_finish(&rows);
	return is_read;
}

/* Whether a file of the spool is a push; else it is removed. */
static bool keep_sound(const char *path)
{
	bool is_kept = is_sound(path);

	if (!is_kept) {
		command_print("'%s' is no whole push, and is removed", path);
		(void)unlink(path);
	}
	return is_kept;
}

static bool are_there(const char *const paths[])
{
	while (*paths && access(*paths, F_OK) == 0) {
		paths++;
	}
	return !*paths;
}

/* Removes what was sent. */
static enum csc_status remove_sent(
		char (*paths)[SPOOL_PATH_BYTES], unsigned int count, struct diag *diag)
{
	for (unsigned int i = 0; i < count; i++) {
		if (unlink(paths[i]) != 0 && access(paths[i], F_OK) == 0) {
			return DIAG_FAIL(diag, "cannot remove '%s'", paths[i]);
		}
	}
	return CSC_OK;
}

/* Sends the oldest first, some at once, until none is left or the server does not take them. */
static enum csc_status send_all(const struct keep_fleet *fleet, struct diag *diag)
{
	const struct server_options *server = &fleet->options->fleet.server;
	char paths[SENT_AT_ONCE][SPOOL_PATH_BYTES];
	char timeout[24];
	const char *words[12 + SENT_AT_ONCE] = { "/proc/self/exe", "push", "--to", server->address,
		"--timeout", timeout };
	size_t options = 6;
	unsigned int count;

	(void)snprintf(timeout, sizeof(timeout), "%ld", server->timeout_s);
	if (server->credentials) {
		words[options++] = "--credentials";
		words[options++] = server->credentials;
	}
	if (server->certificates) {
		words[options++] = "--ca";
		words[options++] = server->certificates;
	}
	while ((count = keep_spool_first(&fleet->spool, SENT_AT_ONCE, paths)) > 0) {
		size_t end = options;

		for (unsigned int i = 0; i < count; i++) {
			if (keep_sound(paths[i])) {
				words[end++] = paths[i];
			}
		}
		words[end] = NULL;
		/* One that is gone was too old for the spool meanwhile: the others are sent again.
		 */
		if (end > options && keep_send_run(words, KEEP_PUSH_MS, diag) != CSC_OK) {
			if (are_there(words + options)) {
				return CSC_ERROR;
			}
			continue;
		}
		if (remove_sent(paths, count, diag) != CSC_OK) {
			return CSC_ERROR;
		}
	}
	return CSC_OK;
}

static void start_sender(struct keep_fleet *fleet)
{
	struct diag diag = { 0 };
	pid_t keeper = getpid();
	int ends[2];

	(void)fflush(stdout);
	if (pipe2(ends, O_CLOEXEC) != 0) {
		return;
	}
	fleet->sender = fork();
	if (fleet->sender == 0) {
		bool is_sent;

		process_end_with(keeper);
		(void)close(ends[0]);
		is_sent = send_all(fleet, &diag) == CSC_OK;
		_exit(write(ends[1], diag.text, strlen(diag.text)) < 0 || !is_sent);
	}
	(void)close(ends[1]);
	fleet->says = ends[0];
	if (fleet->sender < 0) {
		(void)close(ends[0]);
		fleet->sender = 0;
	}
}

static void note_away(struct keep_fleet *fleet, const char *why)
{
	struct keep_spool_size size = keep_spool_size(&fleet->spool);

	if (fleet->pause > 0) {
		fleet->pause *= 2;
	} else {
		fleet->pause = FIRST_PAUSE < fleet->options->push_seconds
				? FIRST_PAUSE
				: fleet->options->push_seconds;
	}
	fleet->pause = fleet->pause > LONGEST_PAUSE ? LONGEST_PAUSE : fleet->pause;
	fleet->next_try = monotonic_seconds() + fleet->pause;
	if (!fleet->is_away) {
		command_print("%s; what is for the fleet waits in '%s' (%u pushes, %.1f MiB)", why,
				fleet->spool.folder, size.count, (double)size.bytes / 1048576);
	}
	fleet->is_away = true;
}

/* Whether no sender runs any more. */
static bool has_ended(struct keep_fleet *fleet)
{
	struct diag diag = { 0 };
	int status = 0;

	if (fleet->sender == 0) {
		return true;
	}
	if (waitpid(fleet->sender, &status, WNOHANG) != fleet->sender) {
		return false;
	}
	fleet->sender = 0;
	if (status != 0 && read(fleet->says, diag.text, sizeof(diag.text) - 1) > 0) {
		note_away(fleet, diag.text);
	} else if (status != 0) {
		note_away(fleet, "'carrierscope push' was ended");
	} else {
		if (fleet->is_away) {
			command_print("the fleet's server takes pushes again, and nothing waits");
		}
		fleet->is_away = false;
		fleet->pause = 0;
	}
	(void)close(fleet->says);
	return true;
}

void keep_send(struct keep_fleet *fleet)
{
	char oldest[SPOOL_PATH_BYTES];

	if (has_ended(fleet) && (!fleet->is_away || monotonic_seconds() >= fleet->next_try) &&
			keep_spool_oldest(&fleet->spool, oldest)) {
		start_sender(fleet);
	}
}

void keep_send_rest(struct keep_fleet *fleet)
{
	char oldest[SPOOL_PATH_BYTES];
	int64_t end = monotonic_seconds() + LAST_SECONDS;

	if (has_ended(fleet) && keep_spool_oldest(&fleet->spool, oldest)) {
		start_sender(fleet);
	}
	while (!has_ended(fleet) && monotonic_seconds() < end) {
		process_pause();
	}
	if (fleet->sender > 0) {
		(void)kill(fleet->sender, SIGTERM);
		(void)waitpid(fleet->sender, NULL, 0);
		(void)close(fleet->says);
		note_away(fleet, "the server did not take everything yet");
	}
}
