/* SPDX-License-Identifier: MIT */
/* One scheduler at work on a workload. */
#include "scheduler.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "live_blocks.h"
#include "workload_random.h"

/* A block that somebody else is to free. */
struct parcel {
	uint64_t address;
	uint64_t bytes;
	uint64_t stamp;
	uint32_t source;
};

struct hand {
	/* Weak. */
	struct crew *crew;
	uint32_t scheduler;
	struct chance chance;
	struct hand_figures figures;
	struct hand_failure failure;

	struct holding holding;

	/* Operations done, in all phases. */
	uint64_t now;
	uint64_t stamps;

	size_t phase;
	uint64_t left;
	uint64_t next_second;
	uint64_t weights;

	pthread_mutex_t lock;
	struct parcel *parcels;
	size_t parcel_count;
	size_t parcel_room;
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

static char *hand_at(const struct hand *hand, uint64_t address)
{
	return runtime_at(hand->crew->runtime, address);
}

static const struct workload_source *hand_source(const struct hand *hand, uint32_t source)
{
	return &hand->crew->workload->sources[source];
}

static void hand_count(
		struct hand *hand, const struct runtime_kind *kind, int64_t blocks, int64_t bytes)
{
	enum csc_allocator allocator = memory_type_allocator(kind->type);

	if (!runtime_serves(hand->crew->runtime, kind)) {
		return;
	}
	hand->figures.blocks += blocks;
	hand->figures.blocks_bytes += bytes;
	hand->figures.allocator_blocks[allocator] += blocks;
	hand->figures.allocator_bytes[allocator] += bytes;
}

static bool hand_fail(
		struct hand *hand, const struct runtime_kind *kind, uint64_t bytes, bool is_realloc)
{
	hand->failure = (struct hand_failure){ kind, bytes, is_realloc };
	__atomic_store_n(&hand->crew->is_over, 1, __ATOMIC_RELAXED);
	return false;
}

static void hand_release(struct hand *hand, uint32_t scheduler, const struct parcel *parcel)
{
	const struct runtime_kind *kind = &hand_source(hand, parcel->source)->kind;

	if (!block_is_intact(hand_at(hand, parcel->address), parcel->bytes, parcel->stamp)) {
		hand->figures.damaged++;
	}
	runtime_free(hand->crew->runtime, scheduler, kind, parcel->address, parcel->bytes);
	hand->figures.frees++;
	hand_count(hand, kind, -1, -(int64_t)parcel->bytes);
}

static void hand_post(struct hand *to, const struct parcel *parcel)
{
	pthread_mutex_lock(&to->lock);
	if (to->parcel_count == to->parcel_room) {
		size_t room = to->parcel_room ? to->parcel_room * 2 : 256;
		struct parcel *parcels = realloc(to->parcels, room * sizeof(*parcels));

		if (!parcels) {
			abort();
		}
		to->parcels = parcels;
		to->parcel_room = room;
	}
	to->parcels[to->parcel_count++] = *parcel;
	pthread_mutex_unlock(&to->lock);
}

/* The life of a block is over: frees it, or has it freed. */
static void hand_end(struct hand *hand, uint32_t item)
{
	const struct held *held = &hand->holding.helds[item];
	const struct workload_source *source = hand_source(hand, held->source);
	uint32_t schedulers = hand->crew->workload->schedulers;
	uint32_t by = source->freed_by;
	struct parcel parcel = {
		.address = held->address,
		.bytes = held->bytes,
		.stamp = held->stamp,
		.source = held->source,
	};

	holding_leave(&hand->holding, item);
	if (by == FREED_BY_OTHER) {
		by = hand->scheduler;
		if (schedulers > 1) {
			by = 1 + (uint32_t)chance_below(&hand->chance, schedulers - 1);
			by += by >= hand->scheduler;
		}
	}
	if (by == FREED_BY_SAME || by == hand->scheduler) {
		hand_release(hand, hand->scheduler, &parcel);
	} else if (by == 0) {
		/* Threads that are no schedulers share one instance, which has a lock. */
		hand_release(hand, 0, &parcel);
	} else {
		hand_post(hand->crew->hands[by], &parcel);
	}
}

static bool hand_make(struct hand *hand, uint32_t index, uint64_t bytes)
{
	const struct workload_source *source = hand_source(hand, index);
	const struct workload_life *life = &hand->crew->workload->lives[source->life];
	uint64_t address =
			runtime_alloc(hand->crew->runtime, hand->scheduler, &source->kind, bytes);
	struct held *held;
	uint32_t item;

	if (!address) {
		hand->figures.refused += source->kind.is_os;
		return source->kind.is_os || hand_fail(hand, &source->kind, bytes, false);
	}
	item = holding_enter(&hand->holding, index);
	held = &hand->holding.helds[item];
	held->address = address;
	held->bytes = bytes;
	held->stamp = (uint64_t)hand->scheduler << 48 | ++hand->stamps;
	block_stamp(hand_at(hand, address), bytes, held->stamp);
	hand->figures.allocs++;
	hand_count(hand, &source->kind, 1, (int64_t)bytes);
	if (life->kind == LIFE_PHASES) {
		held->end = hand->phase + life->low;
	} else if (life->kind != LIFE_FOREVER) {
		holding_set_end(&hand->holding, item,
				hand->now + workload_life_draw(life, &hand->chance));
	}
	return true;
}

static uint64_t hand_draw_bytes(struct hand *hand, uint32_t index)
{
	const struct workload_source *source = hand_source(hand, index);

	if (source->size < 0) {
		return source->kind.fix_bytes;
	}
	return workload_size_draw(&hand->crew->workload->sizes[source->size], &hand->chance);
}

static bool hand_resize(struct hand *hand, uint32_t index)
{
	const struct workload_source *source = hand_source(hand, index);
	const struct index_list *list = &hand->holding.by_source[index];
	uint64_t bytes = hand_draw_bytes(hand, index);
	struct held *held;
	uint64_t address;

	if (!list->count) {
		return hand_make(hand, index, bytes);
	}
	held = &hand->holding.helds[list->items[chance_below(&hand->chance, list->count)]];
	if (!block_is_intact(hand_at(hand, held->address), held->bytes, held->stamp)) {
		hand->figures.damaged++;
	}
	address = runtime_realloc(hand->crew->runtime, hand->scheduler, &source->kind,
			held->address, held->bytes, bytes);
	if (!address) {
		hand->figures.refused += source->kind.is_os;
		return source->kind.is_os || hand_fail(hand, &source->kind, bytes, true);
	}
	if (held->bytes >= 8 && bytes >= 8 &&
			memcmp(hand_at(hand, address), &held->stamp, 8) != 0) {
		hand->figures.damaged++;
	}
	hand_count(hand, &source->kind, 0, (int64_t)bytes - (int64_t)held->bytes);
	held->address = address;
	held->bytes = bytes;
	block_stamp(hand_at(hand, address), bytes, held->stamp);
	hand->figures.reallocs++;
	return true;
}

/*
 * A process heap grows as a collection does it: a larger one is made, the old one is freed.  The
 * largest becomes a small one again.
 */
static bool hand_grow(struct hand *hand, uint32_t index)
{
	const struct workload_source *source = hand_source(hand, index);
	const struct workload_size *size = &hand->crew->workload->sizes[source->size];
	const struct index_list *list = &hand->holding.by_source[index];
	struct held *held;
	struct parcel old;
	uint64_t address;
	uint64_t bytes;

	if (!list->count) {
		return hand_make(hand, index,
				workload_heap_next(size, size->low * size->word_bytes - 1));
	}
	held = &hand->holding.helds[list->items[chance_below(&hand->chance, list->count)]];
	bytes = workload_heap_next(size, held->bytes);
	if (!bytes) {
		bytes = workload_heap_next(size, size->low * size->word_bytes - 1);
	}
	address = runtime_alloc(hand->crew->runtime, hand->scheduler, &source->kind, bytes);
	if (!address) {
		return hand_fail(hand, &source->kind, bytes, false);
	}
	hand->figures.allocs++;
	hand_count(hand, &source->kind, 1, (int64_t)bytes);
	old = (struct parcel){ held->address, held->bytes, held->stamp, index };
	held->address = address;
	held->bytes = bytes;
	block_stamp(hand_at(hand, address), bytes, held->stamp);
	hand_release(hand, hand->scheduler, &old);
	return true;
}

static bool hand_choose(struct hand *hand)
{
	const struct workload_phase *phase = &hand->crew->workload->phases[hand->phase];
	uint64_t at = chance_below(&hand->chance, hand->weights);
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
		return hand_resize(hand, (uint32_t)action->source);
	}
	if (action->verb == ACTION_GROW) {
		return hand_grow(hand, (uint32_t)action->source);
	}
	return hand_make(hand, (uint32_t)action->source,
			hand_draw_bytes(hand, (uint32_t)action->source));
}

