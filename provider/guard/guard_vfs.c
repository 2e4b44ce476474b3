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
#include <stdio.h>

static sqlite3_vfs reading;
static sqlite3_vfs writing;

/* Program and plugin have one each, in one SQLite. */
static char reading_name[64];
static char writing_name[64];

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
		/* Below, only logs and journals that are empty are given the database's rights. */
		flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_SUBJOURNAL;
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

/* Any thread, any number of times. */
static void make_known(void)
{
	sqlite3_mutex *mutex;

	(void)sqlite3_initialize();
	mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1);
	sqlite3_mutex_enter(mutex);
	if (!reading.zName) {
		writing = *sqlite3_vfs_find(NULL);
		writing.pNext = NULL;
		reading = writing;
		(void)snprintf(reading_name, sizeof(reading_name), "carrierscope-read-%p",
				(void *)&reading);
		(void)snprintf(writing_name, sizeof(writing_name), "carrierscope-write-%p",
				(void *)&writing);
		writing.zName = writing_name;
		writing.xOpen = open_to_write;
		reading.xOpen = open_to_read;
		reading.xDelete = refuse_to_delete;
		reading.zName = reading_name;
		(void)sqlite3_vfs_register(&writing, 0);
		(void)sqlite3_vfs_register(&reading, 0);
	}

	sqlite3_mutex_leave(mutex);
}

/* SQLite may outlive us: the plugin is unloaded before the program ends. */
__attribute__((destructor)) static void forget(void)
{
	if (reading.zName) {
		(void)sqlite3_vfs_unregister(&reading);
		(void)sqlite3_vfs_unregister(&writing);
	}
}

const char *guard_vfs_read(void)
{
	make_known();
	return reading_name;
}

const char *guard_vfs_write(void)
{
	make_known();
	return writing_name;
}
