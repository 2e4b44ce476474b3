/* SPDX-License-Identifier: MIT */
/* The settings of a whole runtime. */
#include "options.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

/* Source: SOURCES.md 2.4. */
#define MAIN_LEAST_BYTES (16 * KIB)

const struct csc_allocator_info csc_allocator_infos[CSC_ALLOCATORS] = {
	[CSC_TEMP] = { "temp_alloc", 'T', false, true, false, 0 },
	[CSC_SL] = { "sl_alloc", 'S', true, true, true, 60 },
	[CSC_STD] = { "std_alloc", 'D', true, true, true, 60 },
	[CSC_LL] = { "ll_alloc", 'L', true, true, true, 85 },
	[CSC_EHEAP] = { "eheap_alloc", 'H', true, true, true, 45 },
	[CSC_ETS] = { "ets_alloc", 'E', true, true, true, 60 },
	[CSC_FIX] = { "fix_alloc", 'F', true, true, true, 60 },
	[CSC_LITERAL] = { "literal_alloc", 'I', false, false, false, 0 },
	[CSC_EXEC] = { "exec_alloc", 'X', false, false, false, 0 },
	[CSC_BINARY] = { "binary_alloc", 'B', true, true, true, 60 },
	[CSC_DRIVER] = { "driver_alloc", 'R', true, true, true, 60 },
	[CSC_TEST] = { "test_alloc", 'Z', true, true, true, 60 },
};

uint64_t csc_options_max(const struct csc_options *options)
{
	return options->word_bytes == 4 ? UINT32_MAX : UINT64_MAX;
}

/* Bytes of a descriptor. */
static uint64_t descriptor_bytes(const struct csc_options *options)
{
	return options->word_bytes == 4 ? 32 : 64;
}

uint64_t csc_options_descriptors_bytes(const struct csc_options *options, uint64_t asked)
{
	uint64_t unit = UINT64_C(1)
			<< (options->word_bytes == 4 ? 18 : options->generation->unit_bits);
	uint64_t each = descriptor_bytes(options);
	uint64_t most = (csc_options_max(options) - unit) / each;
	uint64_t count = asked < 100 ? 100 : asked;

	return ((count > most ? most : count) * each + unit - 1) & ~(unit - 1);
}

uint64_t csc_options_descriptors(const struct csc_options *options, uint64_t asked)
{
	return csc_options_descriptors_bytes(options, asked) / descriptor_bytes(options);
}

bool csc_options_has(const struct csc_options *options, enum csc_allocator allocator)
{
	return allocator != CSC_EXEC || options->generation->types > 12;
}

uint32_t csc_options_number(const struct csc_options *options, enum csc_allocator allocator)
{
	/* sys_alloc is number 1. */
	uint32_t number = (uint32_t)allocator + 2;

	return number > 10 && options->generation->types <= 12 ? number - 1 : number;
}

/* Long-lived data: no single-block carriers, and every shrinking block may move. */
static void set_long_lived(struct csc_settings *settings, uint64_t unlimited)
{
	settings->sbct = unlimited;
	settings->asbcst = 0;
	settings->rsbcst = 0;
	settings->rsbcmt = 0;
	settings->rmbcmt = 0;
	settings->mmsbc = 0;
}

/* Source: SOURCES.md 7.3. */
static void set_defaults(struct csc_options *options, enum csc_allocator allocator)
{
	static const enum csc_strategy strategies[CSC_ALLOCATORS] = { CSC_AF, CSC_GF, CSC_BF,
		CSC_AOBF, CSC_GF, CSC_BF, CSC_AOBF, CSC_AOBF, CSC_AOBF, CSC_BF, CSC_BF,
		CSC_AOFFCBF };
	struct csc_allocator_options *own = &options->allocators[allocator];
	struct csc_settings *settings = &own->settings;
	uint64_t unlimited = csc_options_max(options);

	csc_settings_init(settings);
	settings->mmmbc = unlimited;
	settings->strategy = strategies[allocator];
	settings->acul = csc_allocator_infos[allocator].acul;
	settings->mmbcs = 128 * KIB;
	own->is_enabled = allocator != CSC_TEST;
	own->threading = CSC_PREFERRED;
	own->pool = csc_allocator_infos[allocator].letter;
	if (options->generation->has_common_pool) {
		own->pool = '@';
	}
	switch (allocator) {
	case CSC_TEMP:
		own->threading = CSC_SPECIFIC;
		settings->rsbcst = 90;
		settings->rmbcmt = 100;
		break;
	case CSC_SL:
		settings->rsbcst = 80;
		break;
	case CSC_LL:
		own->threading = CSC_GLOBAL;
		settings->mmbcs = 2 * MIB;
		set_long_lived(settings, unlimited);
		break;
	case CSC_EHEAP:
		settings->mmbcs = 512 * KIB;
		settings->rsbcst = 50;
		break;
	case CSC_LITERAL:
	case CSC_EXEC:
		own->threading = CSC_GLOBAL;
		settings->mmbcs = allocator == CSC_LITERAL ? MIB : 0;
		set_long_lived(settings, unlimited);
		break;
	case CSC_BINARY:
	case CSC_DRIVER:
		settings->atags = true;
		break;
	case CSC_TEST:
		settings->atags = true;
		settings->mmbcs = 0;
		settings->sbct = UINT64_C(1) << options->generation->unit_bits;
		settings->smbcs = settings->sbct;
		settings->lmbcs = settings->sbct;
		break;
	default:
		break;
	}
}

