/*
 * SPDX-License-Identifier: MIT
 *
 * Every method asks whether it is its turn to fail, and hands on.
 */
#include "fault_vfs.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stddef.h>

/* Behind it in memory is the file of the VFS below. */
struct fault_file {
	sqlite3_file base;
	sqlite3_file *real;
};

static struct {
	enum fault_operation operation;
	bool is_lasting;
	int result;
	atomic_long left;
	atomic_bool has_struck;
} plan;

static sqlite3_vfs *below;

static bool is_turn(enum fault_operation operation)
{
	long left;

	if (operation != plan.operation || atomic_load(&plan.left) <= 0) {
		return false;
	}

	left = atomic_fetch_sub(&plan.left, 1);
	if (left > 1) {
		return false;
	}

	if (plan.is_lasting) {
		atomic_store(&plan.left, 1);
	}

	atomic_store(&plan.has_struck, true);
	return true;
}

static sqlite3_file *real_of(sqlite3_file *file)
{
	return ((struct fault_file *)(void *)file)->real;
}

static int close_file(sqlite3_file *file)
{
	sqlite3_file *real = real_of(file);

	return real->pMethods ? real->pMethods->xClose(real) : SQLITE_OK;
}

static int read_file(sqlite3_file *file, void *buffer, int amount, sqlite3_int64 offset)
{
	sqlite3_file *real = real_of(file);

	return is_turn(FAULT_READ) ? plan.result
				   : real->pMethods->xRead(real, buffer, amount, offset);
}

static int write_file(sqlite3_file *file, const void *buffer, int amount, sqlite3_int64 offset)
{
	sqlite3_file *real = real_of(file);

	if (plan.operation == FAULT_GROW) {
		sqlite3_int64 size = 0;

		if (real->pMethods->xFileSize(real, &size) == SQLITE_OK && offset + amount > size &&
				is_turn(FAULT_GROW)) {
			return plan.result;
		}
	}

	if (is_turn(FAULT_WRITE)) {
		/* As a disk does that gets full: a part of it is written. */
		(void)real->pMethods->xWrite(real, buffer, amount / 2, offset);
		return plan.result;
	}

	return real->pMethods->xWrite(real, buffer, amount, offset);
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size)
{
	sqlite3_file *real = real_of(file);

	return is_turn(FAULT_TRUNCATE) ? plan.result : real->pMethods->xTruncate(real, size);
}

