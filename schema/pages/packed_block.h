/* SPDX-License-Identifier: MIT */
/*
 * The words of table packed_block, as schema/events/events.sql has them: what the loader packs,
 * and who reads many rows unpacks without view block_event.
 */
#ifndef CSC_PACKED_BLOCK_H
#define CSC_PACKED_BLOCK_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From the lowest bit on: time, operation, then a size or what of it is more, then the kind. */
enum {
	PACKED_TIME_BITS = 22,
	PACKED_OP_BITS = 2,
	PACKED_SIZE_AT = PACKED_TIME_BITS + PACKED_OP_BITS,
	PACKED_SIZE_BITS = 18,
	PACKED_MORE_BITS = 8,
	PACKED_KIND_AT = PACKED_SIZE_AT + PACKED_SIZE_BITS,
	PACKED_END_KIND_AT = PACKED_SIZE_AT + PACKED_MORE_BITS,

	/* Words are not negative. */
	PACKED_KINDS_MOST = 1 << (63 - PACKED_KIND_AT),

	/* Of an address: bits that are 0, and those that are in the row. */
	PACKED_ALIGN_BITS = 3,
	PACKED_ZONE_BITS = 26,

	/* What a size field says that is none: NULL; and in a row that ends a block: 0. */
	PACKED_NO_SIZE = 0,
	PACKED_ZERO_SIZE = 1,
	PACKED_SAME_SIZE = 2,
};

/* A row of packed_block_kind. */
struct packed_kind {
	/* 0 where it is NULL: a bit in `nulls`, the first is that of the thread. */
	int64_t thread;
	int64_t type;
	int64_t allocator;
	int64_t instance;
	int64_t process;
	int64_t zone;
	uint32_t nulls;
};

enum {
	PACKED_NULL_THREAD = 1,
	PACKED_NULL_TYPE = 2,
	PACKED_NULL_ALLOCATOR = 4,
	PACKED_NULL_INSTANCE = 8,
	PACKED_NULL_PROCESS = 16,
};

/* What a row says.  Of one that ends a block: that has the address, and the size is `more` more. */
struct unpacked_row {
	int64_t ts_ns;
	int64_t address;
	int64_t size;
	int64_t ended;
	int64_t more;
	const struct packed_kind *kind;
	int32_t op;
	bool has_size;

	/* `ended` has a row, `address` is 0, and `size` is to be had by that row if this is true.
	 */
	bool is_more;
};

/* The kinds and times of a database. */
struct packed_blocks;

/* NULL: out of memory, or a failure of SQLite, which `db` has. */
struct packed_blocks *packed_blocks_open(sqlite3 *db);

/* NULL is none. */
void packed_blocks_close(struct packed_blocks *blocks);

/*
 * Unpacks a row.  Ids that rise from call to call are fast.  False: there is no such kind or time,
 * or what the row ends is before the first: the file is damaged, and view block_event says of what
 * column.  The kind is valid until the close.
 */
bool packed_blocks_unpack(struct packed_blocks *blocks, int64_t id, int64_t word, int64_t place,
		struct unpacked_row *ret_row);

#endif
