/*
 * SPDX-License-Identifier: MIT
 *
 * Beginnings and ends of blocks.
 */
#include "block_lives.h"

#include <assert.h>
#include <stdlib.h>

#include "growing.h"
#include "numbering.h"

enum {
	LIST_ROWS = 1 << 18,
	LIST_ROWS_PER_BLOCK = 6,
};

/* Where the thread of a row notes what it made last; NULL in `*ret_last`: not known. */
static bool find_last(struct block_lives *lives, int32_t thread, int64_t **ret_last)
{
	*ret_last = NULL;
	if (thread < 0) {
		return true;
	}

	if (!csc_grow_zeroed(&lives->last_made, &lives->thread_count, (size_t)thread + 1,
			    sizeof(*lives->last_made))) {
		return false;
	}

	*ret_last = &lives->last_made[thread];
	return true;
}

/* Ends a live block with a row. */
static void end(struct block_lives *lives, struct live_block *block, struct block_row *row,
		enum block_end how)
{
	int64_t life_ns = row->ts_ns - block->born_ns;

	row->ended_id = block->id;
	row->ended_size = block->size;
	block_accounts_end(&lives->accounts, block->account, how, block->size, life_ns);
	block_table_take(&lives->live, block);
}

/*
 * Whether a reallocation means the block that was displaced when this one was made: it
 * is of that block's type, and another thread made this one.
 */
static bool is_late(const struct live_block *block, const struct block_row *row, uint32_t account)
{
	return row->is_realloc_free && block->displaced == account + 1 &&
			block->thread != row->thread;
}

static bool take_free(struct block_lives *lives, struct block_row *row)
{
	struct live_block *block = block_table_find(&lives->live, row->runtime, row->address);
	enum block_end how = row->is_realloc_free ? BLOCK_END_REALLOC : BLOCK_END_FREE;
	uint32_t account;
	int64_t *last;

	lives->is_resizing = false;
	if (!block || block->displaced != 0) {
		if (!block_accounts_find(&lives->accounts, row, &account)) {
			return false;
		}
		if (!block) {
			block_accounts_miss(&lives->accounts, account, row->size);
			return true;
		}
		if (is_late(block, row, account)) {
			block->displaced = 0;
			lives->late_reallocs++;
			return true;
		}
	}

	if (!find_last(lives, row->thread, &last)) {
		return false;
	}
	if (!row->is_realloc_free && last && *last == block->id && block->thread == row->thread) {
		how = BLOCK_END_TEMPORARY;
	}

	lives->is_resizing = row->is_realloc_free;
	lives->resized_born_ns = block->born_ns;
	end(lives, block, row, how);
	return true;
}

static bool take_made(struct block_lives *lives, struct block_row *row)
{
	struct live_block *there = block_table_find(&lives->live, row->runtime, row->address);
	struct live_block made = {
		.address = row->address,
		.id = row->id,
		.born_ns = row->op == BLOCK_REALLOC && lives->is_resizing ? lives->resized_born_ns
									  : row->ts_ns,
		.size = row->size,
		.process = row->process,
		.runtime = row->runtime,
		.thread = row->thread,
	};
	int64_t *last;

	lives->is_resizing = false;
	if (there) {
		row->is_reuse = true;
		made.displaced = there->account + 1;
		end(lives, there, row, BLOCK_END_LOST);
	}

	if (!block_accounts_find(&lives->accounts, row, &made.account) ||
			!block_table_put(&lives->live, &made) ||
			!find_last(lives, row->thread, &last)) {
		return false;
	}

	block_accounts_make(&lives->accounts, made.account, row);
	if (last) {
		*last = row->id;
	}

	return true;
}

enum csc_status block_lives_take(
		struct block_lives *lives, struct block_row *row, struct diag *diag)
{
	bool is_ok = true;

	assert(row->runtime >= 0 && row->id > 0);
	row->ended_id = ROW_NULL;
	row->ended_size = ROW_NULL;
	row->is_reuse = false;
	if (row->address == 0) {
		/* Nothing was freed, or nothing was given. */
		lives->is_resizing = false;
	} else if (row->op == BLOCK_FREE) {
		is_ok = take_free(lives, row);
	} else {
		is_ok = take_made(lives, row);
	}

	if (!lives->has_rows) {
		lives->has_rows = true;
		lives->first_ns = row->ts_ns;
	}

	lives->last_ns = row->ts_ns;
	lives->since_list++;
	if (!is_ok || !block_accounts_pass(&lives->accounts, row->id, row->ts_ns)) {
		return DIAG_NO_MEMORY(diag);
	}

	return CSC_OK;
}

bool block_lives_is_list_due(const struct block_lives *lives)
{
	return lives->since_list >= LIST_ROWS &&
			(uint64_t)lives->since_list >= lives->live.count * LIST_ROWS_PER_BLOCK;
}

bool block_lives_list(struct block_lives *lives, int64_t **ret_ids, size_t *ret_count)
{
	size_t count = 0;
	int64_t *ids = malloc((lives->live.count + 1) * sizeof(*ids));

	if (!ids) {
		return false;
	}

	for (size_t i = 0; i < lives->live.used; i++) {
		const struct live_block *block = block_table_at(&lives->live, i);

		if (block->address != 0) {
			ids[count++] = block->id;
		}
	}

	lives->since_list = 0;
	*ret_ids = ids;
	*ret_count = count;
	return true;
}

bool block_lives_sum_makers(
		const struct block_lives *lives, struct live_maker **ret_makers, size_t *ret_count)
{
	struct numbering numbers = { 0 };
	struct live_maker *makers = NULL;
	size_t room = 0;

	for (size_t i = 0; i < lives->live.used; i++) {
		const struct live_block *block = block_table_at(&lives->live, i);
		int64_t kind = (int64_t)block->account << 32 | (uint32_t)(block->thread + 1);
		int32_t number;

		if (block->address == 0) {
			continue;
		}
		number = numbering_find(&numbers, kind, block->process, NULL);
		if (number < 0 ||
				!csc_grow_zeroed(&makers, &room, (size_t)number + 1,
						sizeof(*makers))) {
			numbering_finish(&numbers);
			free(makers);
			return false;
		}
		makers[number].account = block->account;
		makers[number].thread = block->thread;
		makers[number].process = block->process;
		makers[number].live.count++;
		makers[number].live.bytes += block->size;
	}

	*ret_makers = makers;
	*ret_count = numbers.count;
	numbering_finish(&numbers);
	return true;
}

void block_lives_finish(struct block_lives *lives)
{
	block_table_finish(&lives->live);
	block_accounts_finish(&lives->accounts);
	free(lives->last_made);
	*lives = (struct block_lives){ 0 };
}
