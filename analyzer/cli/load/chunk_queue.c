/*
 * SPDX-License-Identifier: MIT
 */
#include "chunk_queue.h"

#include <assert.h>
#include <stdlib.h>

void chunk_queue_init(struct chunk_queue *queue)
{
	*queue = (struct chunk_queue){ 0 };
	(void)pthread_mutex_init(&queue->lock, NULL);
	(void)pthread_cond_init(&queue->changed, NULL);
}

void chunk_queue_finish(struct chunk_queue *queue)
{
	for (size_t i = 0; i < CHUNKS; i++) {
		free(queue->chunks[i].bytes);
	}

	(void)pthread_cond_destroy(&queue->changed);
	(void)pthread_mutex_destroy(&queue->lock);
}

bool chunk_queue_submit(struct chunk_queue *queue)
{
	bool is_stopped;

	(void)pthread_mutex_lock(&queue->lock);
	queue->filled++;
	(void)pthread_cond_signal(&queue->changed);
	/* One chunk is being filled.  Who waits once goes on with half a queue: waking is slow. */
	if (queue->filled - queue->taken >= CHUNKS) {
		while (!queue->is_stopped && queue->filled - queue->taken > CHUNKS / 2) {
			(void)pthread_cond_wait(&queue->changed, &queue->lock);
		}
	}

	is_stopped = queue->is_stopped;
	(void)pthread_mutex_unlock(&queue->lock);
	if (!is_stopped) {
		chunk_queue_open(queue)->length = 0;
	}

	return !is_stopped;
}

void chunk_queue_end(struct chunk_queue *queue)
{
	(void)pthread_mutex_lock(&queue->lock);
	queue->filled += chunk_queue_open(queue)->length > 0 && !queue->is_stopped;
	queue->has_ended = true;
	(void)pthread_cond_signal(&queue->changed);
	(void)pthread_mutex_unlock(&queue->lock);
}

const struct packing *chunk_queue_take(struct chunk_queue *queue, bool has_taken)
{
	const struct packing *chunk = NULL;

	(void)pthread_mutex_lock(&queue->lock);
	if (has_taken) {
		queue->taken++;
		if (queue->filled - queue->taken == CHUNKS / 2) {
			(void)pthread_cond_signal(&queue->changed);
		}
	}

	assert(queue->taken <= queue->filled);
	while (queue->taken == queue->filled && !queue->has_ended) {
		(void)pthread_cond_wait(&queue->changed, &queue->lock);
	}

	if (queue->taken < queue->filled) {
		chunk = &queue->chunks[queue->taken % CHUNKS];
	}

	(void)pthread_mutex_unlock(&queue->lock);
	return chunk;
}

void chunk_queue_stop(struct chunk_queue *queue)
{
	(void)pthread_mutex_lock(&queue->lock);
	queue->is_stopped = true;
	(void)pthread_cond_signal(&queue->changed);
	(void)pthread_mutex_unlock(&queue->lock);
}