static int sync_file(sqlite3_file *file, int flags)
{
	sqlite3_file *real = real_of(file);

	return is_turn(FAULT_SYNC) ? plan.result : real->pMethods->xSync(real, flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *ret_size)
{
	sqlite3_file *real = real_of(file);

	return real->pMethods->xFileSize(real, ret_size);
}

static int lock_file(sqlite3_file *file, int lock)
{
	sqlite3_file *real = real_of(file);

	return real->pMethods->xLock(real, lock);
}

static int unlock_file(sqlite3_file *file, int lock)
{
	sqlite3_file *real = real_of(file);

	return real->pMethods->xUnlock(real, lock);
}

static int check_lock(sqlite3_file *file, int *ret_is_reserved)
{
	sqlite3_file *real = real_of(file);

	return real->pMethods->xCheckReservedLock(real, ret_is_reserved);
}

static int control_file(sqlite3_file *file, int operation, void *argument)
{
	sqlite3_file *real = real_of(file);

	return real->pMethods->xFileControl(real, operation, argument);
}

static int sector_size(sqlite3_file *file)
{
	sqlite3_file *real = real_of(file);

	return real->pMethods->xSectorSize(real);
}

static int characteristics(sqlite3_file *file)
{
	sqlite3_file *real = real_of(file);

	return real->pMethods->xDeviceCharacteristics(real);
}

static int map_shared(sqlite3_file *file, int region, int size, int extend, void volatile **ret_at)
{
	sqlite3_file *real = real_of(file);

	return real->pMethods->xShmMap(real, region, size, extend, ret_at);
}

static int lock_shared(sqlite3_file *file, int offset, int count, int flags)
{
	sqlite3_file *real = real_of(file);

	return real->pMethods->xShmLock(real, offset, count, flags);
}

static void barrier(sqlite3_file *file)
{
	sqlite3_file *real = real_of(file);

	real->pMethods->xShmBarrier(real);
}

static int unmap_shared(sqlite3_file *file, int is_deleted)
{
	sqlite3_file *real = real_of(file);

	return real->pMethods->xShmUnmap(real, is_deleted);
}

static const sqlite3_io_methods methods = {
	.iVersion = 2,
	.xClose = close_file,
	.xRead = read_file,
	.xWrite = write_file,
	.xTruncate = truncate_file,
	.xSync = sync_file,
	.xFileSize = file_size,
	.xLock = lock_file,
	.xUnlock = unlock_file,
	.xCheckReservedLock = check_lock,
	.xFileControl = control_file,
	.xSectorSize = sector_size,
	.xDeviceCharacteristics = characteristics,
	.xShmMap = map_shared,
	.xShmLock = lock_shared,
	.xShmBarrier = barrier,
	.xShmUnmap = unmap_shared,
};

static int open_file(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *base, int flags,
		int *ret_flags)
{
	struct fault_file *file = (struct fault_file *)(void *)base;
	int result;

	(void)vfs;
	file->real = (sqlite3_file *)(void *)(file + 1);
	file->real->pMethods = NULL;
	base->pMethods = NULL;
	if (is_turn(FAULT_OPEN)) {
		return SQLITE_CANTOPEN;
	}

	result = below->xOpen(below, name, file->real, flags, ret_flags);
	if (file->real->pMethods) {
		base->pMethods = &methods;
	}

	return result;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int is_durable)
{
	(void)vfs;
	return is_turn(FAULT_DELETE) ? SQLITE_IOERR_DELETE
				     : below->xDelete(below, name, is_durable);
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *ret_result)
{
	(void)vfs;
	return below->xAccess(below, name, flags, ret_result);
}

static int full_name(sqlite3_vfs *vfs, const char *name, int size, char *ret_name)
{
	(void)vfs;
	return below->xFullPathname(below, name, size, ret_name);
}

static int randomness(sqlite3_vfs *vfs, int size, char *ret_bytes)
{
	(void)vfs;
	return below->xRandomness(below, size, ret_bytes);
}

static int wait_a_while(sqlite3_vfs *vfs, int microseconds)
{
	(void)vfs;
	return below->xSleep(below, microseconds);
}

static int current_time(sqlite3_vfs *vfs, double *ret_time)
{
	(void)vfs;
	return below->xCurrentTime(below, ret_time);
}

static int last_error(sqlite3_vfs *vfs, int size, char *ret_text)
{
	(void)vfs;
	return below->xGetLastError(below, size, ret_text);
}

bool fault_vfs_install(void)
{
	static sqlite3_vfs vfs = {
		.iVersion = 1,
		.zName = FAULT_VFS,
		.xOpen = open_file,
		.xDelete = delete_file,
		.xAccess = access_file,
		.xFullPathname = full_name,
		.xRandomness = randomness,
		.xSleep = wait_a_while,
		.xCurrentTime = current_time,
		.xGetLastError = last_error,
	};

	below = sqlite3_vfs_find(NULL);
	if (!below) {
		return false;
	}

	vfs.szOsFile = (int)sizeof(struct fault_file) + below->szOsFile;
	vfs.mxPathname = below->mxPathname;
	return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK;
}

void fault_vfs_arm(enum fault_operation operation, long n, bool is_lasting, int result)
{
	plan.operation = operation;
	plan.is_lasting = is_lasting;
	plan.result = result;
	if (n > 0) {
		atomic_store(&plan.has_struck, false);
	}

	atomic_store(&plan.left, n);
}

bool fault_vfs_has_struck(void)
{
	return atomic_load(&plan.has_struck);
}
