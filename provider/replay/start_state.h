/* SPDX-License-Identifier: MIT */
/*
 * What was there when a node was read first, and what came and went until it was read last, as far
 * as block events show it.
 */
#ifndef CSC_START_STATE_H
#define CSC_START_STATE_H

#include "reading.h"

/* A block that was live at the first reading and is known one by one. */
struct start_block {
	/* Who ends it finds it under this row: that which made it, or else that which ends it. */
	int64_t row;

	/*
	 * What was asked for; of a block from before the recording what it has room for, a tag of
	 * the emulator's included; 0: not recorded.
	 */
	uint64_t bytes;
	uint32_t type;

	/* Whose thread made it, or else ended it. */
	uint32_t scheduler;
	bool is_old;
};

/* Between the two readings, of one allocator. */
struct start_change {
	/* Sizes of blocks, with their headers: no less and no more than this. */
	int64_t bytes_low;
	int64_t bytes_high;

	/* Ends of blocks from before the recording whose size was not recorded. */
	int64_t unknown;

	/* Freed or resized by another instance than made them, and how many were freed or resized.
	 */
	int64_t foreign;
	int64_t ended;
};

struct start_state {
	struct start_block *blocks;
	size_t count;
	struct start_change changes[CSC_ALLOCATORS];
};

/* `options` are settled. */
enum csc_status start_state_find(const struct recording *recording, const struct readings *readings,
		const struct csc_options *options, struct start_state *ret_start,
		struct diag *diag);
void start_state_finish(struct start_state *start);

/* Bytes of the tag that the emulator puts behind what is asked for. */
uint64_t start_state_tag_bytes(const struct csc_options *options, enum csc_allocator allocator);

#endif
