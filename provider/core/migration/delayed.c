/* SPDX-License-Identifier: MIT */
/* The queue of an instance. */
#include "internal.h"

/* A queued block: its user memory. */
struct delayed_block {
	csc_word next;
	csc_word type;
};

static void delayed_push(const struct csc_core *core, struct csc_instance *instance, csc_word user)
{
	struct delayed_queue *queue = &instance->delayed;

	core_lock(core, instance->handle);
	*word_at(core, user) = 0;
	if (queue->last) {
		*word_at(core, queue->last) = user;
	} else {
		__atomic_store_n(&queue->first, user, __ATOMIC_RELAXED);
	}
	queue->last = user;
	core_unlock(core, instance->handle);
}

void delayed_send_block(struct csc_core *core, uint32_t type, csc_word block)
{
	struct delayed_block *element = host_at(core, block + BLOCK_HEADER);

	CSC_ASSERT((head_of(core, block) & BLOCK_FLAGS) == BLOCK_SINGLE ||
			!(head_of(core, block) & BLOCK_FREE));
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
	uint64_t progress = core_progress(instance->core);

	if (queue->pending && progress > queue->sealed) {
		queue->safe = queue->pending;
		queue->pending = 0;
	}
	if (!queue->pending && queue->last != queue->safe) {
		queue->pending = queue->last;
		queue->sealed = progress;
	}
}

static void delayed_unlink(const struct csc_core *core, struct delayed_queue *queue, csc_word user)
{
	__atomic_store_n(&queue->first, *word_at(core, user), __ATOMIC_RELAXED);
	if (queue->last == user) {
		queue->last = 0;
	}
	if (queue->safe == user) {
		queue->safe = 0;
	}
	if (queue->pending == user) {
		queue->pending = 0;
	}
}

/* Takes the first element, or only a safe one; 0: there is none. */
static csc_word delayed_pop(struct csc_instance *instance, bool is_safe)
{
	const struct csc_core *core = instance->core;
	struct delayed_queue *queue = &instance->delayed;
	csc_word user;

	core_lock(core, instance->handle);
	delayed_advance(instance);
	user = is_safe && !queue->safe ? 0 : queue->first;
	if (user) {
		delayed_unlink(core, queue, user);
	}
	core_unlock(core, instance->handle);
	return user;
}

static void delayed_handle(struct csc_instance *instance, csc_word user)
{
	struct csc_core *core = instance->core;
	csc_word block = user - BLOCK_HEADER;

	if (head_of(core, block) == BLOCK_MESSAGE) {
		pool_receive(instance, user - (csc_word)offsetof(struct carrier, message_next));
		return;
	}

	uint32_t type = (uint32_t)((struct delayed_block *)host_at(core, user))->type;
	if (release_owner(core, block) != instance) {
		delayed_send_block(core, type, block);
		return;
	}
	if (release_block(instance, type, block)) {
		instance->calls[CSC_CALL_FREE]++;
	} else {
		delayed_send_block(core, type, block);
	}
}

static bool delayed_is_empty(const struct csc_instance *instance)
{
	return !__atomic_load_n(&instance->delayed.first, __ATOMIC_RELAXED);
}

bool delayed_serve_some(struct csc_instance *instance, uint32_t count)
{
	bool has_worked = pool_release_pending(instance, 10);

	if (delayed_is_empty(instance)) {
		return has_worked;
	}
	while (count--) {
		csc_word user = delayed_pop(instance, true);

		if (!user) {
			break;
		}
		delayed_handle(instance, user);
		has_worked = true;
	}
	return has_worked;
}

bool delayed_drain(struct csc_instance *instance)
{
	bool had_any = false;
	csc_word user;

	while ((user = delayed_pop(instance, false))) {
		delayed_handle(instance, user);
		had_any = true;
	}
	return had_any;
}
