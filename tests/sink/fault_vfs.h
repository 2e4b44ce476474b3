/*
 * SPDX-License-Identifier: MIT
 *
 * An SQLite VFS over the default one in which the n-th operation of a kind
 * fails.  Its name is FAULT_VFS; all processes of tests are single-purpose, so
 * there is one and its state is global.
 */
#ifndef CSC_FAULT_VFS_H
#define CSC_FAULT_VFS_H

#include <stdbool.h>

#define FAULT_VFS "fault"

enum fault_operation {
	FAULT_READ,
	FAULT_WRITE,
	FAULT_SYNC,
	FAULT_TRUNCATE,
	FAULT_OPEN,
	FAULT_DELETE,

	/* A write that makes a file longer, as on a full disk: what is there can be written over.
	 */
	FAULT_GROW,
	FAULT_OPERATIONS,
};

/* Registers the VFS, not as the default; returns false when SQLite refuses. */
bool fault_vfs_install(void);

/*
 * Lets the n-th operation from now on fail with `result`, an SQLite code; n
 * counts from 1, 0 disarms.  `is_lasting`: all later ones of the kind fail too,
 * as on a full disk.
 */
void fault_vfs_arm(enum fault_operation operation, long n, bool is_lasting, int result);

/* Whether an operation has failed since the VFS was last armed; disarming does not matter. */
bool fault_vfs_has_struck(void);

#endif
