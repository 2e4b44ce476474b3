/*
 * SPDX-License-Identifier: MIT
 *
 * The folder of a keeper: one keeper at a time.
 */
#ifndef CSC_KEEP_FOLDER_H
#define CSC_KEEP_FOLDER_H

#include <stdbool.h>
#include <sys/types.h>

#include "diag.h"
#include "keep_ring.h"

struct keep_folder {
	/* Of its file `.keeper`; to be closed, which unlocks.  No child has the lock.  0: it is not
	 * locked. */
	int lock;

	/* Whether this keeper made it. */
	bool is_made;
};

/*
 * Makes the folder unless it is there, locks it and names the ring's sessions after it.  Errors:
 * another keeper uses it, it cannot be written.  `*folder` is valid after an error, too.
 */
enum csc_status keep_folder_open(const char *name, struct keep_ring *ring,
		struct keep_folder *folder, struct diag *diag);

/* Of a keeper that was refused, before it unlocks: removes the lock, a spool in which nothing
 * waits, and the folder if this keeper made it and nothing else is in it. */
void keep_folder_remove(const char *name, const struct keep_folder *folder);

/* Whether a failure there is none of a full disk. */
bool keep_folder_has_room(const char *name);

#endif
