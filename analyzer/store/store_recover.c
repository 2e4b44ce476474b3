/*
 * SPDX-License-Identifier: MIT
 *
 * Looks at what is there before SQLite does, which believes what it finds.
 */
#include "store_recover.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "guard.h"
#include "schema_version.h"

enum {
	ROLL_BACK_WAIT_MS = 5000,
	APPLICATION_ID_AT = 68,

	/* At the end of a journal, behind the name of a super-journal. */
	MAGIC_BYTES = 8,
};

/* What lies beside a database. */
struct beside {
	char *journal;
	char *log;
	char *index;
};

static void forget(struct beside *beside)
{
	free(beside->journal);
	free(beside->log);
	free(beside->index);
}

static bool name_all(const char *path, struct beside *ret_beside)
{
	char *whole_path = realpath(path, NULL);
	bool is_named = whole_path &&
			asprintf(&ret_beside->journal, "%s-journal", whole_path) >= 0 &&
			asprintf(&ret_beside->log, "%s-wal", whole_path) >= 0 &&
			asprintf(&ret_beside->index, "%s-shm", whole_path) >= 0;

	free(whole_path);
	return is_named;
}

static bool is_ours(const char *path)
{
	unsigned char id[4];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is_read = fd >= 0 &&
			pread(fd, id, sizeof(id), APPLICATION_ID_AT) == (ssize_t)sizeof(id);

	if (fd >= 0) {
		(void)close(fd);
	}

	return is_read &&
			((uint32_t)id[0] << 24 | (uint32_t)id[1] << 16 | (uint32_t)id[2] << 8 |
					id[3]) == SCHEMA_APPLICATION_ID;
}

/* *ret_is_hot: it may have to be played back. */
static enum csc_status check_journal(
		const char *path, const char *journal, bool *ret_is_hot, struct diag *diag)
{
	static const unsigned char magic[MAGIC_BYTES] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63,
		0xd7 };
	unsigned char first = 0;
	unsigned char last[MAGIC_BYTES] = { 0 };
	struct stat file;
	int fd = open(journal, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	*ret_is_hot = false;
	if (fd < 0) {
		return errno == ENOENT ? CSC_OK
				       : DIAG_FAIL(diag, "cannot recover '%s': '%s-journal': %s",
							 path, path, strerror(errno));
	}

	if (fstat(fd, &file) == 0 && pread(fd, &first, 1, 0) == 1) {
		*ret_is_hot = first != 0;
		(void)pread(fd, last, sizeof(last), file.st_size - MAGIC_BYTES);
	}

	(void)close(fd);
	return memcmp(last, magic, sizeof(magic)) != 0
			? CSC_OK
			: DIAG_FAIL(diag, "cannot recover '%s': '%s-journal' names another file, which would be removed (a super-journal): no load of carrierscope wrote it; remove it if you do not know whose it is",
					  path, path);
}

/* SQLite checks owner and kind against the database's; here against the caller. */
static enum csc_status check_owner(const char *path, struct diag *diag)
{
	struct stat file;

	if (stat(path, &file) != 0) {
		return DIAG_FAIL(diag, "cannot open '%s': %s", path, strerror(errno));
	}
	if (!S_ISREG(file.st_mode) || !is_ours(path)) {
		return DIAG_FAIL(diag, "'%s' is not a carrierscope database", path);
	}

	return file.st_uid == geteuid()
			? CSC_OK
			: DIAG_FAIL(diag, "cannot recover '%s': it belongs to another user, who alone may do so; or copy it with what is beside it",
					  path);
}

/* Plays in or back, alone with the file, and leaves it without a log. */
static int play(sqlite3 *db)
{
	static const char *const steps[] = {
		/* Nobody else's index of the log is believed either. */
		"PRAGMA locking_mode = EXCLUSIVE",
		"BEGIN EXCLUSIVE",
		"COMMIT",
		"PRAGMA wal_checkpoint(TRUNCATE)",
		"PRAGMA journal_mode = DELETE",
	};
	int result = SQLITE_OK;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && result == SQLITE_OK; i++) {
		result = sqlite3_exec(db, steps[i], NULL, NULL, NULL);
	}

	return result;
}

static enum csc_status recover(
		const char *path, const struct beside *beside, bool is_hot, struct diag *diag)
{
	sqlite3 *db = NULL;
	struct stat file;
	enum csc_status status = guard_open(path, GUARD_RECOVER, &db, diag);
	int result;

	if (status != CSC_OK) {
		return status;
	}

	result = sqlite3_db_readonly(db, "main") == 1 ? SQLITE_READONLY : play(db);
	if (result == SQLITE_BUSY) {
		status = DIAG_FAIL(diag,
				"cannot recover '%s': another program uses it; try again later",
				path);
	} else if (result != SQLITE_OK) {
		status = DIAG_FAIL(diag,
				"cannot recover '%s' (%s): copy it with '%s%s' to where you can write, or make both and their folder writable",
				path, sqlite3_errstr(result), path, is_hot ? "-journal" : "-wal");
	}

	(void)sqlite3_close(db);
	if (status == CSC_OK && lstat(beside->log, &file) != 0 &&
			!files_why_foreign(beside->index)) {
		(void)unlink(beside->index);
	}

	return status;
}

enum csc_status store_recover(
		const char *path, enum store_recovery *ret_recovery, struct diag *diag)
{
	struct beside beside = { 0 };
	struct stat log;
	bool is_hot = false;
	bool has_log = false;
	enum csc_status status = check_owner(path, diag);

	if (status == CSC_OK && !name_all(path, &beside)) {
		status = DIAG_NO_MEMORY(diag);
	}
	if (status == CSC_OK) {
		status = check_journal(path, beside.journal, &is_hot, diag);
	}
	if (status == CSC_OK) {
		has_log = lstat(beside.log, &log) == 0 && log.st_size > 0;
		status = recover(path, &beside, is_hot, diag);
	}
	if (status == CSC_OK) {
		*ret_recovery = is_hot	  ? STORE_RECOVERED_UNDONE
				: has_log ? STORE_RECOVERED_FINISHED
					  : STORE_RECOVERED_NOTHING;
	}

	forget(&beside);
	return status;
}

void store_roll_back(const char *path, const char *vfs)
{
	sqlite3 *db = NULL;
	char *plain = NULL;

	/* SQLite would take "file:…" for a URI. */
	if (asprintf(&plain, "%s%s", strncmp(path, "file:", 5) == 0 ? "./" : "", path) < 0) {
		return;
	}

	if (sqlite3_open_v2(plain, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
			    vfs ? vfs : guard_vfs_for_writing()) == SQLITE_OK) {
		(void)sqlite3_busy_timeout(db, ROLL_BACK_WAIT_MS);
		/* The first reader rolls back. */
		(void)sqlite3_exec(db, "PRAGMA schema_version", NULL, NULL, NULL);
	}

	free(plain);
	(void)sqlite3_close(db);
}
