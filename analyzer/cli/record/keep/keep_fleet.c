/*
 * SPDX-License-Identifier: MIT
 *
 * In the spool, besides pushes:
 *
 *   .minutes    lines of the minutes of the next push
 *   .identity   a push of the node's first snapshots, whose names the minutes have
 *   .last       process and minute of the last line, written before it: after a kill -9 a minute
 * may be missing, but none is there twice .new        what becomes a push
 */
#include "keep_fleet.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "files.h"
#include "growing.h"
#include "process.h"
#include "push_file.h"
#include "push_minutes.h"
#include "server.h"

enum { MINUTE = 60, PUSH_MS = 900000, LOAD_MS = 600000 };

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

static enum csc_status run_own(const char *const words[], int timeout_ms, struct diag *diag)
{
	struct process_result *result = malloc(sizeof(*result));
	enum csc_status status = result
			? process_run_own((char *const *)words, timeout_ms, result, diag)
			: DIAG_NO_MEMORY(diag);

	free(result);
	return status;
}

/* ---- Pushes ---- */

/* The newest push of the spool is `.new` then. */
static enum csc_status add_new(const struct keep_fleet *fleet, struct diag *diag)
{
	char path[SPOOL_PATH_BYTES];
	unsigned int dropped = 0;
	enum csc_status status;

	keep_spool_path(&fleet->spool, ".new", path);
	status = keep_spool_add(&fleet->spool, path, &dropped, diag);
	if (dropped > 0) {
		command_print("'%s' is full (--spool): pushes that were dropped, the oldest first: %u",
				fleet->spool.folder, dropped);
	}
	return status;
}

/* Runs `carrierscope push DATABASE -o` for a file of the spool. */
static enum csc_status write_push(const struct keep_fleet *fleet, const char *database,
		const char *name, struct diag *diag)
{
	char path[SPOOL_PATH_BYTES];
	const char *words[8 + 2 * KEEP_LABELS + 1] = { "/proc/self/exe", "push", database, "-f",
		"-o", path };
	size_t count = 6;

	keep_spool_path(&fleet->spool, name, path);
	if (strcmp(name, ".new") == 0 && (fleet->is_known || fleet->pid == 0)) {
		words[count++] = "--without-minutes";
	}
	for (unsigned int i = 0; i < fleet->options->label_count; i++) {
		words[count++] = "--label";
		words[count++] = fleet->options->labels[i];
	}
	return run_own(words, PUSH_MS, diag);
}

enum csc_status keep_fleet_add_alarm(
		const struct keep_fleet *fleet, const char *database, struct diag *diag)
{
	enum csc_status status = write_push(fleet, database, ".new", diag);

	return status == CSC_OK ? add_new(fleet, diag) : status;
}

bool keep_fleet_needs_identity(const struct keep_fleet *fleet)
{
	return fleet->options && !fleet->is_known && fleet->ts > 0;
}

enum csc_status keep_fleet_identify(
		const struct keep_fleet *fleet, const char *trace, struct diag *diag)
{
	char database[SPOOL_PATH_BYTES];
	enum csc_status status;

	keep_spool_path(&fleet->spool, ".first.db", database);
	(void)unlink(database);
	status = run_own((const char *[]){ "/proc/self/exe", "load", "-q", "-f", "-o", database,
					 trace, NULL },
			LOAD_MS, diag);
	if (status == CSC_OK) {
		status = write_push(fleet, database, ".identity", diag);
	}
	(void)unlink(database);
	return status;
}

void keep_fleet_known(struct keep_fleet *fleet)
{
	fleet->is_known = true;
}

/* ---- Minutes ---- */

