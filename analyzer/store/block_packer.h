/*
 * SPDX-License-Identifier: MIT
 *
 * Rows of block_event as rows of packed_block, which take half of the room.
 *
 * What many rows have in common is a row of packed_block_kind.  Those that were used lately are
 * known again; one that was forgotten gets another number, so memory does not grow.
 */
#ifndef CSC_BLOCK_PACKER_H
#define CSC_BLOCK_PACKER_H

#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "feed_shape.h"
#include "rows.h"

/* A row of packed_block; both NULL: it is in unpacked_block. */
struct packed_row {
	int64_t id;
	int64_t word;
	int64_t place;
};

/* What rows have in common, ROW_NULL for NULL. */
struct packed_kind_key {
	int64_t type;
	int64_t allocator;
	int64_t instance;
	int64_t process;
	int64_t zone;
	int64_t thread;
};

struct packed_kind_row {
	int64_t id;
	struct packed_kind_key key;
};

struct packed_time_row {
	int64_t from_id;
	int64_t ts_ns;
};

struct known_kinds;

/* Rows that wait to be inserted, of each table. */
struct block_packer {
	struct packed_row *rows;
	size_t row_count;
	struct packed_kind_row *kinds;
	size_t kind_count;
	struct packed_time_row *times;
	size_t time_count;
	struct block_row *unpacked;
	size_t unpacked_count;

	/* The last number of a kind, and the time that counts now. */
	int64_t last_kind;
	int64_t since_ns;
	struct known_kinds *known;
};

/* `most`: rows that wait at once.  `last_kind`: the greatest number in the file; 0: none. */
enum csc_status block_packer_open(
		struct block_packer *packer, size_t most, int64_t last_kind, struct diag *diag);
void block_packer_close(struct block_packer *packer);

/* Takes a row that block_lives_take() has completed and whose thread is an id. */
void block_packer_take(struct block_packer *packer, const struct block_row *row);

/* All that wait were inserted. */
void block_packer_forget(struct block_packer *packer);

#endif
