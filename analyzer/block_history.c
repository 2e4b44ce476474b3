/*
 * SPDX-License-Identifier: MIT
 *
 * Dense arrays of buckets, halved when time goes beyond their end.
 */
#include "block_history.h"

#include <stdlib.h>

/* 2^16 ns: 128 buckets are 8 ms at first. */
enum { FIRST_SHIFT = 16, LAST_SHIFT = 62 };

static int log2_of(int64_t size)
{
	return size <= 1 ? 0 : 63 - __builtin_clzll((uint64_t)size);
}

static struct block_group *borrow_group(struct block_history *history, const struct block_row *row)
{
	/* Types are 16 bits wide, allocators 8 and powers 6. */
	int size_log2 = log2_of(row->size);
	int64_t key = (int64_t)((uint64_t)row->type_id << 14 | (uint64_t)row->allocator_id << 6 |
			(uint64_t)size_log2);
	int32_t number = registry_number(&history->numbers, row->runtime, key, NULL);
	struct block_group *group;

	if (number < 0) {
		return NULL;
	}

	if ((size_t)number < history->group_count) {
		return history->groups[number];
	}

	if (history->group_count == history->group_capacity) {
		size_t capacity = history->group_capacity ? history->group_capacity * 2 : 64;
		struct block_group **grown =
				realloc(history->groups, capacity * sizeof(struct block_group *));

		if (!grown) {
			return NULL;
		}

		history->groups = grown;
		history->group_capacity = capacity;
	}

	group = calloc(1, sizeof(*group));
	if (!group) {
		return NULL;
	}

	group->runtime = row->runtime;
	group->number = number;
	group->allocator_id = row->allocator_id;
	group->type_id = row->type_id;
	group->size_log2 = size_log2;
	history->groups[history->group_count++] = group;
	return group;
}

/* Makes the buckets twice as wide: of each two the later level stays. */
static void halve(struct block_history *history)
{
	for (size_t i = 0; i < history->group_count; i++) {
		struct block_group *group = history->groups[i];

		for (int64_t k = 0; k <= group->open / 2; k++) {
			int64_t later = 2 * k + 1 <= group->open ? 2 * k + 1 : group->open;

			group->level[k] = group->level[later];
		}

		group->open /= 2;
	}

	history->shift++;
}

static int64_t bucket_of(struct block_history *history, int64_t ts_ns)
{
	uint64_t elapsed_ns = ts_ns > history->origin_ns
			? (uint64_t)ts_ns - (uint64_t)history->origin_ns
			: 0;

	if (history->shift == 0) {
		history->origin_ns = ts_ns;
		history->shift = FIRST_SHIFT;
		elapsed_ns = 0;
	}

	while (elapsed_ns >> history->shift >= BLOCK_HISTORY_BUCKETS &&
			history->shift < LAST_SHIFT) {
		halve(history);
	}

	return (int64_t)(elapsed_ns >> history->shift);
}

static void change(struct block_group *group, int64_t bucket, int64_t blocks, int64_t bytes,
		int64_t ts_ns)
{
	/* A group without a level of its own in a bucket keeps the one it had. */
	while (group->open < bucket) {
		group->open++;
		group->level[group->open] = group->now;
	}

	group->now.blocks += blocks;
	group->now.bytes += bytes;
	group->level[group->open] = group->now;
	if (group->now.bytes > group->peak.bytes) {
		group->peak = group->now;
		group->peak_ns = ts_ns;
	}
}

static void end_block(struct block_history *history, struct block_group *group, int64_t bucket,
		const struct block_row *row)
{
	struct live_block block;

	if (live_blocks_take(&history->live, row->runtime, row->address, &block)) {
		change(history->groups[block.group], bucket, -1, -block.size, row->ts_ns);
	} else if (row->op == BLOCK_FREE) {
		group->unknown_frees++;
		change(group, bucket, -1, row->size == ROW_NULL ? 0 : -row->size, row->ts_ns);
	}
}

enum csc_status block_history_take(
		struct block_history *history, const struct block_row *row, struct diag *diag)
{
	struct block_group *group;
	int64_t bucket;

	if (row->address == 0) {
		return CSC_OK;
	}

	if (!live_blocks_reserve(&history->live) || !(group = borrow_group(history, row))) {
		return DIAG_NO_MEMORY(diag);
	}

	bucket = bucket_of(history, row->ts_ns);

	/* An allocation where a block is live: its free was lost. */
	end_block(history, group, bucket, row);
	if (row->op != BLOCK_FREE) {
		const struct live_block block = { row->address, row->size, row->runtime,
			group->number };

		live_blocks_add(&history->live, &block);
		group->allocations++;
		group->allocated_bytes += row->size;
		change(group, bucket, 1, row->size, row->ts_ns);
	}

	return CSC_OK;
}

void block_history_finish(struct block_history *history)
{
	for (size_t i = 0; i < history->group_count; i++) {
		free(history->groups[i]);
	}

	free(history->groups);
	live_blocks_finish(&history->live);
	registry_finish(&history->numbers);
	*history = (struct block_history){ 0 };
}
