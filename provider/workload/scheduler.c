/* SPDX-License-Identifier: MIT */
/* One scheduler at work on a workload. */
#include "scheduler.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "live_blocks.h"
#include "workload_random.h"

/* A block that somebody else is to free. */
struct remote_free {
	uint64_t address;
	uint64_t bytes;
	uint64_t stamp;
	uint32_t source;
};

struct scheduler {
	/* Weak. */
	struct workload_run *run;
	uint32_t number;
	struct chance chance;
	struct scheduler_figures figures;
	struct scheduler_failure failure;

	struct live_blocks live;

	/* Operations done, in all phases. */
	uint64_t now;
	uint64_t stamps;

	size_t phase;
	uint64_t left;
	uint64_t next_second;
	uint64_t weights;

	pthread_mutex_t lock;
	struct remote_free *remote_frees;
	size_t remote_free_count;
	size_t remote_free_room;
};

/*
 * What is written into a block is there until it is freed: the first word, and in blocks with room
 * for two the last one.
 */
static void block_stamp(char *user, uint64_t bytes, uint64_t stamp)
{
	if (bytes >= sizeof(stamp)) {
		memcpy(user, &stamp, sizeof(stamp));
	}
	if (bytes >= 2 * sizeof(stamp)) {
		memcpy(user + bytes - sizeof(stamp), &stamp, sizeof(stamp));
	}
}

static bool block_is_intact(const char *user, uint64_t bytes, uint64_t stamp)
{
	if (bytes >= sizeof(stamp) && memcmp(user, &stamp, sizeof(stamp)) != 0) {
		return false;
	}
	return bytes < 2 * sizeof(stamp) ||
			memcmp(user + bytes - sizeof(stamp), &stamp, sizeof(stamp)) == 0;
}

static char *scheduler_at(const struct scheduler *scheduler, uint64_t address)
{
	return runtime_at(scheduler->run->runtime, address);
}

static const struct workload_source *scheduler_source(
		const struct scheduler *scheduler, uint32_t source)
{
	return &scheduler->run->workload->sources[source];
}

static void scheduler_count(struct scheduler *scheduler, const struct runtime_kind *kind,
		int64_t blocks, int64_t bytes)
{
	enum csc_allocator allocator = memory_type_allocator(kind->type);

	if (!runtime_serves(scheduler->run->runtime, kind)) {
		return;
	}
	scheduler->figures.blocks += blocks;
	scheduler->figures.blocks_bytes += bytes;
	scheduler->figures.allocator_blocks[allocator] += blocks;
	scheduler->figures.allocator_bytes[allocator] += bytes;
}

static enum csc_status scheduler_fail(struct scheduler *scheduler, const struct runtime_kind *kind,
		uint64_t bytes, bool is_realloc)
{
	scheduler->failure = (struct scheduler_failure){ kind, bytes, is_realloc };
	__atomic_store_n(&scheduler->run->is_over, 1, __ATOMIC_RELAXED);
	return CSC_ERROR;
}

static void scheduler_release(
		struct scheduler *scheduler, uint32_t by, const struct remote_free *remote_free)
{
	const struct runtime_kind *kind = &scheduler_source(scheduler, remote_free->source)->kind;

	if (!block_is_intact(scheduler_at(scheduler, remote_free->address), remote_free->bytes,
			    remote_free->stamp)) {
		scheduler->figures.damaged++;
	}
	runtime_free(scheduler->run->runtime, by, kind, remote_free->address, remote_free->bytes);
	scheduler->figures.frees++;
	scheduler_count(scheduler, kind, -1, -(int64_t)remote_free->bytes);
}

static void scheduler_post(struct scheduler *to, const struct remote_free *remote_free)
{
	pthread_mutex_lock(&to->lock);
	if (to->remote_free_count == to->remote_free_room) {
		size_t room = to->remote_free_room ? to->remote_free_room * 2 : 256;
		struct remote_free *remote_frees =
				realloc(to->remote_frees, room * sizeof(*remote_frees));

		if (!remote_frees) {
			abort();
		}
		to->remote_frees = remote_frees;
		to->remote_free_room = room;
	}
	to->remote_frees[to->remote_free_count++] = *remote_free;
	pthread_mutex_unlock(&to->lock);
}

