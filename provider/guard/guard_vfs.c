/*
 * SPDX-License-Identifier: MIT
 *
 * The default VFS with two functions of our own.
 *
 * A journal may name a super-journal, which SQLite opens, reads for further names and removes:
 * https://www.sqlite.org/fileformat.html#the_rollback_journal
 */
#include "guard_vfs.h"

#include <sqlite3.h>
#include <stddef.h>

static sqlite3_vfs reading;
static sqlite3_vfs writing;

static int open_below(const char *name, sqlite3_file *file, int flags, int *ret_flags)
{
	sqlite3_vfs *below = sqlite3_vfs_find(NULL);

	file->pMethods = NULL;
	return (flags & SQLITE_OPEN_SUPER_JOURNAL) != 0
			? SQLITE_CANTOPEN
			: below->xOpen(below, name, file, flags, ret_flags);
}

static int open_to_read(
		sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *ret_flags)
{
	(void)vfs;
	if ((flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL)) != 0) {
		flags &= ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE |
				SQLITE_OPEN_DELETEONCLOSE);
		flags |= SQLITE_OPEN_READONLY;
	}

	return open_below(name, file, flags, ret_flags);
}

static int open_to_write(
		sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *ret_flags)
{
	(void)vfs;
	return open_below(name, file, flags, ret_flags);
}

static int refuse_to_delete(sqlite3_vfs *vfs, const char *name, int is_synced)
{
	(void)vfs;
	(void)name;
	(void)is_synced;
	return SQLITE_READONLY;
}

void guard_vfs_register(void)
{
	sqlite3_mutex *mutex;

	(void)sqlite3_initialize();
	mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1);
	sqlite3_mutex_enter(mutex);
	if (!reading.zName) {
		writing = *sqlite3_vfs_find(NULL);
		writing.pNext = NULL;
		reading = writing;
		writing.zName = GUARD_VFS_WRITE;
		writing.xOpen = open_to_write;
		reading.xOpen = open_to_read;
		reading.xDelete = refuse_to_delete;
		reading.zName = GUARD_VFS_READ;
		(void)sqlite3_vfs_register(&writing, 0);
		(void)sqlite3_vfs_register(&reading, 0);
	}

	sqlite3_mutex_leave(mutex);
}
