/*
 * SPDX-License-Identifier: MIT
 *
 * Four texts, each with a zero byte.  Locks are those of POSIX: they are the process's, which no
 * child inherits, and end with it.
 */
#include "note.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "process.h"

enum { FOLDERS = 2, NOTE_BYTES = 2048, LOCK_TRIES = 100 };

static const char cookie[] = ".erlang.cookie";

/* Those that there may be; false: there is none of this number. */
static bool name_folder(int number, char ret_folder[static NOTE_PATH_BYTES])
{
	const char *home = getenv("LTTNG_HOME") ? getenv("LTTNG_HOME") : getenv("HOME");

	if (number == 1) {
		(void)snprintf(ret_folder, NOTE_PATH_BYTES, "/tmp/.carrierscope-%u",
				(unsigned int)geteuid());
		return true;
	}
	return home && *home == '/' &&
			snprintf(ret_folder, NOTE_PATH_BYTES, "%s/.carrierscope", home) <
			NOTE_PATH_BYTES - 2 * MARK_BYTES;
}

static bool is_locked(int file, int tries)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	bool is_done;

	while (!(is_done = fcntl(file, F_SETLK, &whole) == 0) && --tries > 0) {
		process_pause();
	}
	return is_done;
}

static bool write_note(const struct note *note)
{
	const char *const texts[] = { (const char[]){ note->kind, '\0' }, note->node, note->target,
		note->trace };
	bool is_written = true;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ssize_t bytes = (ssize_t)strlen(texts[i]) + 1;

		is_written = is_written && write(note->lock, texts[i], (size_t)bytes) == bytes;
	}
	return is_written;
}

/* Another one may remove the folder, which is empty still. */
static int create(const char *folder, const char *path)
{
	int file = -1;

	for (int tries = 0; file < 0 && tries < 3; tries++) {
		(void)mkdir(folder, 0700);
		file = files_is_own_folder(folder, FILES_OTHERS_ENTER) ? files_create(path) : -1;
	}
	return file;
}

void note_begin(struct note *note)
{
	char folder[NOTE_PATH_BYTES];

	mark_own(note->mark);
	note->path[0] = '\0';
	for (int i = 0; i < FOLDERS && !*note->path; i++) {
		if (!name_folder(i, folder) ||
				snprintf(note->path, sizeof(note->path), "%.300s/%s", folder,
						note->mark) < 0) {
			continue;
		}
		note->lock = create(folder, note->path);
		if (note->lock < 0) {
			note->path[0] = '\0';
		} else if (!is_locked(note->lock, 1) || !write_note(note)) {
			note_end(note);
		}
	}
}

bool note_home(const struct note *note, char *ret_path, size_t bytes)
{
	return *note->path && snprintf(ret_path, bytes, "%s.home", note->path) < (int)bytes;
}

void note_end_home(const struct note *note)
{
	char home[NOTE_PATH_BYTES + 8];
	char name[NOTE_PATH_BYTES + 32];

	if (note_home(note, home, sizeof(home))) {
		(void)snprintf(name, sizeof(name), "%s/%s", home, cookie);
		(void)unlink(name);
		(void)rmdir(home);
	}
}

void note_end(struct note *note)
{
	char *slash = strrchr(note->path, '/');

	if (!slash) {
		return;
	}
	note_end_home(note);
	(void)unlink(note->path);
	*slash = '\0';
	(void)rmdir(note->path);
	note->path[0] = '\0';
	if (note->lock >= 0) {
		(void)close(note->lock);
		note->lock = -1;
	}
}

static bool read_note(struct note *note)
{
	char kind[2] = "";
	struct {
		char *text;
		size_t bytes;
	} const fields[] = { { kind, sizeof(kind) }, { note->node, sizeof(note->node) },
		{ note->target, sizeof(note->target) }, { note->trace, sizeof(note->trace) } };
	char text[NOTE_BYTES];
	ssize_t length = pread(note->lock, text, sizeof(text), 0);
	const char *at = text;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const char *end = length > at - text
				? memchr(at, '\0', (size_t)(text + length - at))
				: NULL;

		if (!end || (size_t)(end - at) >= fields[i].bytes) {
			return false;
		}
		memcpy(fields[i].text, at, (size_t)(end - at) + 1);
		at = end + 1;
	}
	note->kind = kind[0];
	return true;
}

/* Of a process that is not here, such as before a restart of the machine, the lock alone tells;
 * that of a dead one is held by who ends what it left. */
static bool take_note(struct note *note)
{
	struct stat about;
	bool is_dead = mark_is_dead(note->mark);

	if (!is_dead && mark_is_here(note->mark)) {
		return false;
	}
	note->lock = open(note->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (note->lock >= 0 && is_locked(note->lock, is_dead ? LOCK_TRIES : 1) &&
			fstat(note->lock, &about) == 0 && about.st_nlink > 0 &&
			S_ISREG(about.st_mode) && about.st_uid == geteuid()) {
		return true;
	}
	if (note->lock >= 0) {
		(void)close(note->lock);
	}
	return false;
}

static void visit_one(const char *folder, const char *mark,
		void (*visit)(struct note *note, void *context), void *context)
{
	struct note note = { .lock = -1 };

	if (mark_pid(mark) == 0 || strlen(mark) >= sizeof(note.mark)) {
		return;
	}
	(void)snprintf(note.mark, sizeof(note.mark), "%s", mark);
	(void)snprintf(note.path, sizeof(note.path), "%.300s/%s", folder, mark);
	if (!take_note(&note)) {
		return;
	}
	if (read_note(&note)) {
		visit(&note, context);
	} else {
		/* Killed before it had written it. */
		note_end(&note);
	}
	if (note.lock >= 0) {
		(void)close(note.lock);
	}
}

void note_each_dead(void (*visit)(struct note *note, void *context), void *context)
{
	for (int i = 0; i < FOLDERS; i++) {
		char folder[NOTE_PATH_BYTES];
		struct dirent **entries = NULL;
		int count = name_folder(i, folder) &&
						files_is_own_folder(folder, FILES_OTHERS_ENTER)
				? scandir(folder, &entries, NULL, alphasort)
				: 0;

		for (int j = 0; j < count; j++) {
			visit_one(folder, entries[j]->d_name, visit, context);
			free(entries[j]);
		}
		free((void *)entries);
	}
}
