/*
 * SPDX-License-Identifier: MIT
 *
 * A lock in it, one of POSIX: a child that outlives its keeper does not have it.
 */
#include "keep_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "files.h"

/* A ring and its database may need as much. */
enum { LEAST_ROOM = 96 << 20 };

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
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	struct diag why = { 0 };
	int lock;

	for (;;) {
		if (files_open_own(path, 0, &lock, &why) != CSC_OK) {
			return DIAG_FAIL(diag, "cannot write in the folder '%s': %s", name,
					why.text);
		}
		if (fcntl(lock, F_SETLK, &whole) != 0) {
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

	*folder = (struct keep_folder){ 0 };
	folder->is_made = files_make_folder(name) == 0;
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
	return lock_file(path, name, &folder->lock, diag);
}

void keep_folder_remove(const char *name, const struct keep_folder *folder)
{
	char path[4200];

	if (folder->lock > 0) {
		(void)snprintf(path, sizeof(path), "%s/spool", name);
		(void)rmdir(path);
		(void)snprintf(path, sizeof(path), "%s/.keeper", name);
		(void)unlink(path);
	}
	if (folder->is_made) {
		(void)rmdir(name);
	}
}

bool keep_folder_has_room(const char *name)
{
	struct statvfs about;

	return statvfs(name, &about) != 0 ||
			(uint64_t)about.f_bavail * about.f_frsize >= LEAST_ROOM;
}
