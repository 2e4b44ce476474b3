/*
 * SPDX-License-Identifier: MIT
 *
 * A new database is invisible under its name until it is whole.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "guard.h"
#include "schema_version.h"
#include "store_db.h"
#include "store_file.h"

static const char working_suffix[] = ".partial-";

/* The folder of a path, as one can open it; the caller frees it. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash) {
		return strdup(".");
	}

	return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* A database of ours that was begun, or not even that. */
static bool is_begun_by_us(int fd, const struct stat *file)
{
	enum { ID_AT = 68 };
	unsigned char id[4];

	return file->st_size == 0 ||
			(pread(fd, id, sizeof(id), ID_AT) == (ssize_t)sizeof(id) &&
					((uint32_t)id[0] << 24 | (uint32_t)id[1] << 16 |
							(uint32_t)id[2] << 8 | id[3]) ==
							SCHEMA_APPLICATION_ID);
}

/*
 * Removes a working file if it is one: a plain file of the caller's with one name, begun as we
 * begin them, of this process or of a loader that is no more (it holds a lock as long as it lives).
 */
static void remove_working(int folder, const char *name, pid_t loader, bool is_own)
{
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat file;

	if (fd < 0) {
		return;
	}

	if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_nlink == 1 &&
			file.st_uid == geteuid() && is_begun_by_us(fd, &file) &&
			(is_own ||
					(files_is_writer_dead(loader, &file) &&
							flock(fd, LOCK_EX | LOCK_NB) == 0))) {
		(void)unlinkat(folder, name, 0);
	}

	(void)close(fd);
}

/* One ".partial-PID" at the beginning of a name; where it ends, NULL: there is none. */
static const char *skip_suffix(const char *suffix, pid_t *ret_loader)
{
	char *end;
	long pid;

	if (strncmp(suffix, working_suffix, sizeof(working_suffix) - 1) != 0 ||
			!isdigit((unsigned char)suffix[sizeof(working_suffix) - 1])) {
		return NULL;
	}

	errno = 0;
	pid = strtol(suffix + sizeof(working_suffix) - 1, &end, 10);
	*ret_loader = (pid_t)pid;
	return errno != 0 || pid <= 0 || pid != *ret_loader ? NULL : end;
}

/* Whether a name goes on as those of working files do; the loader's process id. */
static bool read_suffix(const char *suffix, pid_t *ret_loader)
{
	const char *end = skip_suffix(suffix, ret_loader);

	/* A file that was read before a trace has a working file of its own. */
	while (end && strncmp(end, working_suffix, sizeof(working_suffix) - 1) == 0) {
		end = skip_suffix(end, ret_loader);
	}

	return end &&
			(*end == '\0' ||
					(*end == '.' && end[1] &&
							!end[1 + strspn(end + 1, "0123456789")]));
}

/*
 * Removes working files in a folder that loaders left behind which are no more, or what this
 * process has begun.
 */
static void remove_left(const char *folder, bool is_own)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		const char *suffix = strstr(entry->d_name, working_suffix);
		pid_t loader;

		if (suffix && suffix > entry->d_name && read_suffix(suffix, &loader) &&
				(!is_own || loader == getpid())) {
			remove_working(dirfd(dir), entry->d_name, loader, is_own);
		}
	}

	if (dir) {
		(void)closedir(dir);
	}
}

void store_remove_unfinished(const char *path, bool is_own)
{
	char *folder = folder_of(path);

	if (folder) {
		remove_left(folder, is_own);
		free(folder);
	}
}

static enum csc_status check_existing(const struct store *store, struct diag *diag)
{
	struct stat status;

	if (stat(store->path, &status) != 0) {
		return errno == ENOENT ? CSC_OK
				       : DIAG_FAIL(diag, "cannot use '%s': %s", store->path,
							 strerror(errno));
	}

	if (!S_ISREG(status.st_mode)) {
		return DIAG_FAIL(diag, "cannot write '%s': not a regular file", store->path);
	}

	if (!store->is_forced && !store->is_appending) {
		return DIAG_FAIL(diag,
				"cannot write '%s': it exists; use force to replace it or append to add to it",
				store->path);
	}

	return CSC_OK;
}

/*
 * Makes the working file.  Each loader has its own, also among those of one process; what
 * others put under such a name is left alone.
 */
static enum csc_status make_working_file(struct store *store, struct diag *diag)
{
	static atomic_uint loaders;

	do {
		unsigned int number = atomic_fetch_add(&loaders, 1);
		int length = number == 0 ? asprintf(&store->working_path, "%s%s%ld", store->path,
							   working_suffix, (long)getpid())
					 : asprintf(&store->working_path, "%s%s%ld.%u", store->path,
							   working_suffix, (long)getpid(), number);

		if (length < 0) {
			store->working_path = NULL;
			return DIAG_NO_MEMORY(diag);
		}

		store->working_fd = files_create(store->working_path);
		if (store->working_fd < 0) {
			free(store->working_path);
			store->working_path = NULL;
		}
	} while (store->working_fd < 0 && errno == EEXIST);