struct hand *hand_create(struct crew *crew, uint32_t scheduler)
{
	struct hand *hand = calloc(1, sizeof(*hand));

	if (!hand) {
		return NULL;
	}
	hand->crew = crew;
	hand->scheduler = scheduler;
	chance_init(&hand->chance, crew->workload->seed, scheduler);
	pthread_mutex_init(&hand->lock, NULL);
	return hand;
}

/* Blocks that malloc has given do not end with the memory of the carriers. */
static void hand_free_plain(struct hand *hand)
{
	for (uint32_t i = 0; i < hand->crew->workload->source_count; i++) {
		const struct index_list *list = &hand->holding.by_source[i];
		const struct runtime_kind *kind = &hand_source(hand, i)->kind;

		for (size_t k = 0; k < list->count && !runtime_serves(hand->crew->runtime, kind);
				k++) {
			const struct held *held = &hand->holding.helds[list->items[k]];

			runtime_free(hand->crew->runtime, hand->scheduler, kind, held->address,
					held->bytes);
		}
	}
}

void hand_destroy(struct hand *hand)
{
	if (!hand) {
		return;
	}
	hand_free_plain(hand);
	pthread_mutex_destroy(&hand->lock);
	holding_finish(&hand->holding);
	free(hand->parcels);
	free(hand);
}

