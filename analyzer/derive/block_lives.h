/*
 * SPDX-License-Identifier: MIT
 *
 * Which block a row of block_event ends, and what is live: by process and address.
 *
 * A block ends when it is freed or reallocated, or, when its free was not seen, when
 * another is made at its address.  Its end knows its beginning (`ended_id`), so that
 * what is live after any row is: rows that made a block, less those that ended.
 *
 * A reallocation is recorded when it is over, and another thread may have got the old
 * address by then: it ends the block that lay there before.
 */
#ifndef CSC_BLOCK_LIVES_H
#define CSC_BLOCK_LIVES_H

#include "block_accounts.h"
#include "block_table.h"
#include "diag.h"
#include "rows.h"

/* All zeroes is a new one. */
struct block_lives {
	struct block_table live;
	struct block_accounts accounts;

	/* By thread number: block_event.id of the last block it made; 0: none. */
	int64_t *last_made;
	size_t thread_count;

	/* Of the block that the first row of a reallocation has just ended. */
	int64_t resized_born_ns;
	bool is_resizing;

	/* Reallocations that were recorded after their old address was in use again. */
	int64_t late_reallocs;

	/* Times of the first and the last row. */
	int64_t first_ns;
	int64_t last_ns;
	bool has_rows;

	/* Rows taken since the live blocks were listed last: see block_lives_is_list_due(). */
	int64_t since_list;
};

/* Takes the next row in the order of ids; fills its `ended_id`, `ended_size` and `is_reuse`. */
enum csc_status block_lives_take(
		struct block_lives *lives, struct block_row *row, struct diag *diag);

/*
 * The live blocks should be listed: it has been 2^18 rows, and 6 for each block in the
 * list, so that lists have a sixth of the ids of all rows at most.
 */
bool block_lives_is_list_due(const struct block_lives *lives);

/* The ids of the rows that made what is live, in no order.  False: out of memory. */
bool block_lives_list(struct block_lives *lives, int64_t **ret_ids, size_t *ret_count);

/* Live blocks of one type that one process made on one thread. */
struct live_maker {
	uint32_t account;
	int32_t thread;
	int64_t process;
	struct block_tally live;
};

/* What is live, by its makers, in no order; free() frees it.  False: out of memory. */
bool block_lives_sum_makers(
		const struct block_lives *lives, struct live_maker **ret_makers, size_t *ret_count);

void block_lives_finish(struct block_lives *lives);

#endif
