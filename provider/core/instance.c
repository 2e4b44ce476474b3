/* SPDX-License-Identifier: MIT */
/*
 * Making an instance.
 * Source: SOURCES.md 1.2, 2.1, 2.3.
 */
#include "instance.h"

#include <string.h>

#include "internal.h"

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
	csc_word bytes = core->fit_offset;

	if (csc_strategy_is_first_fit(strategy)) {
		bytes += (csc_word)sizeof(struct fit_carrier);
	}
	return header_round(bytes);
}

/* What sbct may be set to at run time. */
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

	CSC_ASSERT(config->type > 0 && config->type <= core->types);
	CSC_ASSERT(config->fix_count <= CSC_FIX_TYPES_MAX);
	CSC_ASSERT(word_up8((csc_word)config->min_block) == config->min_block);
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
	CSC_ASSERT((instance->mbc_header + BLOCK_HEADER) % BLOCK_UNIT == 0);
	instance_settle(instance);
	if (instance->has_pool) {
		instance->pool = core_pool(core, config);
	}
	instance->ops = strategy_init(instance);
	fix_init(instance, config);
	core->instances[core->instance_count++] = instance;
	return !settings->mmbcs || carrier_create_main(instance);
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

void csc_instance_keep_carriers(struct csc_instance *instance, bool is_kept)
{
	instance->keeps_carriers = is_kept;
	pool_forbid(instance);
}

void csc_instance_release(struct csc_instance *instance)
{
	pool_release_pending(instance, UINT32_MAX);
}