/* The life of a block is over: frees it, or has it freed. */
static void scheduler_end(struct scheduler *scheduler, uint32_t item)
{
	const struct live_block *block = &scheduler->live.blocks[item];
	const struct workload_source *source = scheduler_source(scheduler, block->source);
	uint32_t schedulers = scheduler->run->workload->schedulers;
	uint32_t by = source->freed_by;
	struct remote_free remote_free = {
		.address = block->address,
		.bytes = block->bytes,
		.stamp = block->stamp,
		.source = block->source,
	};

	live_blocks_remove(&scheduler->live, item);
	if (by == FREED_BY_OTHER) {
		by = scheduler->number;
		if (schedulers > 1) {
			by = 1 + (uint32_t)chance_below(&scheduler->chance, schedulers - 1);
			by += by >= scheduler->number;
		}
	}
	if (by == FREED_BY_SAME || by == scheduler->number) {
		scheduler_release(scheduler, scheduler->number, &remote_free);
	} else if (by == 0) {
		/* Threads that are no schedulers share one instance, which has a lock. */
		scheduler_release(scheduler, 0, &remote_free);
	} else {
		scheduler_post(scheduler->run->schedulers[by], &remote_free);
	}
}

static enum csc_status scheduler_make(struct scheduler *scheduler, uint32_t index, uint64_t bytes)
{
	const struct workload_source *source = scheduler_source(scheduler, index);
	const struct workload_life *life = &scheduler->run->workload->lives[source->life];
	uint64_t address = runtime_alloc(
			scheduler->run->runtime, scheduler->number, &source->kind, bytes);
	struct live_block *block;
	uint32_t item;

	if (!address) {
		scheduler->figures.refused += source->kind.is_os;
		return source->kind.is_os ? CSC_OK
					  : scheduler_fail(scheduler, &source->kind, bytes, false);
	}
	item = live_blocks_add(&scheduler->live, index);
	block = &scheduler->live.blocks[item];
	block->address = address;
	block->bytes = bytes;
	block->stamp = (uint64_t)scheduler->number << 48 | ++scheduler->stamps;
	block_stamp(scheduler_at(scheduler, address), bytes, block->stamp);
	scheduler->figures.allocs++;
	scheduler_count(scheduler, &source->kind, 1, (int64_t)bytes);
	if (life->kind == LIFE_PHASES) {
		block->end = scheduler->phase + life->low;
	} else if (life->kind != LIFE_FOREVER) {
		live_blocks_set_end(&scheduler->live, item,
				scheduler->now + workload_life_draw(life, &scheduler->chance));
	}
	return CSC_OK;
}

static uint64_t scheduler_draw_bytes(struct scheduler *scheduler, uint32_t index)
{
	const struct workload_source *source = scheduler_source(scheduler, index);

	if (source->size < 0) {
		return source->kind.fix_bytes;
	}
	return workload_size_draw(
			&scheduler->run->workload->sizes[source->size], &scheduler->chance);
}

static enum csc_status scheduler_resize(struct scheduler *scheduler, uint32_t index)
{
	const struct workload_source *source = scheduler_source(scheduler, index);
	const struct index_list *list = &scheduler->live.by_source[index];
	uint64_t bytes = scheduler_draw_bytes(scheduler, index);
	struct live_block *block;
	uint64_t address;

	if (!list->count) {
		return scheduler_make(scheduler, index, bytes);
	}
	block = &scheduler->live.blocks[list->items[chance_below(&scheduler->chance, list->count)]];
	if (!block_is_intact(scheduler_at(scheduler, block->address), block->bytes, block->stamp)) {
		scheduler->figures.damaged++;
	}
	address = runtime_realloc(scheduler->run->runtime, scheduler->number, &source->kind,
			block->address, block->bytes, bytes);
	if (!address) {
		scheduler->figures.refused += source->kind.is_os;
		return source->kind.is_os ? CSC_OK
					  : scheduler_fail(scheduler, &source->kind, bytes, true);
	}
	if (block->bytes >= 8 && bytes >= 8 &&
			memcmp(scheduler_at(scheduler, address), &block->stamp, 8) != 0) {
		scheduler->figures.damaged++;
	}
	scheduler_count(scheduler, &source->kind, 0, (int64_t)bytes - (int64_t)block->bytes);
	block->address = address;
	block->bytes = bytes;
	block_stamp(scheduler_at(scheduler, address), bytes, block->stamp);
	scheduler->figures.reallocs++;
	return CSC_OK;
}

