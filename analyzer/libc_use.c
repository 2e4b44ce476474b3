/*
 * SPDX-License-Identifier: MIT
 *
 * Live blocks by address, and the sums over them.
 */
#include "libc_use.h"

#include <stdbool.h>
#include <stdlib.h>

static size_t home_of(const struct libc_use *use, int32_t runtime, int64_t address)
{
	uint64_t hash = ((uint64_t)address ^ ((uint64_t)(uint32_t)runtime << 48)) *
			UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(hash >> 20) & (use->slot_count - 1);
}

/* Finds the slot of a block, or the empty one where it would go. */
static size_t slot_of(const struct libc_use *use, int32_t runtime, int64_t address)
{
	size_t slot = home_of(use, runtime, address);

	while (use->blocks[slot].address != 0 &&
			(use->blocks[slot].address != address ||
					use->blocks[slot].runtime != runtime)) {
		slot = (slot + 1) & (use->slot_count - 1);
	}

	return slot;
}

static bool grow(struct libc_use *use)
{
	struct libc_block *old = use->blocks;
	size_t old_count = use->slot_count;
	size_t slot_count = old_count ? old_count * 2 : 1024;
	struct libc_block *blocks;

	if (use->block_count * 2 < old_count) {
		return true;
	}

	blocks = calloc(slot_count, sizeof(*blocks));
	if (!blocks) {
		return false;
	}

	use->blocks = blocks;
	use->slot_count = slot_count;
	for (size_t i = 0; i < old_count; i++) {
		if (old[i].address != 0) {
			blocks[slot_of(use, old[i].runtime, old[i].address)] = old[i];
		}
	}

	free(old);
	return true;
}

/* Empties a slot and closes the gap behind it. */
static void take_out(struct libc_use *use, size_t slot)
{
	size_t mask = use->slot_count - 1;
	size_t next = (slot + 1) & mask;

	while (use->blocks[next].address != 0) {
		size_t home = home_of(use, use->blocks[next].runtime, use->blocks[next].address);

		if (((next - home) & mask) >= ((next - slot) & mask)) {
			use->blocks[slot] = use->blocks[next];
			slot = next;
		}
		next = (next + 1) & mask;
	}

	use->blocks[slot].address = 0;
	use->block_count--;
}

/* Ends the life of a block; false: it was not live. */
static bool release(struct libc_use *use, struct libc_process *process, int32_t runtime,
		int64_t address, int64_t *ret_size)
{
	size_t slot = slot_of(use, runtime, address);

	if (use->blocks[slot].address == 0) {
		return false;
	}

	*ret_size = use->blocks[slot].size;
	process->live_blocks--;
	process->live_bytes -= *ret_size;
	take_out(use, slot);
	return true;
}

static void allocate(
		struct libc_use *use, struct libc_process *process, const struct block_row *row)
{
	int64_t dropped;
	size_t slot;

	if (release(use, process, row->runtime, row->address, &dropped)) {
		process->address_reused_without_free++;
	}

	slot = slot_of(use, row->runtime, row->address);
	use->blocks[slot] = (struct libc_block){ row->address, row->size, row->runtime };
	use->block_count++;
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

	if (!grow(use)) {
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
	free(use->blocks);
	*use = (struct libc_use){ 0 };
}
