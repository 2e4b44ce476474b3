/*
 * SPDX-License-Identifier: MIT
 *
 * Block events as the sums by maker need them, from the rows of packed_block.
 */
#ifndef CSC_MAKER_EVENTS_H
#define CSC_MAKER_EVENTS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "diag.h"

enum { MAKER_KEYS = 7 };

/* Who made a block, and what: source, moment, thread, allocator, type, process, row of
 * block_process. */
struct maker_key {
	int64_t value[MAKER_KEYS];

	/* A bit for each that is NULL; its value is 0. */
	uint64_t nulls;
};

/* A row of block_event.  A block that is made has a size, or no load writes such a row. */
struct maker_event {
	int64_t id;
	int64_t ts_ns;
	int64_t size;
	int64_t ended_id;
	bool is_made;
	bool has_size;

	/* Keys behind the first two. */
	struct maker_key key;
};

struct packed_blocks;

/* What events are read by.  All zeroes is closed. */
struct maker_events {
	/* Whether the file has rows of block_process: looking for one takes half of the time. */
	bool has_process;

	/* The first key of what is read. */
	int64_t source_id;

	/* The kinds of packed rows, the row of block_process that says whose one is, and rows that
	 * are not packed. */
	sqlite3 *db;
	struct packed_blocks *packed;
	sqlite3_stmt *since;
	sqlite3_stmt *one;
};

/* `has_process` is set before. */
enum csc_status maker_events_open(struct maker_events *events, sqlite3 *db, struct diag *diag);
void maker_events_close(struct maker_events *events);

/* Reads the event of a row of packed_block: rowid, word, place. */
enum csc_status maker_events_read(struct maker_events *events, sqlite3_stmt *packed,
		struct maker_event *ret_event, struct diag *diag);

/* Reads keys `from` on, which begin in a column. */
void maker_key_read(struct maker_key *key, int from, sqlite3_stmt *row, int column);

#endif