/*
 * A process heap grows as a collection does it: a larger one is made, the old one is freed.  The
 * largest becomes a small one again.
 */
static enum csc_status scheduler_grow(struct scheduler *scheduler, uint32_t index)
{
	const struct workload_source *source = scheduler_source(scheduler, index);
	const struct workload_size *size = &scheduler->run->workload->sizes[source->size];
	const struct index_list *list = &scheduler->live.by_source[index];
	struct live_block *block;
	struct remote_free old;
	uint64_t address;
	uint64_t bytes;

	if (!list->count) {
		return scheduler_make(scheduler, index,
				workload_heap_next(size, size->low * size->word_bytes - 1));
	}
	block = &scheduler->live.blocks[list->items[chance_below(&scheduler->chance, list->count)]];
	bytes = workload_heap_next(size, block->bytes);
	if (!bytes) {
		bytes = workload_heap_next(size, size->low * size->word_bytes - 1);
	}
	address = runtime_alloc(scheduler->run->runtime, scheduler->number, &source->kind, bytes);
	if (!address) {
		return scheduler_fail(scheduler, &source->kind, bytes, false);
	}
	scheduler->figures.allocs++;
	scheduler_count(scheduler, &source->kind, 1, (int64_t)bytes);
	old = (struct remote_free){ block->address, block->bytes, block->stamp, index };
	block->address = address;
	block->bytes = bytes;
	block_stamp(scheduler_at(scheduler, address), bytes, block->stamp);
	scheduler_release(scheduler, scheduler->number, &old);
	return CSC_OK;
}

static enum csc_status scheduler_choose(struct scheduler *scheduler)
{
	const struct workload_phase *phase = &scheduler->run->workload->phases[scheduler->phase];
	uint64_t at = chance_below(&scheduler->chance, scheduler->weights);
	const struct workload_action *action = phase->actions;

	for (;; action++) {
		if (action->verb == ACTION_DROP) {
			continue;
		}
		if (at < action->value) {
			break;
		}
		at -= action->value;
	}
	if (action->verb == ACTION_RESIZE) {
		return scheduler_resize(scheduler, (uint32_t)action->source);
	}
	if (action->verb == ACTION_GROW) {
		return scheduler_grow(scheduler, (uint32_t)action->source);
	}
	return scheduler_make(scheduler, (uint32_t)action->source,
			scheduler_draw_bytes(scheduler, (uint32_t)action->source));
}

struct scheduler *scheduler_create(struct workload_run *run, uint32_t number)
{
	struct scheduler *scheduler = calloc(1, sizeof(*scheduler));

	if (!scheduler) {
		return NULL;
	}
	scheduler->run = run;
	scheduler->number = number;
	chance_init(&scheduler->chance, run->workload->seed, number);
	pthread_mutex_init(&scheduler->lock, NULL);
	return scheduler;
}

/* Blocks that malloc has given do not end with the memory of the carriers. */
static void scheduler_free_plain(struct scheduler *scheduler)
{
	for (uint32_t i = 0; i < scheduler->run->workload->source_count; i++) {
		const struct index_list *list = &scheduler->live.by_source[i];
		const struct runtime_kind *kind = &scheduler_source(scheduler, i)->kind;

		for (size_t k = 0;
				k < list->count && !runtime_serves(scheduler->run->runtime, kind);
				k++) {
			const struct live_block *block = &scheduler->live.blocks[list->items[k]];

			runtime_free(scheduler->run->runtime, scheduler->number, kind,
					block->address, block->bytes);
		}
	}
}

void scheduler_destroy(struct scheduler *scheduler)
{
	if (!scheduler) {
		return;
	}
	scheduler_free_plain(scheduler);
	pthread_mutex_destroy(&scheduler->lock);
	live_blocks_finish(&scheduler->live);
	free(scheduler->remote_frees);
	free(scheduler);
}

