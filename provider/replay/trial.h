/* SPDX-License-Identifier: MIT */
/* What flags would have made of a recording, and where that is kept: table flag_trial. */
#ifndef CSC_TRIAL_H
#define CSC_TRIAL_H

#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "options.h"

/* A figure of several replays: of the first, the least and the most. */
struct trial_range {
	uint64_t first;
	uint64_t low;
	uint64_t high;
};

/* Bytes of carriers. */
struct trial_figures {
	struct trial_range end;
	struct trial_range peak;
};

struct trial_row {
	/* A name, or "all".  Static. */
	const char *allocator;

	/* Of the recorded carriers, what the replay without flags came to, 0 to 1; -1: unknown. */
	double coverage;
	struct trial_figures plain;
	struct trial_figures with;
};

/* A row of each allocator, and of all. */
#define TRIAL_ROWS (CSC_ALLOCATORS + 1)

struct trial_file;

/* Opens a database for writing.  NULL: `diag` says why it cannot be written. */
struct trial_file *trial_open(const char *path, struct diag *diag);
void trial_close(struct trial_file *file);

/* Writes the rows of a set of flags, instead of those there are, or none at all. */
enum csc_status trial_write(struct trial_file *file, int64_t runtime, const char *flags,
		int schedules, const struct trial_row *rows, size_t count, struct diag *diag);

/*
 * Flags that are proposed for a runtime, each set once; none is an error.  trial_forget() frees
 * them.
 */
enum csc_status trial_candidates(struct trial_file *file, int64_t runtime, char ***ret_flags,
		size_t *ret_count, struct diag *diag);
void trial_forget(char **flags, size_t count);

#endif