/* Ends the lives that are measured in phases. */
static void hand_end_phase_lives(struct hand *hand)
{
	const struct workload *workload = hand->crew->workload;

	for (uint32_t i = 0; i < workload->source_count; i++) {
		struct index_list *list = &hand->holding.by_source[i];
		size_t at = 0;

		if (workload->lives[workload->sources[i].life].kind != LIFE_PHASES) {
			continue;
		}
		while (at < list->count) {
			/* Whoever ends is replaced by the last of the list. */
			if (hand->holding.helds[list->items[at]].end <= hand->phase) {
				hand_end(hand, list->items[at]);
			} else {
				at++;
			}
		}
	}
}

/* Frees a share of a source's blocks, picked at random. */
static void hand_drop(struct hand *hand, const struct workload_action *action)
{
	struct index_list *list = &hand->holding.by_source[action->source];
	uint64_t count = list->count * action->value / 100;

	while (count--) {
		hand_end(hand, list->items[chance_below(&hand->chance, list->count)]);
	}
}

bool hand_begin(struct hand *hand, size_t number)
{
	const struct workload_phase *phase = &hand->crew->workload->phases[number];
	bool is_in = hand->scheduler >= phase->first_scheduler &&
			hand->scheduler <= phase->last_scheduler;

	hand->phase = number;
	hand->left = is_in ? phase->operations : 0;
	hand->next_second = phase->second ? hand->now + phase->second : UINT64_MAX;
	hand->weights = 0;
	hand_end_phase_lives(hand);
	for (size_t i = 0; i < phase->action_count; i++) {
		if (phase->actions[i].verb != ACTION_DROP) {
			hand->weights += phase->actions[i].value;
		} else if (is_in) {
			hand_drop(hand, &phase->actions[i]);
		}
	}
	return !hand->failure.kind;
}

uint64_t hand_work(struct hand *hand, uint64_t count)
{
	const struct workload_phase *phase = &hand->crew->workload->phases[hand->phase];

	while (count-- && hand->left) {
		if (__atomic_load_n(&hand->crew->is_over, __ATOMIC_RELAXED)) {
			hand->left = 0;
			break;
		}
		while (hand->holding.due.count &&
				hand->holding.helds[hand->holding.due.items[0]].end <= hand->now) {
			hand_end(hand, hand->holding.due.items[0]);
		}
		if (!hand_choose(hand)) {
			hand->left = 0;
			break;
		}
		hand->left--;
		hand->now++;
		if (hand->now >= hand->next_second) {
			hand->next_second += phase->second;
			runtime_tick(hand->crew->runtime, hand->scheduler);
			if (hand->scheduler == 1) {
				runtime_tick(hand->crew->runtime, 0);
			}
		}
	}
	return hand->left;
}

uint64_t hand_left(const struct hand *hand)
{
	return hand->left;
}

bool hand_collect(struct hand *hand)
{
	struct parcel *parcels;
	size_t count;

	pthread_mutex_lock(&hand->lock);
	parcels = hand->parcels;
	count = hand->parcel_count;
	hand->parcels = NULL;
	hand->parcel_count = 0;
	hand->parcel_room = 0;
	pthread_mutex_unlock(&hand->lock);
	for (size_t i = 0; i < count; i++) {
		hand_release(hand, hand->scheduler, &parcels[i]);
	}
	free(parcels);
	return count > 0;
}

void hand_figures(const struct hand *hand, struct hand_figures *ret_figures)
{
	*ret_figures = hand->figures;
}

void hand_failure(const struct hand *hand, struct hand_failure *ret_failure)
{
	*ret_failure = hand->failure;
}
