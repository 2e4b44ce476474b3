/*
 * SPDX-License-Identifier: MIT
 *
 * A lock in it, which also has the pid of a session daemon that the keeper started.
 */
#include "keep_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A daemon that a killed keeper of this folder started is ended by the next one. */
static void read_daemon(int lock, struct keep_ring *ring)
{
	char text[32] = "";
	char path[64];
	char name[32] = "";
	FILE *file;
	long pid;

	if (pread(lock, text, sizeof(text) - 1, 0) <= 0 || (pid = strtol(text, NULL, 10)) <= 0) {
		return;
	}
	(void)snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
	file = fopen(path, "r");
	if (file && fgets(name, sizeof(name), file) && strncmp(name, "lttng-sessiond", 14) == 0) {
		ring->daemon = (pid_t)pid;
	}
	if (file) {
		(void)fclose(file);
	}
}

void keep_folder_note(int lock, pid_t daemon)
{
	char text[32];
	int length = daemon > 0 ? snprintf(text, sizeof(text), "%d\n", (int)daemon) : 0;

	if (ftruncate(lock, 0) != 0 || pwrite(lock, text, (size_t)length, 0) != length) {
		/* Then a daemon may be left where this keeper is killed. */
	}
}

/* Whether a file is still that of its name: a refused keeper may have removed it. */
static bool is_there(int file, const char *path)
{
	struct stat opened;
	struct stat named;

	return fstat(file, &opened) == 0 && stat(path, &named) == 0 &&
			opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

static enum csc_status lock_file(
		const char *path, const char *name, int *ret_lock, struct diag *diag)
{
	int lock;

	for (;;) {
		lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (lock < 0) {
			return DIAG_FAIL(diag, "cannot write in the folder '%s': %s", name,
					strerror(errno));
		}
		if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
			(void)close(lock);
			return DIAG_FAIL(diag, "another keeper uses the folder '%s'", name);
		}
		if (is_there(lock, path)) {
			*ret_lock = lock;
			return CSC_OK;
		}
		(void)close(lock);
	}
}

enum csc_status keep_folder_open(const char *name, struct keep_ring *ring,
		struct keep_folder *folder, struct diag *diag)
{
	char path[320];
	char *real;
	enum csc_status status;

	*folder = (struct keep_folder){ 0 };
	folder->is_made = mkdir(name, 0700) == 0;
	if (!folder->is_made && errno != EEXIST) {
		return DIAG_FAIL(diag, "cannot make the folder '%s': %s", name, strerror(errno));
	}
	real = realpath(name, NULL);
	if (!real || strlen(real) >= sizeof(ring->folder)) {
		free(real);
		return DIAG_FAIL(diag, "the name of the folder '%s' is too long", name);
	}
	keep_ring_prepare(ring, real);
	free(real);
	(void)snprintf(path, sizeof(path), "%s/.keeper", ring->folder);
	status = lock_file(path, name, &folder->lock, diag);
	if (status == CSC_OK) {
		read_daemon(folder->lock, ring);
	}
	return status;
}

void keep_folder_remove(const char *name, const struct keep_folder *folder)
{
	static const char *const files[] = { "spool", ".keeper" };
	char path[4200];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && folder->lock > 0; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", name, files[i]);
		(void)remove(path);
	}
	if (folder->is_made) {
		(void)rmdir(name);
	}
}
