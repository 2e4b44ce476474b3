/* SPDX-License-Identifier: MIT */
/* The blocks that one scheduler holds. */
#include "live_blocks.h"

#include <stdlib.h>

/* In no queue. */
#define NONE UINT32_MAX

static enum csc_status list_push(struct index_list *list, uint32_t item)
{
	if (list->count == list->room) {
		size_t room = list->room ? list->room * 2 : 256;
		uint32_t *items = realloc(list->items, room * sizeof(*items));

		if (!items) {
			return CSC_NO_MEMORY;
		}
		list->items = items;
		list->room = room;
	}
	list->items[list->count++] = item;
	return CSC_OK;
}

static bool due_is_before(const struct live_blocks *live, size_t a, size_t b)
{
	const struct live_block *first = &live->blocks[live->due.items[a]];
	const struct live_block *second = &live->blocks[live->due.items[b]];

	return first->end < second->end ||
			(first->end == second->end && first->stamp < second->stamp);
}

static void due_swap(struct live_blocks *live, size_t a, size_t b)
{
	uint32_t *items = live->due.items;
	uint32_t item = items[a];

	items[a] = items[b];
	items[b] = item;
	live->blocks[items[a]].due = (uint32_t)a;
	live->blocks[items[b]].due = (uint32_t)b;
}

static void due_sift(struct live_blocks *live, size_t at)
{
	while (at > 0 && due_is_before(live, at, (at - 1) / 2)) {
		due_swap(live, at, (at - 1) / 2);
		at = (at - 1) / 2;
	}
	for (;;) {
		size_t least = at;

		for (size_t child = 2 * at + 1; child <= 2 * at + 2; child++) {
			if (child < live->due.count && due_is_before(live, child, least)) {
				least = child;
			}
		}
		if (least == at) {
			return;
		}
		due_swap(live, at, least);
		at = least;
	}
}

static void due_remove(struct live_blocks *live, uint32_t item)
{
	size_t at = live->blocks[item].due;
	size_t last = live->due.count - 1;

	if (at != last) {
		due_swap(live, at, last);
	}
	live->due.count--;
	if (at != last) {
		due_sift(live, at);
	}
	live->blocks[item].due = NONE;
}

/* The operating system has no memory for the twin itself. */
static void out_of_memory(void)
{
	abort();
}

uint32_t live_blocks_add(struct live_blocks *live, uint32_t source)
{
	struct index_list *list = &live->by_source[source];
	uint32_t item;

	if (live->vacant.count) {
		item = live->vacant.items[--live->vacant.count];
	} else {
		if (live->count == live->room) {
			size_t room = live->room ? live->room * 2 : 1024;
			struct live_block *blocks = realloc(live->blocks, room * sizeof(*blocks));

			if (!blocks || room >= NONE) {
				out_of_memory();
			}
			live->blocks = blocks;
			live->room = room;
		}
		item = (uint32_t)live->count++;
	}
	live->blocks[item] = (struct live_block){
		.source = source,
		.place = (uint32_t)list->count,
		.due = NONE,
	};
	if (list_push(list, item) != CSC_OK) {
		out_of_memory();
	}
	return item;
}

void live_blocks_remove(struct live_blocks *live, uint32_t item)
{
	struct live_block *block = &live->blocks[item];
	struct index_list *list = &live->by_source[block->source];
	uint32_t last = list->items[--list->count];

	list->items[block->place] = last;
	live->blocks[last].place = block->place;
	if (block->due != NONE) {
		due_remove(live, item);
	}
	if (list_push(&live->vacant, item) != CSC_OK) {
		out_of_memory();
	}
}

void live_blocks_set_end(struct live_blocks *live, uint32_t item, uint64_t end)
{
	live->blocks[item].end = end;
	live->blocks[item].due = (uint32_t)live->due.count;
	if (list_push(&live->due, item) != CSC_OK) {
		out_of_memory();
	}
	due_sift(live, live->due.count - 1);
}

void live_blocks_finish(struct live_blocks *live)
{
	for (size_t i = 0; i < WORKLOAD_SOURCES_MAX; i++) {
		free(live->by_source[i].items);
	}
	free(live->vacant.items);
	free(live->due.items);
	free(live->blocks);
}
