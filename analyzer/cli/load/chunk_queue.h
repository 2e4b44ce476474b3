/*
 * SPDX-License-Identifier: MIT
 *
 * A bounded queue of packed records between one thread that reads and one that merges.
 */
#ifndef CSC_CHUNK_QUEUE_H
#define CSC_CHUNK_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "packing.h"

enum {
	CHUNKS = 8,
	/* A chunk is handed over when it has so many bytes. */
	CHUNK_BYTES = 128 << 10,
};

struct chunk_queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;

	/* Guarded by `lock`; chunk i is chunks[i % CHUNKS]. */
	uint64_t filled;
	uint64_t taken;
	bool has_ended;
	bool is_stopped;

	/* chunks[filled % CHUNKS] is the reader's, those behind it up to `filled` the merger's. */
	struct packing chunks[CHUNKS];
};

void chunk_queue_init(struct chunk_queue *queue);
void chunk_queue_finish(struct chunk_queue *queue);

/* The reader: the chunk to fill, empty when it was handed over last. */
static inline struct packing *chunk_queue_open(struct chunk_queue *queue)
{
	return &queue->chunks[queue->filled % CHUNKS];
}

/* The reader: hands the chunk over, and waits for room.  False: the merger wants no more. */
bool chunk_queue_submit(struct chunk_queue *queue);

/* The reader: hands over what there is; nothing comes any more. */
void chunk_queue_end(struct chunk_queue *queue);

/*
 * The merger: waits for the next chunk, which is its own until the next call.  NULL: there is
 * none any more.
 */
const struct packing *chunk_queue_take(struct chunk_queue *queue, bool has_taken);

/* The merger: wants no more; the reader's next submit yields false. */
void chunk_queue_stop(struct chunk_queue *queue);

#endif
