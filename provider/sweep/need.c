/* SPDX-License-Identifier: MIT */
/* How many large blocks there are at the same time. */
#include <stdlib.h>
#include <string.h>

#include "decoded.h"
#include "sweep_internal.h"

#define TYPES_MAX 65536

/* A live block, by slot; bytes 0: none. */
struct sized {
	uint64_t bytes;
	uint8_t allocator;
};

struct counting {
	const uint64_t *bytes;
	size_t count;
	struct sized *blocks;

	/* By type; CSC_ALLOCATORS: none. */
	uint8_t *allocators;
	uint64_t (*now)[CSC_ALLOCATORS];
	uint64_t (*most)[CSC_ALLOCATORS];
};

static void learn_type(void *context, uint32_t type, const char *name, const char *allocator,
		uint64_t bytes)
{
	struct counting *counting = context;

	(void)name;
	(void)bytes;
	for (int i = 0; type < TYPES_MAX && i < CSC_ALLOCATORS; i++) {
		if (strcmp(csc_allocator_infos[i].name, allocator) == 0) {
			counting->allocators[type] = (uint8_t)i;
		}
	}
}

static void end_block(struct counting *counting, uint64_t slot)
{
	struct sized *block = &counting->blocks[slot];

	for (size_t i = 0; i < counting->count; i++) {
		if (block->bytes >= counting->bytes[i] && block->bytes > 0) {
			counting->now[i][block->allocator]--;
		}
	}
	block->bytes = 0;
}

static void make_block(struct counting *counting, uint64_t slot, uint32_t type, uint64_t bytes)
{
	uint8_t allocator = type < TYPES_MAX ? counting->allocators[type] : CSC_ALLOCATORS;

	end_block(counting, slot);
	if (allocator == CSC_ALLOCATORS) {
		return;
	}
	counting->blocks[slot] = (struct sized){ bytes, allocator };
	for (size_t i = 0; i < counting->count && bytes > 0; i++) {
		if (bytes >= counting->bytes[i]) {
			uint64_t now = ++counting->now[i][allocator];

			if (now > counting->most[i][allocator]) {
				counting->most[i][allocator] = now;
			}
		}
	}
}

static void walk(struct sweep *sweep, struct counting *counting)
{
	struct recording_step step;

	for (size_t i = 0; i < sweep->start.count; i++) {
		const struct start_block *block = &sweep->start.blocks[i];

		make_block(counting, (uint64_t)block->row, block->type, block->bytes);
	}
	recording_choose_cut(sweep->recording, false);
	while (recording_next(sweep->recording, &step)) {
		if (step.kind > RECORDING_REALLOC) {
			continue;
		}
		end_block(counting, (uint64_t)step.ended);
		end_block(counting, (uint64_t)step.other_ended);
		if (step.kind == RECORDING_FREE) {
			end_block(counting, (uint64_t)step.row);
		} else {
			make_block(counting, (uint64_t)step.row, step.type, step.bytes);
		}
	}
}

enum csc_status sweep_count_large(struct sweep *sweep, const uint64_t *bytes, size_t count,
		uint64_t (*ret_most)[CSC_ALLOCATORS], struct diag *diag)
{
	struct recording_facts facts;
	struct counting counting = { .bytes = bytes, .count = count, .most = ret_most };
	enum csc_status status = CSC_ERROR;

	recording_facts(sweep->recording, &facts);
	counting.blocks = calloc((size_t)facts.last_row + 1, sizeof(*counting.blocks));
	counting.allocators = malloc(TYPES_MAX);
	counting.now = calloc(count + 1, sizeof(*counting.now));
	memset(ret_most, 0, count * sizeof(*ret_most));
	if (!counting.blocks || !counting.allocators || !counting.now) {
		(void)DIAG_NO_MEMORY(diag);
	} else {
		memset(counting.allocators, CSC_ALLOCATORS, TYPES_MAX);
		status = recording_types(sweep->recording, &counting, learn_type, diag);
	}
	if (status == CSC_OK) {
		walk(sweep, &counting);
	}
	free(counting.blocks);
	free(counting.allocators);
	free(counting.now);
	return status;
}
