/*
 * SPDX-License-Identifier: MIT
 *
 * SQLite's own files, with less that it may do.
 */
#ifndef CSC_GUARD_VFS_H
#define CSC_GUARD_VFS_H

/* The name of a VFS that opens files beside a database for reading only, makes none and removes
 * none. */
const char *guard_vfs_read(void);

/* Of one that reads and removes no file that a journal names: our loads write no super-journals. */
const char *guard_vfs_write(void);

#endif
