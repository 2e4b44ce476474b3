/*
 * SPDX-License-Identifier: MIT
 *
 * What waits for its turn: records of batches come later than events that are younger than they
 * are.
 *
 * While a process emits batches, all that is packed is held until no batch can come any more that
 * has something older, which each batch says: its horizon.  Then it is taken in order of time, as
 * if each record of a batch had been an event.  Nobody is waited for longer than HELD_NS, as a
 * process may have been killed, and no more is held than HELD_BYTES.
 */
#ifndef CSC_HELD_H
#define CSC_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "block_batch.h"
#include "packed.h"

enum { HELD_BYTES = 256 << 20 };
#define HELD_NS INT64_C(5000000000)

/* A batch whose records are taken one by one. */
struct held_batch {
	/* Time of its next record, ns since the epoch; and its number among all, for those of one
	 * time. */
	int64_t next_ns;
	uint64_t serial;
	struct batch_record next;

	/* Nothing later is taken; INT64_MAX: all is. */
	int64_t limit_ns;

	/* To be added to times of records. */
	int64_t offset_ns;
	struct batch_reader reader;

	/* Whose it is: numbers of the catalog; its stream; for what is said about it. */
	struct stream_state *stream;
	int32_t runtime;
	int32_t thread;
	uint32_t ring;
	uint64_t ordinal;
	int64_t emitted_ns;
	int64_t last_ns;

	/* Records that it is said to have, and those that were read. */
	uint32_t records;
	uint32_t read;

	/* Times that were too old for their place. */
	uint32_t late;
	uint64_t late_ns;

	/* A copy of it. */
	char payload[BATCH_BYTES];
};

/* A process that emits batches. */
struct held_process {
	int32_t runtime;

	/* Of its last batch. */
	const struct stream_state *stream;

	/* No batch has a record of before this time; INT64_MAX: it emits no more. */
	int64_t horizon_ns;

	/* Of its records that were taken, the latest. */
	int64_t taken_ns;
};

/* All zeroes is none. */
struct held {
	/* Records other than batches, one behind the other, from `begin`; the last one's time. */
	char *bytes;
	size_t begin;
	size_t end;
	size_t capacity;
	int64_t end_ns;

	/* A heap: the next one is the first. */
	struct held_batch **batches;
	size_t batch_count;
	size_t batch_capacity;
	uint64_t serial;

	/* Batches that may be used again. */
	struct held_batch **spare;
	size_t spare_count;
	size_t spare_capacity;

	struct held_process *processes;
	size_t process_count;

	/* When the latest record came: its time. */
	int64_t now_ns;
};

/* Whether something is held or waited for: what comes is to be held. */
static inline bool held_is_waiting(const struct held *held)
{
	return held->process_count > 0;
}

/* Holds a copy of a record.  False: out of memory. */
bool held_add(struct held *held, const struct packed *record);

/* A batch to be filled and given to held_add_batch() or held_spare(); NULL: out of memory. */
struct held_batch *held_new_batch(struct held *held);

/* Holds a batch that has a next record.  False: out of memory, and it is still the caller's. */
bool held_add_batch(struct held *held, struct held_batch *batch);

/* Takes back a batch that is not needed any more. */
void held_spare(struct held *held, struct held_batch *batch);

/* Notes what a batch said; the process is waited for from now on, or no more.  False: out of
 * memory. */
bool held_horizon(struct held *held, int32_t runtime, const struct stream_state *stream,
		int64_t horizon_ns);

/* The process that emits batches; NULL: it has emitted none since nothing was held. */
struct held_process *held_process(struct held *held, int32_t runtime);

/* Until when all is there: what is held up to this time may be taken. */
int64_t held_bound(const struct held *held);

/*
 * Whose turn is next: yields the time, and *ret_record or *ret_batch, the other is NULL.  Of a
 * batch, *ret_until_ns: the time of what comes after it.  INT64_MAX and both NULL: nothing is held.
 */
int64_t held_next(const struct held *held, const struct packed **ret_record,
		struct held_batch **ret_batch, int64_t *ret_until_ns);

/* The record, or the first batch, that was next is taken: it is let go, or put in its new place. */
void held_take_record(struct held *held);
void held_take_batch(struct held *held, bool is_over);

/* Nothing is held: nobody is waited for who emits no more. */
void held_rest(struct held *held);

void held_finish(struct held *held);

#endif
