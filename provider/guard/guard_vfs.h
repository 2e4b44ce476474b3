/*
 * SPDX-License-Identifier: MIT
 *
 * SQLite's own files, with less that it may do.
 */
#ifndef CSC_GUARD_VFS_H
#define CSC_GUARD_VFS_H

/* Opens files beside a database for reading only, makes none and removes none. */
#define GUARD_VFS_READ "carrierscope-read"

/* Reads and removes no file that a journal names: our loads write no super-journals. */
#define GUARD_VFS_WRITE "carrierscope-write"

/* Makes both known to SQLite; any thread, any number of times. */
void guard_vfs_register(void);

#endif
