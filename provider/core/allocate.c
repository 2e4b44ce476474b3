/* SPDX-License-Identifier: MIT */
/*
 * The three calls to an instance: a block from whichever kind of carrier, and back to whichever
 * instance owns it.
 * Source: SOURCES.md 1.3, 2.3, 3.4, 8.2, 11.2.
 */
#include "csc.h"
#include "internal.h"

/* Queued elements that one call works off. */
#define INSTANCE_SERVE 2

/* User memory that csc_alloc() gave, and that may be given to this instance. */
static inline bool instance_may_take(const struct csc_instance *instance, uint64_t user)
{
	return user % BLOCK_UNIT == 0 && user <= WORD_MAX &&
			(instance->is_thread_preferred ||
					release_owner(instance->core,
							(csc_word)user - BLOCK_HEADER) == instance);
}

/* User address of a block; 0 stays 0. */
static csc_word user_of(csc_word block)
{
	return block ? block + BLOCK_HEADER : 0;
}

/* A block for a request of `bytes`, from whichever kind of carrier. */
static csc_word instance_get(struct csc_instance *instance, csc_word bytes)
{
	if (bytes >= instance->sbct) {
		return single_create(instance, bytes, SINGLE_ANY);
	}
	return multi_alloc(instance, bytes);
}

/*
 * The request is beyond what a header can say: it is refused before it is counted.  Sic: what is
 * compared is the request; a block that is too large by its header only is asked for in vain.
 */
static bool instance_is_absurd(uint64_t bytes)
{
	return bytes > BLOCK_SIZE_MAX;
}

static inline csc_word instance_alloc(struct csc_instance *instance, uint64_t bytes)
{
	if (instance_is_absurd(bytes)) {
		return 0;
	}
	instance->calls[CSC_CALL_ALLOC]++;
	return instance_get(instance, (csc_word)bytes);
}

uint64_t csc_alloc(struct csc_instance *instance, uint64_t bytes)
{
	csc_word block;

	if (instance->is_thread_preferred) {
		delayed_serve(instance, INSTANCE_SERVE);
	}
	block = instance_alloc(instance, bytes);
	/*
	 * Once more, if that has changed anything: a real runtime that failed had asked twice for
	 * each of two sizes, SOURCES.md 12.
	 */
	if (!block && instance->is_thread_preferred && delayed_serve(instance, INSTANCE_SERVE)) {
		block = instance_alloc(instance, bytes);
	}
	CSC_ASSERT(user_of(block) % BLOCK_UNIT == 0);
	emit_block(instance, CSC_EVENT_BLOCK_ALLOC, user_of(block), 0, bytes);
	return user_of(block);
}

/* User bytes that a block has, tag included. */
static csc_word user_bytes(const struct csc_core *core, csc_word block)
{
	csc_word head = head_of(core, block);

	return (head & BLOCK_FREE ? head & ~BLOCK_FLAGS : head & BLOCK_SIZE_MASK) - BLOCK_HEADER;
}

static csc_word kept_bytes(const struct csc_core *core, csc_word block, csc_word bytes)
{
	csc_word has = user_bytes(core, block);

	return has < bytes ? has : bytes;
}

/* Another block for the data; the old one is released. */
static csc_word instance_replace(struct csc_instance *instance, csc_word block, csc_word bytes)
{
	struct csc_core *core = instance->core;
	csc_word other = instance_get(instance, bytes);

	if (other) {
		multi_copy(core, block, other, kept_bytes(core, block, bytes));
		if (!release_block(instance, instance->type, block)) {
			delayed_send_block(core, instance->type, block);
		}
	}
	return other;
}

/* The block stays in a single-block carrier although it is below the threshold. */
static bool single_should_stay(const struct csc_instance *instance, csc_word block, csc_word bytes)
{
	const struct csc_core *core = instance->core;
	csc_word used = instance->sbc_header + BLOCK_HEADER + bytes;
	csc_word head = carrier_at(core, block - instance->sbc_header)->head;
	csc_word carrier_bytes = head & CARRIER_MSEG ? source_round_unit(instance, used)
						     : source_round_sys(instance, used);

	/* The size that it would have, not the one it has. */
	return 100 * (carrier_bytes - used) < (csc_word)instance->settings.rsbcmt * carrier_bytes;
}

/* Realloc of a block of another instance: the old one is sent back. */
static csc_word instance_import(struct csc_instance *instance, csc_word block, uint64_t bytes)
{
	struct csc_core *core = instance->core;
	csc_word other = instance_alloc(instance, bytes);

	if (other) {
		multi_copy(core, block, other, kept_bytes(core, block, (csc_word)bytes));
		delayed_send_block(core, instance->type, block);
	}
	return other;
}

/* In a pooled carrier of ours nothing is resized in place. */
static csc_word instance_resize_pooled(
		struct csc_instance *instance, csc_word block, csc_word carrier, csc_word bytes)
{
	struct csc_core *core = instance->core;
	csc_word other;

