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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "files.h"
#include "growing.h"
#include "keep_send.h"
#include "push_file.h"
#include "push_minutes.h"
#include "server.h"

enum { MINUTE = 60, LOAD_MS = 600000 };

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
	return keep_send_run(words, KEEP_PUSH_MS, diag);
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

/* As `.first.db`, which the caller removes. */
static enum csc_status load(const struct keep_fleet *fleet, const char *trace,
		char ret_database[static SPOOL_PATH_BYTES], struct diag *diag)
{
	keep_spool_path(&fleet->spool, ".first.db", ret_database);
	(void)unlink(ret_database);
	return keep_send_run((const char *[]){ "/proc/self/exe", "load", "-q", "-f", "-o",
					     ret_database, trace, NULL },
			LOAD_MS, diag);
}

enum csc_status keep_fleet_identify(
		const struct keep_fleet *fleet, const char *trace, struct diag *diag)
{
	char database[SPOOL_PATH_BYTES];
	enum csc_status status = load(fleet, trace, database, diag);

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

/* "TIME NAME CARRIERS BLOCKS POOL ..." of a snapshot that is later than the one before. */
static void take_line(void *context, const char *line)
{
	struct keep_fleet *fleet = context;
	struct push_minute minute;

	if (strlen(line) < sizeof(fleet->line) && push_minute_read(line, &minute)) {
		if (minute.ts / MINUTE != fleet->ts / MINUTE) {
			end_minute(fleet);
		}
		fleet->ts = minute.ts;
		(void)snprintf(fleet->line, sizeof(fleet->line), "%s", line);
	}
}

/* "@LINE ; " and what status() answers. */
void keep_fleet_take(struct keep_fleet *fleet, char *answer)
{
	char *end = *answer == '@' ? strstr(answer, " ;") : NULL;

	if (*answer != '@') {
		return;
	}
	if (end) {
		*end = '\0';
		take_line(fleet, answer + 1);
		end += strspn(end + 1, " ;") + 1;
	} else {
		end = answer + 1 + strspn(answer + 1, " ;");
	}
	memmove(answer, end, strlen(end) + 1);
}

enum csc_status keep_fleet_take_part(struct keep_fleet *fleet, const char *trace, struct diag *diag)
{
	char database[SPOOL_PATH_BYTES];
	enum csc_status status = load(fleet, trace, database, diag);

	if (status == CSC_OK && !fleet->is_known) {
		status = write_push(fleet, database, ".identity", diag);
		fleet->is_known = status == CSC_OK;
	}
	if (status == CSC_OK) {
		status = push_minutes_read(database, take_line, fleet, diag);
	}
	(void)unlink(database);
	return status;
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

void keep_fleet_turn(struct keep_fleet *fleet)
{
	if (!fleet->options) {
		return;
	}
	if (fleet->begun > 0 && time(NULL) - fleet->begun >= fleet->options->push_seconds) {
		close_minutes(fleet);
	}
	keep_send(fleet);
}

void keep_fleet_close(struct keep_fleet *fleet)
{
	if (fleet->options) {
		keep_send_rest(fleet);
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
