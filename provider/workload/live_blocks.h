/* SPDX-License-Identifier: MIT */
/*
 * The blocks that one scheduler holds, by source and by the operation with which they end.  When
 * the machine has no memory for it, the program ends.
 */
#ifndef CSC_HOLDING_H
#define CSC_HOLDING_H

#include <stddef.h>
#include <stdint.h>

#include "workload.h"

/* One block that is held. */
struct held {
	uint64_t address;
	uint64_t bytes;
	uint64_t stamp;

	/* The operation, or the phase, with which its life ends. */
	uint64_t end;

	uint32_t source;
	/* Where it is in the list of its source and in the queue of ends; UINT32_MAX: in none. */
	uint32_t place;
	uint32_t due;
};

struct index_list {
	uint32_t *items;
	size_t count;
	size_t room;
};

struct holding {
	struct held *helds;
	size_t held_room;
	size_t held_count;
	/* Vacant elements of `helds`. */
	struct index_list vacant;

	struct index_list by_source[WORKLOAD_SOURCES_MAX];
	/* A heap, the next end first. */
	struct index_list due;
};

/* A new element of `helds` for a block of a source. */
uint32_t holding_enter(struct holding *holding, uint32_t source);

/* Forgets a block. */
void holding_leave(struct holding *holding, uint32_t item);

/* The block joins `due`. */
void holding_set_end(struct holding *holding, uint32_t item, uint64_t end);

void holding_finish(struct holding *holding);

#endif
