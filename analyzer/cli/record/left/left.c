/*
 * SPDX-License-Identifier: MIT
 */
#include "left.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "daemon.h"
#include "files.h"
#include "lttng.h"
#include "mark.h"
#include "process.h"

/* What begins each name of a session of ours. */
static const char records[] = "carrierscope-record-";
static const char keeps[] = "carrierscope-keep-";

/* After the death of a process: by then its children, which die with it, ask for nothing more. */
enum { DYING_NS = 300000000 };

/* Of a keeper's session, "carrierscope-keep-FOLDER-MARK". */
static const char *mark_of_session(const char *session)
{
	const char *mark = session + strlen(records);

	if (strncmp(session, keeps, strlen(keeps)) == 0) {
		mark = strchr(session + strlen(keeps), '-');
		mark = mark ? mark + 1 : "";
	}
	return mark;
}

struct session {
	const struct note *note;

	/* Empty: there is none. */
	char name[96];
};

static void find_session(const char *name, void *context)
{
	struct session *session = context;

	if (strcmp(mark_of_session(name), session->note->mark) == 0) {
		(void)snprintf(session->name, sizeof(session->name), "%s", name);
	}
}

/* Folders of a keeper's own that nobody reads any more. */
static void remove_aside(const struct note *note)
{
	static const char *const names[] = { ".ring-", ".alarm-" };
	char path[2 * NOTE_PATH_BYTES];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s%s", note->target, names[i], note->mark);
		files_remove_tree(path);
	}
}

/* What the ring holds is in its trace then; false: the disk has no room. */
static bool save_ring(const struct note *note, const char *session)
{
	char url[NOTE_PATH_BYTES + 8];
	struct diag why = { 0 };

	(void)snprintf(url, sizeof(url), "file://%s", note->trace);
	if (left_has_trace(note) ||
			(files_use_folder(note->trace, &why) == CSC_OK &&
					LTTNG(LTTNG_MS, &why, "snapshot", "record", "-s", session,
							url) == CSC_OK)) {
		return true;
	}
	files_remove_tree(note->trace);
	/* One that never began holds nothing. */
	return strstr(why.text, "started once") != NULL;
}

/* False: it holds what cannot be written yet; it records nothing more. */
static bool end_session(const struct note *note, const char *session)
{
	struct diag ignored = { 0 };

	if (note->kind != NOTE_KEEPS_RING) {
		lttng_destroy(session);
		return true;
	}
	if (!save_ring(note, session)) {
		(void)LTTNG(LTTNG_MS, &ignored, "stop", session);
		return false;
	}
	(void)LTTNG(LTTNG_MS, &ignored, "remove-trigger", session);
	(void)LTTNG(LTTNG_MS, &ignored, "destroy", "--no-wait", session);
	return true;
}

static void end_noted(struct note *note, void *context)
{
	unsigned int *count = context;
	struct session session = { .note = note };
	struct diag ignored = { 0 };
	bool is_ended;

	note_end_home(note);
	/* A daemon that is too busy to answer has it still. */
	is_ended = lttng_each_session("carrierscope-", find_session, &session, &ignored) == CSC_OK;
	if (*session.name) {
		is_ended = end_session(note, session.name);
		*count += is_ended;
	}
	if (is_ended && (note->kind == NOTE_KEEPS_RING || note->kind == NOTE_KEEPS_PARTS)) {
		remove_aside(note);
	}
	if (is_ended && !left_has_trace(note)) {
		left_remove(note);
	}
}

/* Of a recorder that could write no note. */
static void end_unnoted(const char *session, void *context)
{
	unsigned int *count = context;

	if (strncmp(session, records, strlen(records)) == 0 &&
			mark_is_dead(mark_of_session(session))) {
		lttng_destroy(session);
		++*count;
	}
}

unsigned int left_end(void)
{
	struct diag ignored = { 0 };
	unsigned int count = 0;

	note_each_dead(end_noted, &count);
	(void)lttng_each_session(records, end_unnoted, &count, &ignored);
	daemon_end_left();
	return count;
}

bool left_has_trace(const struct note *note)
{
	return *note->trace && lttng_folder_bytes(note->trace) > 0;
}

void left_remove(struct note *note)
{
	if (*note->trace) {
		files_remove_tree(note->trace);
	}
	note_end(note);
}

static void say(struct note *note, void *context)
{
	const char *mark = context;

	if (mark && strcmp(mark, note->mark) != 0) {
		return;
	}
	if (note->kind == NOTE_RECORDS && left_has_trace(note)) {
		command_print("the recorder of %s (OS pid %d) was killed; what it recorded is in '%s': 'carrierscope record --clean' makes a database of it",
				note->node, (int)mark_pid(note->mark), note->trace);
	} else if (note->kind == NOTE_KEEPS_RING || note->kind == NOTE_KEEPS_PARTS) {
		command_print("the keeper of %s (OS pid %d) was killed; what it recorded is judged by the next 'carrierscope keep -o %s', or by 'carrierscope record --clean'",
				note->node, (int)mark_pid(note->mark), note->target);
	}
}

void left_say(const char *mark)
{
	note_each_dead(say, (void *)mark);
}

/* Its standard input is the process that it watches. */
static void watch(
		int process, const struct note *note, void (*before)(void *context), void *context)
{
	const struct timespec dying = { .tv_nsec = DYING_NS };
	struct pollfd dead = { .fd = STDIN_FILENO, .events = POLLIN };

	(void)setsid();
	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGTERM, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	if (dup2(process, STDIN_FILENO) < 0 || !freopen("/dev/null", "w", stdout)) {
		_exit(1);
	}
	process_close_all();
	while (poll(&dead, 1, -1) <= 0) {
	}
	(void)nanosleep(&dying, NULL);
	if (before) {
		before(context);
	}
	(void)left_end();
	left_say(note->mark);
	_exit(0);
}

pid_t left_watch(const struct note *note, void (*before)(void *context), void *context)
{
	int process = (int)syscall(SYS_pidfd_open, getpid(), 0);
	pid_t watcher;

	if (process < 0) {
		return 0;
	}
	(void)fflush(NULL);
	watcher = fork();
	if (watcher == 0) {
		watch(process, note, before, context);
	}
	(void)close(process);
	return watcher > 0 ? watcher : 0;
}

void left_unwatch(pid_t watcher)
{
	if (watcher > 0) {
		(void)kill(watcher, SIGKILL);
		(void)waitpid(watcher, NULL, 0);
	}
}
