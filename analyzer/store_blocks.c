/*
 * SPDX-License-Identifier: MIT
 *
 * Writes the tables of schema/21_block_history.sql.
 */
#include "insert.h"
#include "store_internal.h"

static void put_levels(struct insert *insert, struct store *store, const struct block_group *group)
{
	const struct block_history *history = &store->block_history;
	struct block_level before = { 0 };

	for (int64_t i = 0; i <= group->open; i++) {
		const struct block_level *level = &group->level[i];

		if (level->blocks == before.blocks && level->bytes == before.bytes) {
			continue;
		}

		before = *level;
		insert_integer(insert, store->bases.runtime + group->runtime + 1);
		insert_sum(insert, group->allocator_id);
		insert_sum(insert, group->type_id);
		insert_sum(insert, group->size_log2);
		insert_sum(insert, history->origin_ns + (i << history->shift));
		insert_sum(insert, level->blocks);
		insert_sum(insert, level->bytes);
		insert_row(insert);
	}
}

enum csc_status store_write_blocks(struct store *store, struct diag *diag)
{
	const struct block_history *history = &store->block_history;
	struct insert insert;
	enum csc_status status;

	insert_open(&insert, store->db, "INSERT", "block_total", 11);
	for (size_t i = 0; i < history->group_count; i++) {
		const struct block_group *group = history->groups[i];

		insert_integer(&insert, store->bases.runtime + group->runtime + 1);
		insert_sum(&insert, group->allocator_id);
		insert_sum(&insert, group->type_id);
		insert_sum(&insert, group->size_log2);
		insert_sum(&insert, group->allocations);
		insert_sum(&insert, group->allocated_bytes);
		insert_sum(&insert, group->unknown_frees);
		insert_sum(&insert, group->now.blocks);
		insert_sum(&insert, group->now.bytes);
		insert_sum(&insert, group->peak.bytes);
		insert_integer(&insert, group->peak.bytes > 0 ? group->peak_ns : ROW_NULL);
		insert_row(&insert);
	}

	status = insert_close(&insert, diag);
	insert_open(&insert, store->db, "INSERT", "block_level", 7);
	for (size_t i = 0; i < history->group_count; i++) {
		put_levels(&insert, store, history->groups[i]);
	}

	return insert_close(&insert, diag) == CSC_OK ? status : CSC_ERROR;
}
