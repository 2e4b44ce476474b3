/* SPDX-License-Identifier: MIT */
/* The blocks that one scheduler holds. */
#include "live_blocks.h"

#include <stdlib.h>

/* In no queue. */
#define NONE UINT32_MAX

static bool list_push(struct index_list *list, uint32_t item)
{
	if (list->count == list->room) {
		size_t room = list->room ? list->room * 2 : 256;
		uint32_t *items = realloc(list->items, room * sizeof(*items));

		if (!items) {
			return false;
		}
		list->items = items;
		list->room = room;
	}
	list->items[list->count++] = item;
	return true;
}

static bool due_is_before(const struct holding *holding, size_t a, size_t b)
{
	const struct held *first = &holding->helds[holding->due.items[a]];
	const struct held *second = &holding->helds[holding->due.items[b]];

	return first->end < second->end ||
			(first->end == second->end && first->stamp < second->stamp);
}

static void due_swap(struct holding *holding, size_t a, size_t b)
{
	uint32_t *items = holding->due.items;
	uint32_t item = items[a];

	items[a] = items[b];
	items[b] = item;
	holding->helds[items[a]].due = (uint32_t)a;
	holding->helds[items[b]].due = (uint32_t)b;
}

static void due_sift(struct holding *holding, size_t at)
{
	while (at > 0 && due_is_before(holding, at, (at - 1) / 2)) {
		due_swap(holding, at, (at - 1) / 2);
		at = (at - 1) / 2;
	}
	for (;;) {
		size_t least = at;

		for (size_t child = 2 * at + 1; child <= 2 * at + 2; child++) {
			if (child < holding->due.count && due_is_before(holding, child, least)) {
				least = child;
			}
		}
		if (least == at) {
			return;
		}
		due_swap(holding, at, least);
		at = least;
	}
}

static void due_remove(struct holding *holding, uint32_t item)
{
	size_t at = holding->helds[item].due;
	size_t last = holding->due.count - 1;

	if (at != last) {
		due_swap(holding, at, last);
	}
	holding->due.count--;
	if (at != last) {
		due_sift(holding, at);
	}
	holding->helds[item].due = NONE;
}

/* The operating system has no memory for the twin itself. */
static void holding_give_up(void)
{
	abort();
}

uint32_t holding_enter(struct holding *holding, uint32_t source)
{
	struct index_list *list = &holding->by_source[source];
	uint32_t item;

	if (holding->vacant.count) {
		item = holding->vacant.items[--holding->vacant.count];
	} else {
		if (holding->held_count == holding->held_room) {
			size_t room = holding->held_room ? holding->held_room * 2 : 1024;
			struct held *helds = realloc(holding->helds, room * sizeof(*helds));

			if (!helds || room >= NONE) {
				holding_give_up();
			}
			holding->helds = helds;
			holding->held_room = room;
		}
		item = (uint32_t)holding->held_count++;
	}
	holding->helds[item] = (struct held){
		.source = source,
		.place = (uint32_t)list->count,
		.due = NONE,
	};
	if (!list_push(list, item)) {
		holding_give_up();
	}
	return item;
}

void holding_leave(struct holding *holding, uint32_t item)
{
	struct held *held = &holding->helds[item];
	struct index_list *list = &holding->by_source[held->source];
	uint32_t last = list->items[--list->count];

	list->items[held->place] = last;
	holding->helds[last].place = held->place;
	if (held->due != NONE) {
		due_remove(holding, item);
	}
	if (!list_push(&holding->vacant, item)) {
		holding_give_up();
	}
}

void holding_set_end(struct holding *holding, uint32_t item, uint64_t end)
{
	holding->helds[item].end = end;
	holding->helds[item].due = (uint32_t)holding->due.count;
	if (!list_push(&holding->due, item)) {
		holding_give_up();
	}
	due_sift(holding, holding->due.count - 1);
}

void holding_finish(struct holding *holding)
{
	for (size_t i = 0; i < WORKLOAD_SOURCES_MAX; i++) {
		free(holding->by_source[i].items);
	}
	free(holding->vacant.items);
	free(holding->due.items);
	free(holding->helds);
}
