/*
 * SPDX-License-Identifier: MIT
 *
 * Pushes on disk that wait for the server of a fleet: files NUMBER.push, the lowest is the oldest.
 */
#ifndef CSC_KEEP_SPOOL_H
#define CSC_KEEP_SPOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "diag.h"

enum { SPOOL_PATH_BYTES = 320 };

struct keep_spool {
	char folder[280];

	/* Bytes of all pushes. */
	uint64_t most_bytes;
};

/* What lies in a spool. */
struct keep_spool_size {
	unsigned int count;
	uint64_t bytes;
};

/* Makes `folder`/spool unless it is there.  Errors: it cannot be made. */
enum csc_status keep_spool_open(struct keep_spool *spool, const char *folder, uint64_t most_bytes,
		struct diag *diag);

/* Of a file in the spool that is no push. */
void keep_spool_path(const struct keep_spool *spool, const char *name,
		char ret_path[static SPOOL_PATH_BYTES]);

/*
 * Makes the file `path`, which lies in the spool, its newest push; the oldest go until all are
 * within the bounds.  *ret_dropped: how many.  Errors: it cannot be renamed, or written to disk.
 */
enum csc_status keep_spool_add(const struct keep_spool *spool, const char *path,
		unsigned int *ret_dropped, struct diag *diag);

/* Paths of the oldest pushes, `most` at most, the oldest first; yields how many there are. */
unsigned int keep_spool_first(const struct keep_spool *spool, unsigned int most,
		char (*ret_paths)[SPOOL_PATH_BYTES]);

/* False: there is none. */
bool keep_spool_oldest(const struct keep_spool *spool, char ret_path[static SPOOL_PATH_BYTES]);

struct keep_spool_size keep_spool_size(const struct keep_spool *spool);

#endif
