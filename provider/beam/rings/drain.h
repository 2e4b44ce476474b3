/* SPDX-License-Identifier: MIT */
/* A ring into batches. */
#ifndef CSC_RING_DRAIN_H
#define CSC_RING_DRAIN_H

#include "ring.h"

/* A batch, as event block_batch has it. */
struct ring_batch {
	const char *payload;
	uint32_t ring;
	uint32_t thread;
	uint64_t ordinal;
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t horizon_ns;
	uint32_t records;
	uint64_t lost;
};

/* Writes a batch.  False: nobody listens. */
typedef bool ring_emit(const struct ring_batch *batch);

/* For whom instances of threads are: what allocator n has of them. */
struct ring_reader {
	ring_emit *emit;
	const uint16_t *instances;
	uint64_t horizon_ns;
};

/* Takes the lock if nobody has it. */
bool ring_lock(struct ring *ring);
void ring_unlock(struct ring *ring);

/* Under the lock: emits what is there, and gives the slots back after each batch. */
void ring_drain(struct ring *ring, const struct ring_reader *reader);

/* Under the lock, after ring_drain(): emits a batch without records, with what was lost at the end
 * if `counts_lost`. */
void ring_emit_empty(struct ring *ring, const struct ring_reader *reader, bool counts_lost);

/* Under the lock: slots before `tail` are free. */
void ring_give_back(struct ring *ring, uint64_t tail);

/* Under the lock: what was before `position` belongs to nothing that comes. */
void ring_forget(struct ring *ring, uint64_t position);

#endif