/* Lines of `.minutes`; *ret_minutes is to be freed. */
static size_t read_minutes(const struct keep_fleet *fleet, struct push_minute **ret_minutes,
		bool *ret_is_there)
{
	char path[SPOOL_PATH_BYTES];
	char line[FLEET_LINE_BYTES + 2];
	size_t count = 0;
	FILE *file;

	keep_spool_path(&fleet->spool, ".minutes", path);
	file = fopen(path, "re");
	*ret_is_there = file != NULL;
	*ret_minutes = NULL;
	while (file && fgets(line, sizeof(line), file)) {
		if (!csc_grow_by_one(ret_minutes, count, sizeof(**ret_minutes))) {
			break;
		}
		/* The last one may be half. */
		if (strchr(line, '\n') && push_minute_read(line, &(*ret_minutes)[count]) &&
				(count == 0 ||
						(*ret_minutes)[count].ts >
								(*ret_minutes)[count - 1].ts)) {
			count++;
		}
	}
	if (file) {
		(void)fclose(file);
	}
	return count;
}

static enum csc_status read_identity(
		const struct keep_fleet *fleet, struct push_rows *rows, struct diag *diag)
{
	char path[SPOOL_PATH_BYTES];
	bool is_end = false;
	enum csc_status status;
	FILE *file;

	keep_spool_path(&fleet->spool, ".identity", path);
	file = push_file_open(path);
	if (!file) {
		return DIAG_FAIL(diag, "there is no '%s'", path);
	}
	status = push_file_read(file, path, rows, &is_end, diag);
	(void)fclose(file);
	return status;
}

