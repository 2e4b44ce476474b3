/*
 * SPDX-License-Identifier: MIT
 *
 * A new database is invisible under its name until it is whole.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store_db.h"
#include "store_file.h"

enum { RECOVERY_WAIT_MS = 5000 };

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

/* Removes what loaders of the same file left behind that are no more. */
static void remove_stale(const char *folder, const char *base)
{
	size_t base_length = strlen(base);
	DIR *dir = opendir(folder);
	const struct dirent *entry;

	if (!dir) {
		return;
	}

	while ((entry = readdir(dir))) {
		const char *suffix = entry->d_name + base_length;
		char *end;
		long pid;

		if (strncmp(entry->d_name, base, base_length) != 0 ||
				strncmp(suffix, working_suffix, sizeof(working_suffix) - 1) != 0) {
			continue;
		}

		pid = strtol(suffix + sizeof(working_suffix) - 1, &end, 10);
		if (pid > 0 && (*end == '\0' || *end == '.') && kill((pid_t)pid, 0) != 0 &&
				errno == ESRCH) {
			(void)unlinkat(dirfd(dir), entry->d_name, 0);
		}
	}

	(void)closedir(dir);
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

/* Each loader has its own, also among those of one process. */
static enum csc_status make_working_path(struct store *store, struct diag *diag)
{
	static atomic_uint loaders;
	unsigned int number = atomic_fetch_add(&loaders, 1);
	int length = number == 0 ? asprintf(&store->working_path, "%s%s%ld", store->path,
						   working_suffix, (long)getpid())
				 : asprintf(&store->working_path, "%s%s%ld.%u", store->path,
						   working_suffix, (long)getpid(), number);

	if (length < 0) {
		store->working_path = NULL;
		return DIAG_NO_MEMORY(diag);
	}

	(void)unlink(store->working_path);
	return CSC_OK;
}

enum csc_status store_file_prepare(struct store *store, struct diag *diag)
{
	const char *slash = strrchr(store->path, '/');
	enum csc_status status = check_existing(store, diag);
	char *folder;

	if (status != CSC_OK) {
		return status;
	}

	if (store->is_appending && access(store->path, F_OK) == 0) {
		store->working_path = strdup(store->path);
		return store->working_path ? CSC_OK : DIAG_NO_MEMORY(diag);
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
		remove_stale(folder, slash ? slash + 1 : store->path);
		status = make_working_path(store, diag);
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

enum csc_status store_recover(const char *path, const char *vfs, struct diag *diag)
{
	enum csc_status status = CSC_OK;
	sqlite3 *db = NULL;
	char *plain = NULL;
	int result;

	/* SQLite would take "file:…" for a URI. */
	if (asprintf(&plain, "%s%s", strncmp(path, "file:", 5) == 0 ? "./" : "", path) < 0) {
		return DIAG_NO_MEMORY(diag);
	}

	result = sqlite3_open_v2(plain, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, vfs);
	free(plain);
	if (result == SQLITE_OK) {
		(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
		(void)sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
		(void)sqlite3_busy_timeout(db, RECOVERY_WAIT_MS);
		/* The first reader rolls back. */
		result = sqlite3_exec(db, "PRAGMA schema_version", NULL, NULL, NULL);
	}

	if (result != SQLITE_OK && (result & 0xff) == SQLITE_BUSY) {
		status = DIAG_FAIL(diag,
				"cannot read '%s': another program writes to it; try again later",
				path);
	} else if (result != SQLITE_OK) {
		status = DIAG_FAIL(diag,
				"cannot read '%s': a load that was appending to it broke off, and '%s-journal', which undoes it, cannot be rolled back here (%s); copy both to where you can write, or make both and their folder writable",
				path, path, db ? sqlite3_errmsg(db) : sqlite3_errstr(result));
	}

	(void)sqlite3_close(db);
	return status;
}