void csc_options_init(struct csc_options *options, const struct csc_generation *generation,
		uint32_t word_bytes, uint32_t schedulers)
{
	*options = (struct csc_options){
		.generation = generation,
		.word_bytes = word_bytes,
		.schedulers = schedulers,
		.ycs = MIB,
		.sac = true,
		.amcbf = 4 * MIB,
		.rmcbf = 20,
		.mcs = 10,
		.sco = true,
		.scrpm = true,
		.scrfsd = 65536,
		.literal_scs = 1024 * MIB,
		.trim_threshold = 128 * KIB,
	};
	options->mmc = csc_options_max(options);
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		set_defaults(options, (enum csc_allocator)i);
	}
}

void csc_options_forbid_migration(struct csc_options *options, enum csc_allocator allocator)
{
	options->allocators[allocator].settings.acul = 0;
	options->allocators[allocator].settings.acful = 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Carrier sizes are divided among schedulers, unless they were given. */
static void settle_sizes(struct csc_options *options, struct csc_allocator_options *own)
{
	uint64_t schedulers = options->schedulers ? options->schedulers : 1;

	if (!own->has_mmbcs) {
		own->settings.mmbcs /= least(4, schedulers);
	}
	if (!own->has_lmbcs) {
		own->settings.lmbcs /= least(2, schedulers);
	}
	if (!own->has_smbcs) {
		own->settings.smbcs /= least(4, schedulers);
	}
}

/*
 * What the runtime makes of impossible sizes, and reports.
 * Source: OTP 25.2.3, by system_info(allocator).
 */
static void settle_values(const struct csc_options *options, struct csc_settings *settings)
{
	if (settings->lmbcs < settings->smbcs) {
		settings->lmbcs = settings->smbcs;
	}
	settings->asbcst = least(settings->asbcst, csc_options_max(options) / 100);
}

void csc_options_settle(struct csc_options *options)
{
	/* The test allocator is scaled from 25 on, whose carriers have the extra word. */
	bool is_test_scaled = options->generation->header_extra_words > 0;

	csc_options_forbid_migration(options, CSC_TEMP);
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		struct csc_allocator_options *own = &options->allocators[i];
		struct csc_settings *settings = &own->settings;

		if (settings->acul > 0) {
			if (!csc_strategy_is_first_fit(settings->strategy)) {
				settings->strategy = CSC_AOFFCBF;
			}
			own->threading = CSC_PREFERRED;
		}
		settings->acful = least(settings->acful, settings->acul);
		if (options->is_config) {
			own->threading = CSC_GLOBAL;
			csc_options_forbid_migration(options, (enum csc_allocator)i);
		}
		if (i == CSC_TEMP && own->threading == CSC_PREFERRED) {
			own->threading = CSC_SPECIFIC;
		}
		if (own->threading == CSC_PREFERRED && (i != CSC_TEST || is_test_scaled)) {
			settle_sizes(options, own);
		}
		if (settings->strategy == CSC_AF && own->threading != CSC_SPECIFIC) {
			settings->strategy = CSC_GF;
		}
		settle_values(options, settings);
		settings->ycs = options->ycs;
		settings->mmc = options->mmc;
		settings->sac = options->sac;
		settings->carrier_trim = options->carrier_trim;
	}
}

uint32_t csc_options_instances(const struct csc_options *options, enum csc_allocator allocator)
{
	const struct csc_allocator_options *own = &options->allocators[allocator];

	if (!own->is_enabled || !csc_options_has(options, allocator)) {
		return 0;
	}
	if (own->threading == CSC_GLOBAL) {
		return 1;
	}
	return options->schedulers + 1 + options->dirty_instances;
}

void csc_options_config(const struct csc_options *options, enum csc_allocator allocator,
		uint32_t index, struct csc_instance_config *ret_config)
{
	const struct csc_allocator_options *own = &options->allocators[allocator];
	bool is_locked = index == 0 || index > options->schedulers;
	struct csc_instance_config config = {
		.settings = own->settings,
		.type = csc_options_number(options, allocator),
		.index = index,
		.mseg = own->threading == CSC_GLOBAL || index > options->schedulers ? 0 : index,
		.is_thread_preferred = own->threading == CSC_PREFERRED,
		.has_own_area = (allocator == CSC_LITERAL || allocator == CSC_EXEC) &&
				options->word_bytes == 8,
		.is_thread_safe = is_locked || own->threading != CSC_PREFERRED,
		.pool = own->pool,
	};

	if (config.is_thread_safe || !config.settings.acul || !config.settings.acnl) {
		config.settings.acul = 0;
		config.settings.acful = 0;
		config.settings.acnl = 0;
		config.settings.acfml = 0;
	}
	if (is_locked && config.settings.strategy == CSC_AF) {
		config.settings.strategy = CSC_GF;
	}
	/*
	 * Since 24.0.1 the first instance of ets_alloc starts without a carrier, even if it is the
	 * only one.  Source: OTP 25.2.3 with `+MEt false` and with `+Mea config`.
	 */
	if (allocator == CSC_ETS && index == 0 && !options->generation->has_common_pool) {
		config.settings.mmbcs = 0;
	}
	/* A main carrier is at least so large; without one the setting stays what it is. */
	if (config.settings.mmbcs && config.settings.mmbcs < MAIN_LEAST_BYTES) {
		config.settings.mmbcs = MAIN_LEAST_BYTES;
	}
	*ret_config = config;
}