	if (!pool_hold(instance, carrier)) {
		return instance_import(instance, block, bytes);
	}
	other = multi_alloc(instance, bytes);
	if (!other) {
		pool_let_go(instance, carrier);
		return 0;
	}
	multi_copy(core, block, other, kept_bytes(core, block, bytes));
	multi_free(instance, instance->type, block, carrier);
	return other;
}

/* Realloc of a block of ours. */
static csc_word instance_resize(struct csc_instance *instance, csc_word block, csc_word bytes)
{
	struct csc_core *core = instance->core;
	bool is_single = release_is_single(core, block);

	if (is_single && (bytes >= instance->sbct || single_should_stay(instance, block, bytes))) {
		return single_resize(instance, block, bytes);
	}
	if (is_single || bytes >= instance->sbct) {
		return instance_replace(instance, block, bytes);
	}

	csc_word address = block_carrier(core, block, head_of(core, block));
	if (owner_of(carrier_at(core, address)) & OWNER_IN_POOL) {
		return instance_resize_pooled(instance, block, address, bytes);
	}
	return multi_resize(instance, block, bytes);
}

/* The block has another owner; only thread-preferred instances get such blocks. */
static inline bool instance_is_foreign(const struct csc_instance *instance, csc_word block)
{
	return instance->is_thread_preferred && release_owner(instance->core, block) != instance;
}

static csc_word instance_realloc(struct csc_instance *instance, csc_word block, uint64_t bytes)
{
	if (block && instance_is_foreign(instance, block)) {
		return instance_import(instance, block, bytes);
	}
	if (instance_is_absurd(bytes)) {
		if (!block) {
			/* Sic: OTP 25 takes back an alloc call that it has not counted. */
			instance->calls[CSC_CALL_ALLOC]--;
			instance->calls[CSC_CALL_REALLOC]++;
		}
		return 0;
	}
	instance->calls[CSC_CALL_REALLOC]++;
	if (!block) {
		return instance_get(instance, (csc_word)bytes);
	}
	return instance_resize(instance, block, (csc_word)bytes);
}

/* Realloc that always moves: one alloc and one free; 0: it could not be had that way. */
static uint64_t instance_realloc_moving(
		struct csc_instance *instance, uint64_t user, uint64_t bytes)
{
	struct csc_core *core = instance->core;
	uint64_t moved = csc_alloc(instance, bytes);

	if (moved && user) {
		csc_word block = (csc_word)user - BLOCK_HEADER;

		multi_copy(core, block, (csc_word)moved - BLOCK_HEADER,
				kept_bytes(core, block, (csc_word)bytes));
		csc_free(instance, user);
	}
	return moved;
}

uint64_t csc_realloc(struct csc_instance *instance, uint64_t user, uint64_t bytes)
{
	csc_word block = user ? (csc_word)user - BLOCK_HEADER : 0;
	csc_word now;

	CSC_ASSERT(!user || instance_may_take(instance, user));
	if (instance->settings.ramv) {
		uint64_t moved = instance_realloc_moving(instance, user, bytes);

		if (moved) {
			return moved;
		}
	}
	if (instance->is_thread_preferred) {
		delayed_serve(instance, INSTANCE_SERVE);
	}
	now = instance_realloc(instance, block, bytes);
	if (!now && instance->is_thread_preferred && delayed_serve(instance, INSTANCE_SERVE)) {
		now = instance_realloc(instance, block, bytes);
	}
	emit_block(instance, CSC_EVENT_BLOCK_REALLOC, user_of(now), user, bytes);
	return user_of(now);
}

/*
 * The usual: the block is in a multi-block carrier that the instance employs, which nobody else can
 * change.  False: nothing has happened.
 */
static inline bool instance_free_own(struct csc_instance *instance, csc_word block)
{
	const struct csc_core *core = instance->core;
	csc_word head = head_of(core, block);
	csc_word carrier = block_carrier(core, block, head);
	csc_word owner;

	if ((head & BLOCK_FLAGS) == BLOCK_SINGLE) {
		return false;
	}
	owner = owner_of(carrier_at(core, carrier));
	if (owner >> 3 != instance->handle || (owner & OWNER_IN_POOL)) {
		return false;
	}
	multi_free(instance, instance->type, block, carrier);
	instance->calls[CSC_CALL_FREE]++;
	return true;
}

void csc_free(struct csc_instance *instance, uint64_t user)
{
	struct csc_core *core = instance->core;
	csc_word block = (csc_word)user - BLOCK_HEADER;

	if (!user) {
		return;
	}
	CSC_ASSERT(instance_may_take(instance, user));
	emit_block(instance, CSC_EVENT_BLOCK_FREE, user, 0, 0);
	if (instance_free_own(instance, block)) {
		return;
	}
	if (instance_is_foreign(instance, block)) {
		delayed_send_block(core, instance->type, block);
		return;
	}
	if (release_block(instance, instance->type, block)) {
		instance->calls[CSC_CALL_FREE]++;
	} else {
		delayed_send_block(core, instance->type, block);
	}
}
