/* SPDX-License-Identifier: MIT */
/* Files of parts of a search, one of each machine: replays, and whose they are. */
#ifndef CSC_SWEEP_PART_H
#define CSC_SWEEP_PART_H

#include "sweep_rows.h"

struct sweep_part {
	/* 1 to `shards`. */
	uint32_t shard;
	uint32_t shards;

	/* The recording as it was named, and what decides its settings. */
	char recording[4096];
	enum sweep_objective objective;
	uint32_t letters;

	/* All of its replays are there. */
	bool is_complete;
};

/*
 * Opens a part to go on with, or makes it; sweep_file_keep() and sweep_file_find() take it.  NULL:
 * `diag` says why, also if it is another part.
 */
struct sweep_file *sweep_part_open(const char *path, const struct sweep_part *part, int64_t runtime,
		struct diag *diag);
enum csc_status sweep_part_finish(struct sweep_file *file, struct diag *diag);

/* Opens a part to be read.  NULL: `diag` says why it is none. */
struct sweep_file *sweep_part_read(
		const char *path, int64_t runtime, struct sweep_part *ret_part, struct diag *diag);

/* Copies all replays of a part into a recording's file, each instead of an earlier one. */
enum csc_status sweep_part_copy(struct sweep_file *to, struct sweep_file *part, struct diag *diag);

#endif