static enum csc_status write_rows(
		const struct keep_fleet *fleet, const struct push_rows *rows, struct diag *diag)
{
	char path[SPOOL_PATH_BYTES];
	FILE *file;
	int made;
	bool is_written;

	keep_spool_path(&fleet->spool, ".new", path);
	if (files_open_own(path, O_TRUNC, &made, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	file = fdopen(made, "w");
	if (file) {
		push_file_write(file, rows);
	}
	is_written = file && !ferror(file);
	if ((file ? fclose(file) : close(made)) != 0) {
		is_written = false;
	}
	return is_written ? add_new(fleet, diag) : DIAG_FAIL(diag, "cannot write '%s'", path);
}

/* Makes a push of the minutes there are; on a full disk they stay for the next time. */
static void close_minutes(struct keep_fleet *fleet)
{
	char path[SPOOL_PATH_BYTES];
	struct push_rows identity = { 0 };
	struct push_rows rows = { 0 };
	struct push_minute *minutes;
	struct diag diag = { 0 };
	bool is_there;
	size_t count = read_minutes(fleet, &minutes, &is_there);
	enum csc_status status = CSC_OK;

	if (count > 0) {
		status = read_identity(fleet, &identity, &diag);
	}
	if (count > 0 && status == CSC_OK) {
		status = push_minutes_make(&identity, minutes, count, &rows, &diag);
		if (status == CSC_OK) {
			status = write_rows(fleet, &rows, &diag);
		}
	}
	if (status == CSC_OK && is_there) {
		keep_spool_path(&fleet->spool, ".minutes", path);
		(void)unlink(path);
	}
	if (status != CSC_OK) {
		command_print("minutes for the fleet wait: %s", diag.text);
	}
	fleet->begun = status == CSC_OK ? 0 : time(NULL);
	push_rows_finish(&identity);
	push_rows_finish(&rows);
	free(minutes);
}

/* Two small writes; what is half is not read. */
static void write_minute(struct keep_fleet *fleet)
{
	char path[SPOOL_PATH_BYTES];
	char text[FLEET_LINE_BYTES + 2];
	int length = snprintf(text, sizeof(text), "%d %" PRId64 "\n", (int)fleet->pid,
			fleet->ts / MINUTE);
	struct diag ignored = { 0 };
	int file;

	keep_spool_path(&fleet->spool, ".last", path);
	if (files_open_own(path, 0, &file, &ignored) == CSC_OK) {
		/* Else the disk is full, and so it is for the line. */
		(void)!(pwrite(file, text, (size_t)length, 0) == length &&
				ftruncate(file, length) == 0);
		(void)close(file);
	}
	keep_spool_path(&fleet->spool, ".minutes", path);
	length = snprintf(text, sizeof(text), "%s\n", fleet->line);
	file = -1;
	if (files_open_own(path, O_APPEND, &file, &ignored) != CSC_OK ||
			write(file, text, (size_t)length) != length) {
		command_print("a minute for the fleet cannot be written to '%s'; is its disk full?",
				path);
	}
	if (file >= 0) {
		(void)close(file);
	}
	fleet->last_minute = fleet->ts / MINUTE;
	fleet->begun = fleet->begun ? fleet->begun : time(NULL);
}

/* The last snapshot of a minute is that minute; it is known when there is a later one. */
static void end_minute(struct keep_fleet *fleet)
{
	if (fleet->ts > 0 && fleet->is_known && fleet->ts / MINUTE > fleet->last_minute) {
		write_minute(fleet);
	}
	fleet->ts = 0;
}

/* "@TIME NAME CARRIERS BLOCKS POOL ... ; " and what status() answers. */
void keep_fleet_take(struct keep_fleet *fleet, char *answer)
{
	char *end = *answer == '@' ? strstr(answer, " ;") : NULL;
	struct push_minute minute;

	if (*answer != '@') {
		return;
	}
	if (end) {
		*end = '\0';
		if ((size_t)(end - answer) <= sizeof(fleet->line) &&
				push_minute_read(answer + 1, &minute)) {
			if (minute.ts / MINUTE != fleet->ts / MINUTE) {
				end_minute(fleet);
			}
			fleet->ts = minute.ts;
			(void)snprintf(fleet->line, sizeof(fleet->line), "%s", answer + 1);
		}
		end += strspn(end + 1, " ;") + 1;
	} else {
		end = answer + 1 + strspn(answer + 1, " ;");
	}
	memmove(answer, end, strlen(end) + 1);
}

void keep_fleet_begin(struct keep_fleet *fleet, pid_t pid)
{
	char path[SPOOL_PATH_BYTES];
	long last_pid = 0;
	long long minute = 0;
	char text[64] = "";
	char *rest = NULL;
	FILE *file;

	if (!fleet->options) {
		return;
	}
	keep_spool_path(&fleet->spool, ".last", path);
	file = fopen(path, "re");
	if (file && fgets(text, sizeof(text), file)) {
		last_pid = strtol(text, &rest, 10);
		minute = strtoll(rest, NULL, 10);
	}
	if (file) {
		(void)fclose(file);
	}
	fleet->pid = pid;
	fleet->last_minute = last_pid == pid ? minute : 0;
	fleet->is_known = false;
	fleet->ts = 0;
}

void keep_fleet_end(struct keep_fleet *fleet)
{
	if (fleet->options) {
		end_minute(fleet);
		close_minutes(fleet);
		fleet->is_known = false;
	}
}

/* ---- Sending ---- */

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
		if (end > options && run_own(words, PUSH_MS, diag) != CSC_OK) {
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

void keep_fleet_turn(struct keep_fleet *fleet)
{
	char oldest[SPOOL_PATH_BYTES];

	if (!fleet->options) {
		return;
	}
	if (fleet->begun > 0 && time(NULL) - fleet->begun >= fleet->options->push_seconds) {
		close_minutes(fleet);
	}
	if (has_ended(fleet) && (!fleet->is_away || monotonic_seconds() >= fleet->next_try) &&
			keep_spool_oldest(&fleet->spool, oldest)) {
		start_sender(fleet);
	}
}

void keep_fleet_close(struct keep_fleet *fleet)
{
	char oldest[SPOOL_PATH_BYTES];
	int64_t end = monotonic_seconds() + LAST_SECONDS;

	if (!fleet->options) {
		return;
	}
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

enum csc_status keep_fleet_open(struct keep_fleet *fleet, const struct keep_options *options,
		const char *folder, struct diag *diag)
{
	struct server *server = NULL;
	enum csc_status status;

	if (!options->fleet.server.address) {
		return CSC_OK;
	}
	status = server_open(&options->fleet.server, &server, diag);
	server_close(server);
	if (status == CSC_OK) {
		status = keep_spool_open(&fleet->spool, folder, options->spool_bytes, diag);
	}
	if (status == CSC_OK) {
		fleet->options = options;
		close_minutes(fleet);
	}
	return status;
}
