/*
 * SPDX-License-Identifier: MIT
 *
 * What a load that broke off left beside a database.
 */
#ifndef CSC_STORE_RECOVER_H
#define CSC_STORE_RECOVER_H

#include "diag.h"

enum store_recovery {
	STORE_RECOVERED_NOTHING,

	/* What an appending load had written is undone. */
	STORE_RECOVERED_UNDONE,

	/* What a live load had committed is in the file. */
	STORE_RECOVERED_FINISHED,
};

/*
 * Undoes or finishes what a load left half done, and removes what it left beside the file.  Errors:
 * the file or what is beside it is not the caller's, is a link, or names other files; a program
 * uses it; its folder cannot be written.
 */
enum csc_status store_recover(
		const char *path, enum store_recovery *ret_recovery, struct diag *diag);

/* Undoes what this process itself began to append and gave up; best effort.  `vfs`: see store.h. */
void store_roll_back(const char *path, const char *vfs);

#endif
