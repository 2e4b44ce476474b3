/* SPDX-License-Identifier: MIT */
/*
 * What a node reported of its own counters: two whole readings of one recording, with nothing left
 * out between them.
 *
 * A node reads its allocators one after another, between the event snapshot_begin and the first
 * figure that follows; blocks that come and go meanwhile may be in the figures or not.
 */
#ifndef CSC_READING_H
#define CSC_READING_H

#include "recording.h"

/* Global, and one for each scheduler, dirty ones included. */
#define READING_INSTANCES 1025

#define READING_TABLES 2

/* Of an instance, or of a whole allocator. */
struct reading_figures {
	/* Multi-block carriers, employed and pooled, and what is in them. */
	int64_t blocks;
	int64_t blocks_bytes;
	int64_t carriers;
	int64_t carriers_bytes;

	/* Of these, those in the pool. */
	int64_t pooled;
	int64_t pool_blocks;
	int64_t pool_blocks_bytes;
	int64_t pool_carriers_bytes;

	/* Single-block carriers. */
	int64_t single_blocks;
	int64_t single_blocks_bytes;
	int64_t single_carriers;
	int64_t single_carriers_bytes;

	/* Of these, those that made one or resized it. */
	int64_t calls_made;

	/* Calls of the segment allocator that made one. */
	int64_t segments_made;

	/* Calls that made a block less calls that freed one. */
	int64_t calls;
};

/* What came and went while it was read: how far off the figures may be. */
struct reading_window {
	int64_t events;
	int64_t blocks_low;
	int64_t blocks_high;
	int64_t bytes_low;
	int64_t bytes_high;

	/*
	 * Freed just before or meanwhile by others than made them: the node may have counted them
	 * still.
	 */
	int64_t queued;
	int64_t queued_bytes;
};

struct reading {
	int64_t snapshot;
	int64_t begin_ns;
	int64_t read_ns;

	/* Row of block_event: the last before it; 0: none. */
	int64_t row;

	/*
	 * Blocks of ll_alloc, instance 0, that every node makes when it boots, headers included:
	 * its table of processes and its table of ports.  0: not known.
	 */
	int64_t table_bytes[READING_TABLES];

	/* By allocator and instance, and in sum. */
	struct reading_figures (*instances)[READING_INSTANCES];
	struct reading_figures allocators[CSC_ALLOCATORS];
	struct reading_window windows[CSC_ALLOCATORS];
};

/* A whole reading: its number and when it began. */
struct reading_moment {
	int64_t snapshot;
	int64_t begin_ns;
};

struct readings {
	struct reading first;
	struct reading last;

	/* These two and those between them, in the order of time. */
	struct reading_moment *moments;
	size_t moment_count;

	/* Bit n: allocator n was recorded block by block. */
	uint32_t allocators;
};

/* One of them: its figures, without what passed meanwhile. */
enum csc_status reading_load(const struct recording *recording, const struct reading_moment *moment,
		struct reading *ret_reading, struct diag *diag);
void reading_finish(struct reading *reading);

/*
 * Finds the last hook of all blocks with two whole readings and takes its first and its last.
 * On failure `diag` has what is missing.
 */
enum csc_status readings_find(const struct recording *recording, struct readings *ret_readings,
		struct diag *diag);
void readings_finish(struct readings *readings);

#endif
