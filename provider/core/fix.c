/* SPDX-License-Identifier: MIT */
/* Lists of freed objects of fixed size.  Source: SOURCES.md 9. */
#include "internal.h"

#include "layout.h"

/* No list is longer. */
#define FIX_LIST_MAX 1000
/* Objects that one visit gives back at most. */
#define FIX_VISIT_MAX 30

void fix_init(struct csc_instance *instance, const struct csc_instance_config *config)
{
	for (uint32_t i = 0; i < config->fix_count; i++) {
		instance->fixes[i].object_bytes = config->fix_bytes[i];
	}
}

static void fix_push(const struct csc_core *core, struct fix_list *fix, csc_word user)
{
	*word_at(core, user) = fix->first;
	fix->first = user;
	fix->length++;
}

static csc_word fix_pop(const struct csc_core *core, struct fix_list *fix)
{
	csc_word user = fix->first;

	CSC_ASSERT(fix->length > 0 && user);
	fix->first = *word_at(core, user);
	fix->length--;
	return user;
}

/* An object from the list serves a request, or one goes there. */
static void emit_fix(const struct csc_instance *instance, enum csc_event event,
		const struct fix_list *fix, csc_word user)
{
	emit_block(instance, event, user, 0,
			event == CSC_EVENT_BLOCK_ALLOC ? fix->object_bytes : 0);
}

/* Really frees an object; the call is not counted. */
static void fix_release(struct csc_instance *instance, struct fix_list *fix, csc_word user)
{
	fix->allocated--;
	/* Its carrier may have left us while it was in the list. */
	if (release_owner(instance->core, user - BLOCK_HEADER) != instance ||
			!release_block(instance, instance->type, user - BLOCK_HEADER)) {
		delayed_send_block(instance->core, instance->type, user - BLOCK_HEADER);
	}
}

/* With pool: gives back one object, if some are due. */
static bool fix_shrink_one(struct csc_instance *instance, struct fix_list *fix)
{
	if (!fix->shrink) {
		return false;
	}
	if (!fix->length) {
		fix->shrink = 0;
		return false;
	}
	fix->shrink--;

	csc_word user = fix_pop(instance->core, fix);
	if (fix->min_length > fix->length) {
		fix->min_length = fix->length;
	}
	fix_release(instance, fix, user);
	return true;
}

static uint64_t fix_alloc_pooled(struct csc_instance *instance, struct fix_list *fix)
{
	uint64_t user;

	if (fix->length) {
		user = fix_pop(instance->core, fix);
		instance->calls[CSC_CALL_ALLOC]++;
		emit_fix(instance, CSC_EVENT_BLOCK_ALLOC, fix, (csc_word)user);
		if (fix->min_length > fix->length) {
			fix->min_length = fix->length;
		}
		fix->used++;
		fix_shrink_one(instance, fix);
		return user;
	}
	user = csc_alloc(instance, fix->object_bytes);
	if (user) {
		fix->used++;
		fix->allocated++;
	}
	return user;
}

/* The block is ours and its carrier is not in the pool. */
static bool fix_is_at_home(const struct csc_instance *instance, csc_word block)
{
	const struct csc_core *core = instance->core;
	csc_word head = head_of(core, block);

	if (release_owner(core, block) != instance) {
		return false;
	}
	if ((head & BLOCK_FLAGS) == BLOCK_SINGLE) {
		return true;
	}
	return !(owner_of(carrier_at(core, block_carrier(core, block, head))) & OWNER_IN_POOL);
}

/* Keeps an object for the next that asks for one. */
static void fix_keep(struct csc_instance *instance, struct fix_list *fix, csc_word user)
{
	fix_push(instance->core, fix, user);
	instance->calls[CSC_CALL_FREE]++;
	emit_fix(instance, CSC_EVENT_BLOCK_FREE, fix, user);
}

static void fix_free_pooled(struct csc_instance *instance, struct fix_list *fix, csc_word user)
{
	fix->used--;
	if (!fix->shrink && fix->length < FIX_LIST_MAX &&
			fix_is_at_home(instance, user - BLOCK_HEADER)) {
		fix_keep(instance, fix, user);
		return;
	}
	fix->allocated--;
	csc_free(instance, user);
	fix_shrink_one(instance, fix);
}

