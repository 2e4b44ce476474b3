/*
 * SPDX-License-Identifier: MIT
 *
 * What `carrierscope top` shows of one moment.
 */
#ifndef CSC_TOP_READING_H
#define CSC_TOP_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most that are shown; a node has some 15 allocators. */
enum { TOP_ALLOCATORS = 24, TOP_HOLDERS = 24 };

/* Of a holder's last minute: one level for each of so many stretches. */
enum { TOP_LEVELS = 12 };

/* A number that is not known. */
#define TOP_UNKNOWN INT64_MIN

/* Bytes.  carriers: all, those in the pool included. */
struct top_allocator {
	char name[32];
	int64_t carriers;
	int64_t blocks;
	int64_t pool;
	int64_t growth;
};

/* Bytes: of a heap, a table or a port; binaries that a process refers to, which others may share.
 */
struct top_holder {
	char kind[12];
	char id[40];
	char text[244];
	int64_t bytes;
	int64_t binaries;
	int64_t growth;

	/* What it had at readings of the last minute, the latest last. */
	int64_t levels[TOP_LEVELS];
	int level_count;
};

struct top_reading {
	char node[256];
	long pid;

	/* Nanoseconds since the Unix epoch. */
	int64_t ts_ns;
	int64_t resident;
	int64_t processes;
	int64_t ports;

	/* Of a recording; TOP_UNKNOWN: this is none. */
	int64_t lost_events;

	/* All allocators. */
	struct top_allocator total;
	struct top_allocator allocators[TOP_ALLOCATORS];
	size_t allocator_count;
	struct top_holder holders[TOP_HOLDERS];
	size_t holder_count;

	/* How long ago the reading was taken with which growth compares; 0: there is none. */
	int64_t growth_ns;
};

/* Adds up all allocators. */
void top_reading_sum(struct top_reading *reading);

/* Readings of the last minute. */
struct top_history;

/* NULL: out of memory.  Freed by free(). */
struct top_history *top_history_create(void);

/* Fills in how much everything has grown since the oldest reading of the last minute, and keeps it.
 */
void top_history_add(struct top_history *history, struct top_reading *reading);

/* From now on growth is that since the next reading. */
void top_history_clear(struct top_history *history);

enum top_key {
	TOP_BY_CARRIERS,
	TOP_BY_BLOCKS,
	TOP_BY_USE,
	TOP_BY_POOL,
	TOP_BY_GROWTH,
	TOP_BY_NAME,
};

/* Largest first; names: in their order.  Holders are sorted by their bytes. */
void top_reading_sort(struct top_reading *reading, enum top_key key);

/* Those that grew most, at most `most`; as places in `holders`.  Yields how many. */
size_t top_reading_growers(const struct top_reading *reading, size_t most,
		size_t ret_places[static TOP_HOLDERS]);

#endif
