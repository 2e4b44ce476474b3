/*
 * SPDX-License-Identifier: MIT
 *
 * Sums over the calls of the C library's allocator.
 */
#include "libc_use.h"

#include <stdlib.h>

#include "growing.h"

/* Ends the life of a block of `size` bytes. */
static void release(struct libc_process *process, int64_t size)
{
	process->live_blocks--;
	process->live_bytes -= size;
}

static void allocate(struct libc_process *process, const struct block_row *row)
{
	if (row->is_reuse) {
		release(process, row->ended_size);
		process->address_reused_without_free++;
	}

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
	process->reallocs++;
	if (row->address == 0 && row->size > 0) {
		process->failed++;
		return;
	}

	if (row->old_address != 0 && use->resized_size != ROW_NULL) {
		process->released_bytes += use->resized_size;
		release(process, use->resized_size);
	} else {
		process->reallocs_of_unknown++;
	}

	process->reallocs_moved += row->address != row->old_address;
	if (row->address != 0) {
		allocate(process, row);
	}
}

static void free_block(struct libc_process *process, const struct block_row *row)
{
	if (row->address == 0) {
		process->frees_null++;
	} else if (row->ended_id != ROW_NULL) {
		process->frees_known++;
		process->released_bytes += row->ended_size;
		release(process, row->ended_size);
	} else {
		process->frees_unknown++;
	}
}

enum csc_status libc_use_take(struct libc_use *use, const struct block_row *row, struct diag *diag)
{
	struct libc_process *process;

	if (!csc_grow_zeroed(&use->processes, &use->process_count, (size_t)row->runtime + 1,
			    sizeof(*use->processes))) {
		return DIAG_NO_MEMORY(diag);
	}

	if (row->is_realloc_free) {
		use->resized_size = row->ended_size;
		return CSC_OK;
	}

	process = &use->processes[row->runtime];
	process->events++;
	switch ((enum block_op)row->op) {
	case BLOCK_ALLOC:
		if (row->address == 0) {
			process->failed++;
		} else {
			allocate(process, row);
		}
		break;
	case BLOCK_FREE:
		free_block(process, row);
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
	*use = (struct libc_use){ 0 };
}
