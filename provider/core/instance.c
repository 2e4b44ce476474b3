/* SPDX-License-Identifier: MIT */
/*
 * Making an instance, and the calls to it.
 * Source: facts/allocator-core.md 1.3, 1.4, 2.1, 3.3, 8.2, 11.2.
 */
#include "instance.h"

#include <string.h>

#include "carrier.h"
#include "delayed.h"
#include "fix.h"
#include "multi.h"
#include "pool.h"
#include "release.h"

/* Queued elements that one call works off. */
#define INSTANCE_SERVE 2

size_t csc_instance_bytes(void)
{
	return sizeof(struct csc_instance);
}

/* A header after which user memory is aligned, in bytes. */
static csc_word header_round(csc_word bytes)
{
	return word_up8(bytes + BLOCK_HEADER) - BLOCK_HEADER;
}

/* Size of the header of a multi-block carrier of this build, in bytes. */
static csc_word header_multi_bytes(const struct csc_core *core, enum csc_strategy strategy)
{
	csc_word bytes = CARRIER_ARRAYS + 2 * (csc_word)core->types * BLOCK_HEADER +
			core->header_extra_bytes;

	if (csc_strategy_is_first_fit(strategy)) {
		bytes += (csc_word)sizeof(struct fit_carrier);
	}
	return header_round(bytes);
}

/* What sbct may be set to at run time.  Source: facts/allocator-core.md 2.3. */
#define SBCT_LEAST_BYTES 4000

/* Clips sbct where a block header cannot hold more. */
static csc_word clip_sbct(csc_word sbct, csc_word min_block)
{
#if CSC_WORD_BYTES == 4
	csc_word largest = sbct - 1 + BLOCK_HEADER;
	csc_word slack = word_down8(min_block - 1);

	largest = word_up8(largest);
	if (sbct > WORD_MAX - 64 || largest + slack > BLOCK_SIZE_MASK) {
		return BLOCK_SIZE_MASK - slack - BLOCK_HEADER + 1;
	}
#else
	(void)min_block;
#endif
	return sbct;
}

static csc_word saturate(uint64_t value)
{
	return value > WORD_MAX ? WORD_MAX : (csc_word)value;
}

/* Brings the settings into the form that the code expects. */
static void instance_settle(struct csc_instance *instance)
{
	struct csc_settings *settings = &instance->settings;
	uint64_t largest = CSC_WORD_BYTES == 4 ? UINT64_C(255) << 18 : UINT64_MAX;

	if (settings->lmbcs > largest) {
		settings->lmbcs = largest;
	}
	if (settings->lmbcs < settings->smbcs) {
		settings->lmbcs = settings->smbcs;
	}
	if (settings->mbcgs < 1) {
		settings->mbcgs = 1;
	}
	if (settings->asbcst > WORD_MAX / 100) {
		settings->asbcst = WORD_MAX / 100;
	}
	settings->sbct = saturate(settings->sbct);
	instance->sbct = clip_sbct((csc_word)settings->sbct, instance->min_block);
}

/* The pool of the instance: that of its type, or the one that is named. */
static struct carrier_pool *core_pool(
		struct csc_core *core, const struct csc_instance_config *config)
{
	static const char letters[] = "@BDEFHLRS";
	const char *letter = config->pool ? strchr(letters, config->pool) : NULL;

	if (core->has_common_pool) {
		return &core->pools[0];
	}
	return letter ? &core->named_pools[letter - letters] : &core->pools[config->type];
}

bool csc_instance_init(struct csc_instance *instance, struct csc_core *core,
		const struct csc_instance_config *config)
{
	const struct csc_settings *settings = &config->settings;
	bool is_first_fit = csc_strategy_is_first_fit(settings->strategy);

	if (core->instance_count >= core->instance_room) {
		return false;
	}
	*instance = (struct csc_instance){
		.core = core,
		.handle = core->instance_count,
		.index = config->index,
		.type = config->type,
		.mseg = config->mseg,
		.is_thread_preferred = config->is_thread_preferred,
		.has_own_area = config->has_own_area && core->memory->area_alloc,
		.has_pool = is_first_fit && !config->is_thread_safe && settings->acul > 0 &&
				settings->acnl > 0,
		.min_block = (csc_word)config->min_block,
		.overhead = BLOCK_HEADER + (settings->atags ? core->tag_bytes : 0),
		.mbc_header = (csc_word)config->mbc_header,
		.sbc_header = SINGLE_HEADER,
		.settings = *settings,
		.fix_count = config->fix_count,
	};
	if (!instance->min_block) {
		instance->min_block = strategy_min_bytes(settings->strategy);
	}
	if (!instance->mbc_header) {
		instance->mbc_header = header_multi_bytes(core, settings->strategy);
	}
	instance_settle(instance);
	if (instance->has_pool) {
		instance->pool = core_pool(core, config);
	}
	instance->ops = strategy_init(instance);
	fix_init(instance, config);
	core->instances[core->instance_count++] = instance;
	return !settings->mmbcs || carrier_create_main(instance);
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

static csc_word instance_alloc(struct csc_instance *instance, uint64_t bytes)
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
	 * each of two sizes, facts/target-board.md 2.4.
	 */
	if (!block && instance->is_thread_preferred && delayed_serve(instance, INSTANCE_SERVE)) {
		block = instance_alloc(instance, bytes);
	}
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
	multi_free(instance, instance->type, block);
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
static bool instance_is_foreign(const struct csc_instance *instance, csc_word block)
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

void csc_free(struct csc_instance *instance, uint64_t user)
{
	struct csc_core *core = instance->core;
	csc_word block = (csc_word)user - BLOCK_HEADER;

	if (!user) {
		return;
	}
	emit_block(instance, CSC_EVENT_BLOCK_FREE, user, 0, 0);
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

bool csc_instance_set_sbct(struct csc_instance *instance, uint64_t bytes)
{
	if (bytes < SBCT_LEAST_BYTES || instance->settings.strategy == CSC_GF) {
		return false;
	}
	instance->settings.sbct = saturate(bytes);
	instance->sbct = clip_sbct((csc_word)instance->settings.sbct, instance->min_block);
	return true;
}

bool csc_instance_drain(struct csc_instance *instance)
{
	return delayed_drain(instance);
}

void csc_instance_release(struct csc_instance *instance)
{
	pool_release_pending(instance, UINT32_MAX);
}
