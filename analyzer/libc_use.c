/*
 * SPDX-License-Identifier: MIT
 *
 * The sums over live blocks.
 */
#include "libc_use.h"

#include <stdbool.h>
#include <stdlib.h>

/* Ends the life of a block; false: it was not live. */
static bool release(struct libc_use *use, struct libc_process *process, int32_t runtime,
		int64_t address, int64_t *ret_size)
{
	struct live_block block;

	if (!live_blocks_take(&use->blocks, runtime, address, &block)) {
		return false;
	}

	*ret_size = block.size;
	process->live_blocks--;
	process->live_bytes -= block.size;
	return true;
}

static void allocate(
		struct libc_use *use, struct libc_process *process, const struct block_row *row)
{
	const struct live_block block = { row->address, row->size, row->runtime, 0 };
	int64_t dropped;

	if (release(use, process, row->runtime, row->address, &dropped)) {
		process->address_reused_without_free++;
	}

	live_blocks_add(&use->blocks, &block);
	process->allocations++;
	process->allocated_bytes += row->size;
	process->by_size[row->size <= 1 ? 0 : 64 - __builtin_clzll((uint64_t)row->size - 1)]++;
	process->live_blocks++;
	process->live_bytes += row->size;
	if (process->live_bytes > process->peak_live_bytes) {
		process->peak_live_bytes = process->live_bytes;
		process->peak_ns = row->ts_ns;
	}
}

static void reallocate(
		struct libc_use *use, struct libc_process *process, const struct block_row *row)
{
	int64_t released;

	process->reallocs++;
	if (row->address == 0 && row->size > 0) {
		process->failed++;
		return;
	}

	if (row->old_address != 0 &&
			release(use, process, row->runtime, row->old_address, &released)) {
		process->released_bytes += released;
	} else {
		process->reallocs_of_unknown++;
	}

	process->reallocs_moved += row->address != row->old_address;
	if (row->address != 0) {
		allocate(use, process, row);
	}
}

static void free_block(
		struct libc_use *use, struct libc_process *process, const struct block_row *row)
{
	int64_t released;

	if (row->address == 0) {
		process->frees_null++;
	} else if (release(use, process, row->runtime, row->address, &released)) {
		process->frees_known++;
		process->released_bytes += released;
	} else {
		process->frees_unknown++;
	}
}

enum csc_status libc_use_take(struct libc_use *use, const struct block_row *row, struct diag *diag)
{
	struct libc_process *process;

	if ((size_t)row->runtime >= use->process_count) {
		size_t count = (size_t)row->runtime + 1;

		process = realloc(use->processes, count * sizeof(*process));
		if (!process) {
			return DIAG_NO_MEMORY(diag);
		}

		for (size_t i = use->process_count; i < count; i++) {
			process[i] = (struct libc_process){ 0 };
		}
		use->processes = process;
		use->process_count = count;
	}

	if (!live_blocks_reserve(&use->blocks)) {
		return DIAG_NO_MEMORY(diag);
	}

	process = &use->processes[row->runtime];
	process->events++;
	switch ((enum block_op)row->op) {
	case BLOCK_ALLOC:
		if (row->address == 0) {
			process->failed++;
		} else {
			allocate(use, process, row);
		}
		break;
	case BLOCK_FREE:
		free_block(use, process, row);
		break;
	case BLOCK_REALLOC:
		reallocate(use, process, row);
		break;
	}

	return CSC_OK;
}

void libc_use_finish(struct libc_use *use)
{
	free(use->processes);
	live_blocks_finish(&use->blocks);
	*use = (struct libc_use){ 0 };
}
