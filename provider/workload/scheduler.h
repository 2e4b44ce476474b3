/* SPDX-License-Identifier: MIT */
/*
 * One scheduler at work on a workload: the blocks that it holds, when their lives end, and what
 * others have left for it to free.
 */
#ifndef CSC_SCHEDULER_H
#define CSC_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime.h"
#include "workload.h"

struct scheduler;

/* What all schedulers of one run have in common. */
struct workload_run {
	/* Weak. */
	const struct workload *workload;
	struct runtime *runtime;

	/* By number, from 1 on; room for `schedulers` + 1. */
	struct scheduler **schedulers;

	/* In turns: operations of all schedulers in all phases. */
	uint64_t operations;

	/* In turns: operations since new sessions were looked for. */
	uint64_t since_listen;

	/* Atomic: there is no memory, nobody goes on. */
	uint32_t is_over;
};

/* Why there is no memory. */
struct scheduler_failure {
	/* Weak; NULL: there was none. */
	const struct runtime_kind *kind;
	uint64_t bytes;
	bool is_realloc;
};

/* What a scheduler has done; sums over all schedulers are exact. */
struct scheduler_figures {
	/* Calls that returned memory, and calls that gave it back. */
	uint64_t allocs;
	uint64_t reallocs;
	uint64_t frees;

	/* Live blocks of all types that an allocator serves, and the bytes asked for in them. */
	int64_t blocks;
	int64_t blocks_bytes;

	/* Live blocks by allocator, and the bytes asked for in them. */
	int64_t allocator_blocks[CSC_ALLOCATORS];
	int64_t allocator_bytes[CSC_ALLOCATORS];

	/* What the surroundings of the runtime asked for and could not have. */
	uint64_t refused;

	/* Blocks whose content was not what was written there. */
	uint64_t damaged;
};

/* NULL: no memory. */
struct scheduler *scheduler_create(struct workload_run *run, uint32_t number);
/* What it holds is not given back, but for blocks that no allocator serves. */
void scheduler_destroy(struct scheduler *scheduler);

/* What phase `number` begins with: lives that are over, and drops. */
void scheduler_begin(struct scheduler *scheduler, size_t number);

/* Does at most `count` of the phase's operations; returns how many are left. */
uint64_t scheduler_work(struct scheduler *scheduler, uint64_t count);

/* Operations of the phase that it has not done yet. */
uint64_t scheduler_left(const struct scheduler *scheduler);

/* Frees what others have left; returns whether there was anything. */
bool scheduler_collect(struct scheduler *scheduler);

void scheduler_figures(const struct scheduler *scheduler, struct scheduler_figures *ret_figures);
void scheduler_failure(const struct scheduler *scheduler, struct scheduler_failure *ret_failure);

#endif
