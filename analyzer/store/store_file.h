/*
 * SPDX-License-Identifier: MIT
 *
 * Names of files: a new database has a name of its own until it is whole.
 */
#ifndef CSC_STORE_FILE_H
#define CSC_STORE_FILE_H

#include <stdbool.h>

#include "diag.h"

struct store;

/*
 * Gives a whole file that was written under another name in the same folder its
 * final one.  Errors: the name is taken and is_forced is not set.
 */
enum csc_status store_publish(
		const char *working_path, const char *path, bool is_forced, struct diag *diag);

/*
 * Removes working files in a database's folder that are provably ours: of loads that are no more,
 * or, for a load that cannot end itself, those of this process.
 */
void store_remove_unfinished(const char *path, bool is_own);

/* Checks the final name and makes the working file; removes working files of dead loaders. */
enum csc_status store_file_prepare(struct store *store, struct diag *diag);

/* Makes the working file durable and gives it its final name. */
enum csc_status store_file_publish(struct store *store, struct diag *diag);

#endif
