/*
 * SPDX-License-Identifier: MIT
 *
 * A queue of records, a heap of batches.
 */
#include "held.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "growing.h"

bool held_add(struct held *held, const struct packed *record)
{
	if (held->begin > 0 && held->begin >= held->end / 2) {
		memmove(held->bytes, held->bytes + held->begin, held->end - held->begin);
		held->end -= held->begin;
		held->begin = 0;
	}
	if (!csc_grow(&held->bytes, &held->capacity, held->end + record->bytes, 1)) {
		return false;
	}

	assert(held->bytes);
	memcpy(held->bytes + held->end, record, record->bytes);
	held->end += record->bytes;
	held->now_ns = record->order_ns > held->now_ns ? record->order_ns : held->now_ns;
	return true;
}

struct held_batch *held_new_batch(struct held *held)
{
	return held->spare_count > 0 ? held->spare[--held->spare_count]
				     : malloc(sizeof(struct held_batch));
}

void held_spare(struct held *held, struct held_batch *batch)
{
	if (csc_grow(&held->spare, &held->spare_capacity, held->spare_count + 1,
			    sizeof(struct held_batch *))) {
		held->spare[held->spare_count++] = batch;
	} else {
		free(batch);
	}
}

static bool is_before(const struct held_batch *left, const struct held_batch *right)
{
	return left->next_ns != right->next_ns ? left->next_ns < right->next_ns
					       : left->serial < right->serial;
}

static void swap(struct held *held, size_t one, size_t other)
{
	struct held_batch *batch = held->batches[one];

	held->batches[one] = held->batches[other];
	held->batches[other] = batch;
}

static void sift_down(struct held *held)
{
	size_t at = 0;

	for (;;) {
		size_t least = at;

		for (size_t child = 2 * at + 1; child <= 2 * at + 2; child++) {
			if (child < held->batch_count &&
					is_before(held->batches[child], held->batches[least])) {
				least = child;
			}
		}
		if (least == at) {
			return;
		}

		swap(held, at, least);
		at = least;
	}
}

bool held_add_batch(struct held *held, struct held_batch *batch)
{
	size_t at = held->batch_count;

	if (!csc_grow(&held->batches, &held->batch_capacity, at + 1, sizeof(struct held_batch *))) {
		return false;
	}

	batch->serial = held->serial++;
	held->batches[held->batch_count++] = batch;
	while (at > 0 && is_before(batch, held->batches[(at - 1) / 2])) {
		swap(held, at, (at - 1) / 2);
		at = (at - 1) / 2;
	}

	return true;
}

struct held_process *held_process(struct held *held, int32_t runtime)
{
	for (size_t i = 0; i < held->process_count; i++) {
		if (held->processes[i].runtime == runtime) {
			return &held->processes[i];
		}
	}

	return NULL;
}

bool held_horizon(struct held *held, int32_t runtime, const struct stream_state *stream,
		int64_t horizon_ns)
{
	struct held_process *process = held_process(held, runtime);

	if (!process) {
		if (!csc_grow_by_one(&held->processes, held->process_count,
				    sizeof(*held->processes))) {
			return false;
		}
		process = &held->processes[held->process_count++];
		*process = (struct held_process){ .runtime = runtime, .taken_ns = INT64_MIN };
	}

	process->stream = stream;
	process->horizon_ns = horizon_ns;
	return true;
}

int64_t held_bound(const struct held *held)
{
	size_t bytes = held->end - held->begin + held->batch_count * sizeof(struct held_batch);
	int64_t bound_ns = held->now_ns;
	int64_t oldest_ns = bound_ns < INT64_MIN + HELD_NS ? INT64_MIN : bound_ns - HELD_NS;

	if (bytes > HELD_BYTES) {
		return bound_ns;
	}
	for (size_t i = 0; i < held->process_count; i++) {
		int64_t horizon_ns = held->processes[i].horizon_ns;

		horizon_ns = horizon_ns < oldest_ns ? oldest_ns : horizon_ns;
		bound_ns = horizon_ns < bound_ns ? horizon_ns : bound_ns;
	}

	return bound_ns;
}

int64_t held_next(const struct held *held, const struct packed **ret_record,
		struct held_batch **ret_batch, int64_t *ret_until_ns)
{
	int64_t record_ns = INT64_MAX;

	*ret_record = NULL;
	*ret_batch = NULL;
	if (held->begin < held->end) {
		*ret_record = (const void *)(held->bytes + held->begin);
		record_ns = (*ret_record)->order_ns;
	}
	if (held->batch_count == 0 || held->batches[0]->next_ns > record_ns) {
		return record_ns;
	}

	*ret_record = NULL;
	*ret_batch = held->batches[0];
	*ret_until_ns = record_ns;
	for (size_t child = 1; child <= 2 && child < held->batch_count; child++) {
		if (held->batches[child]->next_ns < *ret_until_ns) {
			*ret_until_ns = held->batches[child]->next_ns;
		}
	}

	return held->batches[0]->next_ns;
}

void held_take_record(struct held *held)
{
	const struct packed *record = (const void *)(held->bytes + held->begin);

	held->begin += record->bytes;
	if (held->begin == held->end) {
		held->begin = 0;
		held->end = 0;
	}
}

void held_take_batch(struct held *held, bool is_over)
{
	assert(held->batch_count > 0);
	if (is_over) {
		held_spare(held, held->batches[0]);
		held->batches[0] = held->batches[--held->batch_count];
	}
	sift_down(held);
}

void held_rest(struct held *held)
{
	size_t kept = 0;

	if (held->begin < held->end || held->batch_count > 0) {
		return;
	}
	for (size_t i = 0; i < held->process_count; i++) {
		if (held->processes[i].horizon_ns != INT64_MAX) {
			held->processes[kept++] = held->processes[i];
		}
	}

	held->process_count = kept;
}

void held_finish(struct held *held)
{
	csc_free_each(held->batches, held->batch_count);
	csc_free_each(held->spare, held->spare_count);
	free(held->processes);
	free(held->bytes);
	*held = (struct held){ 0 };
}