/* Ends the lives that are measured in phases. */
static void scheduler_end_phase_lives(struct scheduler *scheduler)
{
	const struct workload *workload = scheduler->run->workload;

	for (uint32_t i = 0; i < workload->source_count; i++) {
		struct index_list *list = &scheduler->live.by_source[i];
		size_t at = 0;

		if (workload->lives[workload->sources[i].life].kind != LIFE_PHASES) {
			continue;
		}
		while (at < list->count) {
			/* One that ends is replaced by the last of the list. */
			if (scheduler->live.blocks[list->items[at]].end <= scheduler->phase) {
				scheduler_end(scheduler, list->items[at]);
			} else {
				at++;
			}
		}
	}
}

/* Frees a share of a source's blocks, picked at random. */
static void scheduler_drop(struct scheduler *scheduler, const struct workload_action *action)
{
	struct index_list *list = &scheduler->live.by_source[action->source];
	uint64_t count = list->count * action->value / 100;

	while (count--) {
		scheduler_end(scheduler,
				list->items[chance_below(&scheduler->chance, list->count)]);
	}
}

void scheduler_begin(struct scheduler *scheduler, size_t number)
{
	const struct workload_phase *phase = &scheduler->run->workload->phases[number];
	bool is_in = scheduler->number >= phase->first_scheduler &&
			scheduler->number <= phase->last_scheduler;

	scheduler->phase = number;
	scheduler->left = is_in ? phase->operations : 0;
	scheduler->next_second = phase->second ? scheduler->now + phase->second : UINT64_MAX;
	scheduler->weights = 0;
	scheduler_end_phase_lives(scheduler);
	for (size_t i = 0; i < phase->action_count; i++) {
		if (phase->actions[i].verb != ACTION_DROP) {
			scheduler->weights += phase->actions[i].value;
		} else if (is_in) {
			scheduler_drop(scheduler, &phase->actions[i]);
		}
	}
}

uint64_t scheduler_work(struct scheduler *scheduler, uint64_t count)
{
	const struct workload_phase *phase = &scheduler->run->workload->phases[scheduler->phase];

	while (count-- && scheduler->left) {
		if (__atomic_load_n(&scheduler->run->is_over, __ATOMIC_RELAXED)) {
			scheduler->left = 0;
			break;
		}
		while (scheduler->live.due.count &&
				scheduler->live.blocks[scheduler->live.due.items[0]].end <=
						scheduler->now) {
			scheduler_end(scheduler, scheduler->live.due.items[0]);
		}
		if (scheduler_choose(scheduler) != CSC_OK) {
			scheduler->left = 0;
			break;
		}
		scheduler->left--;
		scheduler->now++;
		if (scheduler->now >= scheduler->next_second) {
			scheduler->next_second += phase->second;
			runtime_tick(scheduler->run->runtime, scheduler->number);
			if (scheduler->number == 1) {
				runtime_tick(scheduler->run->runtime, 0);
			}
		}
	}
	return scheduler->left;
}

uint64_t scheduler_left(const struct scheduler *scheduler)
{
	return scheduler->left;
}

bool scheduler_collect(struct scheduler *scheduler)
{
	struct remote_free *remote_frees;
	size_t count;

	pthread_mutex_lock(&scheduler->lock);
	remote_frees = scheduler->remote_frees;
	count = scheduler->remote_free_count;
	scheduler->remote_frees = NULL;
	scheduler->remote_free_count = 0;
	scheduler->remote_free_room = 0;
	pthread_mutex_unlock(&scheduler->lock);
	for (size_t i = 0; i < count; i++) {
		scheduler_release(scheduler, scheduler->number, &remote_frees[i]);
	}
	free(remote_frees);
	return count > 0;
}

void scheduler_figures(const struct scheduler *scheduler, struct scheduler_figures *ret_figures)
{
	*ret_figures = scheduler->figures;
}

void scheduler_failure(const struct scheduler *scheduler, struct scheduler_failure *ret_failure)
{
	*ret_failure = scheduler->failure;
}