	if (store->working_fd < 0) {
		return DIAG_FAIL(diag, "cannot write '%s': %s", store->path, strerror(errno));
	}

	/* For who looks whether it still lives. */
	(void)flock(store->working_fd, LOCK_EX | LOCK_NB);
	return CSC_OK;
}

/* Nothing is beside the file that must be undone first, or that another put there. */
static enum csc_status check_appendable(struct store *store, struct diag *diag)
{
	sqlite3 *db = NULL;

	store->working_path = strdup(store->path);
	if (!store->working_path) {
		return DIAG_NO_MEMORY(diag);
	}

	/* A test's files may exist in its own VFS only. */
	if (!store->vfs && guard_open(store->path, GUARD_WRITE, &db, diag) != CSC_OK) {
		return CSC_ERROR;
	}

	(void)sqlite3_close(db);
	return CSC_OK;
}

enum csc_status store_file_prepare(struct store *store, struct diag *diag)
{
	enum csc_status status = check_existing(store, diag);
	char *folder;

	if (status != CSC_OK) {
		return status;
	}

	if (store->is_appending && access(store->path, F_OK) == 0) {
		return check_appendable(store, diag);
	}

	store->is_appending = false;
	folder = folder_of(store->path);
	if (!folder) {
		return DIAG_NO_MEMORY(diag);
	}

	if (access(folder, W_OK | X_OK) != 0) {
		status = DIAG_FAIL(diag, "cannot write '%s': folder '%s': %s", store->path, folder,
				strerror(errno));
	} else {
		remove_left(folder, false);
		status = make_working_file(store, diag);
	}

	free(folder);
	return status;
}

/* Makes a file or folder durable. */
static enum csc_status sync_path(const char *path, int flags, struct diag *diag)
{
	enum csc_status status = CSC_OK;
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0) {
		return DIAG_FAIL(diag, "cannot open '%s': %s", path, strerror(errno));
	}

	if (fsync(fd) != 0) {
		status = DIAG_FAIL(diag, "cannot make '%s' durable: %s", path, strerror(errno));
	}

	(void)close(fd);
	return status;
}

/*
 * Removes the journals that an earlier database of this name left, broken off
 * while it was written: SQLite would play them into the new one.
 */
static enum csc_status remove_journals(const char *path, struct diag *diag)
{
	static const char *const suffixes[] = { "-journal", "-wal", "-shm" };

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		enum csc_status status = CSC_OK;
		char *name;

		if (asprintf(&name, "%s%s", path, suffixes[i]) < 0) {
			return DIAG_NO_MEMORY(diag);
		}

		if (unlink(name) != 0 && errno != ENOENT) {
			status = DIAG_FAIL(diag, "cannot remove '%s': %s", name, strerror(errno));
		}

		free(name);
		if (status != CSC_OK) {
			return status;
		}
	}

	return CSC_OK;
}

/* Gives the working file its final name. */
static enum csc_status rename_working(
		const char *working_path, const char *path, bool is_forced, struct diag *diag)
{
	enum csc_status status = CSC_OK;
	int result;

	/* Without force a file that came in the meantime keeps its journals. */
	if (is_forced || access(path, F_OK) != 0) {
		status = remove_journals(path, diag);
	}

	if (status != CSC_OK) {
		return status;
	}

	if (is_forced) {
		result = rename(working_path, path);
	} else {
		result = renameat2(AT_FDCWD, working_path, AT_FDCWD, path, RENAME_NOREPLACE);
		if (result != 0 && errno == EINVAL) {
			/* A file system that cannot check: it was not there when we began. */
			result = rename(working_path, path);
		}
	}

	return result == 0 ? CSC_OK
			   : DIAG_FAIL(diag, "cannot give '%s' its name '%s': %s", working_path,
					     path, strerror(errno));
}

enum csc_status store_publish(
		const char *working_path, const char *path, bool is_forced, struct diag *diag)
{
	struct diag ignored = { 0 };
	/* What needs memory comes first: nothing may fail once the name is given. */
	char *folder = folder_of(path);
	enum csc_status status = folder ? rename_working(working_path, path, is_forced, diag)
					: DIAG_NO_MEMORY(diag);

	if (status == CSC_OK) {
		/* Not every file system lets a folder be synced; the name is given all the same. */
		(void)sync_path(folder, O_RDONLY | O_DIRECTORY, &ignored);
	}

	free(folder);
	return status;
}

enum csc_status store_file_publish(struct store *store, struct diag *diag)
{
	enum csc_status status = sync_path(store->working_path, O_RDWR, diag);
	char *name;

	if (status != CSC_OK || strcmp(store->working_path, store->path) == 0) {
		return status;
	}

	name = strdup(store->path);
	status = name ? store_publish(store->working_path, store->path, store->is_forced, diag)
		      : DIAG_NO_MEMORY(diag);
	if (status == CSC_OK) {
		free(store->working_path);
		store->working_path = name;
		name = NULL;
	}

	free(name);
	return status;
}