static uint64_t fix_alloc_alone(struct csc_instance *instance, struct fix_list *fix)
{
	uint64_t user;

	fix->used++;
	if (fix->length) {
		user = fix_pop(instance->core, fix);
		instance->calls[CSC_CALL_ALLOC]++;
		emit_fix(instance, CSC_EVENT_BLOCK_ALLOC, fix, (csc_word)user);
		if (fix->length && fix->allocated > fix->limit) {
			fix_release(instance, fix, fix_pop(instance->core, fix));
		}
		return user;
	}

	struct fix_list before = *fix;
	if (fix->limit < fix->used) {
		fix->limit = fix->used;
	}
	if (fix->max_used < fix->used) {
		fix->max_used = fix->used;
	}
	fix->allocated++;
	user = csc_alloc(instance, fix->object_bytes);
	if (!user) {
		fix->allocated = before.allocated;
		fix->used = before.used - 1;
	}
	return user;
}

static void fix_free_alone(struct csc_instance *instance, struct fix_list *fix, csc_word user)
{
	fix->used--;
	if (fix->allocated < fix->limit && fix->length < FIX_LIST_MAX) {
		fix_keep(instance, fix, user);
		return;
	}
	fix->allocated--;
	csc_free(instance, user);
	if (fix->length && fix->allocated > fix->limit) {
		fix_release(instance, fix, fix_pop(instance->core, fix));
	}
}

uint64_t csc_fix_alloc(struct csc_instance *instance, uint32_t index)
{
	struct fix_list *fix = &instance->fixes[index];

	CSC_ASSERT(index < instance->fix_count);
	return instance->has_pool ? fix_alloc_pooled(instance, fix)
				  : fix_alloc_alone(instance, fix);
}

void csc_fix_free(struct csc_instance *instance, uint32_t index, uint64_t user)
{
	struct fix_list *fix = &instance->fixes[index];

	CSC_ASSERT(index < instance->fix_count);
	if (instance->has_pool) {
		fix_free_pooled(instance, fix, (csc_word)user);
	} else {
		fix_free_alone(instance, fix, (csc_word)user);
	}
}

static bool fix_visit_pooled(
		struct csc_instance *instance, struct fix_list *fix, enum csc_fix_visit visit)
{
	uint64_t room = visit == CSC_FIX_FLUSH ? UINT64_MAX : FIX_VISIT_MAX;

	if (visit == CSC_FIX_FLUSH) {
		fix->shrink = fix->length;
	} else if (visit == CSC_FIX_TICK) {
		fix->shrink = fix->min_length;
		fix->min_length = fix->length;
	}
	while (room-- && fix_shrink_one(instance, fix)) {
	}
	return fix->shrink > 0;
}

static bool fix_visit_alone(
		struct csc_instance *instance, struct fix_list *fix, enum csc_fix_visit visit)
{
	uint64_t room = visit == CSC_FIX_FLUSH ? UINT64_MAX : FIX_VISIT_MAX;

	if (visit == CSC_FIX_FLUSH) {
		fix->limit = 0;
	} else if (visit == CSC_FIX_TICK) {
		fix->limit = fix->max_used > fix->used ? fix->max_used : fix->used;
		fix->max_used = fix->used;
	}
	while (room-- && fix->length && fix->limit < fix->allocated) {
		fix_release(instance, fix, fix_pop(instance->core, fix));
	}
	return fix->length && fix->limit < fix->allocated;
}

bool csc_fix_visit(struct csc_instance *instance, enum csc_fix_visit visit)
{
	bool has_more = false;

	for (uint32_t i = 0; i < instance->fix_count; i++) {
		struct fix_list *fix = &instance->fixes[i];

		if (instance->has_pool) {
			has_more |= fix_visit_pooled(instance, fix, visit);
		} else {
			has_more |= fix_visit_alone(instance, fix, visit);
		}
	}
	return has_more;
}

void csc_fix_statistics(const struct csc_instance *instance, uint32_t index,
		struct csc_fix_statistics *ret_statistics)
{
	const struct fix_list *fix = &instance->fixes[index];

	CSC_ASSERT(index < CSC_FIX_TYPES_MAX);
	*ret_statistics = (struct csc_fix_statistics){
		.allocated = fix->allocated,
		.used = fix->used,
		.length = fix->length,
	};
}
