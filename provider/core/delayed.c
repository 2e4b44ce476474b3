/* SPDX-License-Identifier: MIT */
/* The queue of an instance. */
#include "delayed.h"

#include "carrier.h"
#include "multi.h"
#include "pool.h"
#include "release.h"

/* A queued block: its user memory. */
struct delayed_block {
	csc_word next;
	csc_word type;
};

/* May be called by any thread. */
static void delayed_push(const struct csc_core *core, struct csc_instance *instance, csc_word user)
{
	csc_word *arrived = &instance->delayed.arrived;
	csc_word next = __atomic_load_n(arrived, __ATOMIC_RELAXED);

	do {
		*word_at(core, user) = next;
	} while (!__atomic_compare_exchange_n(
			arrived, &next, user, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

/* Appends what has arrived to the list, oldest first. */
static void delayed_collect(struct csc_instance *instance)
{
	const struct csc_core *core = instance->core;
	struct delayed_queue *queue = &instance->delayed;
	csc_word user = 0;
	csc_word first = 0;
	csc_word last = 0;

	if (__atomic_load_n(&queue->arrived, __ATOMIC_RELAXED)) {
		user = __atomic_exchange_n(&queue->arrived, 0, __ATOMIC_ACQUIRE);
	}
	last = user;
	while (user) {
		csc_word next = *word_at(core, user);

		*word_at(core, user) = first;
		first = user;
		user = next;
	}
	if (!first) {
		return;
	}
	if (queue->last) {
		*word_at(core, queue->last) = first;
	} else {
		queue->first = first;
	}
	queue->last = last;
}

void delayed_send_block(struct csc_core *core, uint32_t type, csc_word block)
{
	struct delayed_block *element = host_at(core, block + BLOCK_HEADER);

	element->type = type;
	delayed_push(core, release_owner(core, block), block + BLOCK_HEADER);
}

void delayed_send_carrier(struct csc_core *core, csc_word carrier)
{
	delayed_push(core, core->instances[carrier_at(core, carrier)->origin],
			carrier + (csc_word)offsetof(struct carrier, message_next));
}

/* Makes what was queued before the last round of progress safe. */
static void delayed_advance(struct csc_instance *instance)
{
	struct delayed_queue *queue = &instance->delayed;
	uint64_t progress = core_now(instance->core);

	if (queue->pending && progress > queue->sealed) {
		queue->safe = queue->pending;
		queue->pending = 0;
	}
	if (!queue->pending && queue->last != queue->safe) {
		queue->pending = queue->last;
		queue->sealed = progress;
	}
}

static csc_word delayed_pop(struct csc_instance *instance)
{
	struct delayed_queue *queue = &instance->delayed;
	csc_word user = queue->first;

	queue->first = *word_at(instance->core, user);
	if (queue->last == user) {
		queue->last = 0;
	}
	if (queue->safe == user) {
		queue->safe = 0;
	}
	if (queue->pending == user) {
		queue->pending = 0;
	}
	return user;
}

static void delayed_handle(struct csc_instance *instance, csc_word user)
{
	struct csc_core *core = instance->core;
	csc_word block = user - BLOCK_HEADER;

	if (*word_at(core, block) == BLOCK_MESSAGE) {
		pool_receive(instance, user - (csc_word)offsetof(struct carrier, message_next));
		return;
	}

	uint32_t type = (uint32_t)((struct delayed_block *)host_at(core, user))->type;
	if (!release_claim(instance, block)) {
		delayed_send_block(core, type, block);
		return;
	}
	instance->calls[CSC_CALL_FREE]++;
	release_block(instance, type, block);
	release_disclaim(instance);
}

void delayed_serve(struct csc_instance *instance, uint32_t count)
{
	pool_release_pending(instance, 10);
	delayed_collect(instance);
	if (!instance->delayed.first) {
		return;
	}
	delayed_advance(instance);
	while (count-- && instance->delayed.safe) {
		delayed_handle(instance, delayed_pop(instance));
	}
}

bool delayed_drain(struct csc_instance *instance)
{
	bool was_empty = true;

	for (;;) {
		delayed_collect(instance);
		if (!instance->delayed.first) {
			return !was_empty;
		}
		was_empty = false;
		delayed_handle(instance, delayed_pop(instance));
	}
}
