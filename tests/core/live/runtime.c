/* SPDX-License-Identifier: MIT */
/* A private allocator of the running emulator. */
#include "runtime.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <erl_nif.h>

/* Words that the figures of one allocator may need as a term. */
#define TERM_WORDS 4096

/* A type of test_alloc. */
#define TYPE_TEST 12

/* Operations of erts_alc_test. */
enum alc_test {
	ALC_MIN_BLOCK = 0x17,
	ALC_FIRST_BLOCK = 0x0e,
	ALC_SINGLE_BLOCK = 0x0c,
	ALC_FIRST_MBC = 0x10,
	ALC_FIRST_SBC = 0x12,
	ALC_NEXT_CARRIER = 0x14,
	ALC_ALLOC = 0xf00,
	ALC_REALLOC = 0xf01,
	ALC_FREE = 0xf02,
	ALC_START = 0xf03,
	ALC_STOP = 0xf04,
};

/* Bits of a block header and of the first word of a carrier. */
#define LIVE_FREE UINT64_C(1)
#define LIVE_LAST UINT64_C(4)
#define LIVE_FLAGS UINT64_C(7)
#define LIVE_SINGLE UINT64_C(7)
#define TAG_BIT (UINT64_C(1) << 63)
#define MULTI_SIZE UINT64_C(0x000000FFFFFFFFF8)
#define OFFSET_SHIFT 40
#define OFFSET_MASK UINT64_C(0x7FFFFF)
#define LIVE_CARRIER_MSEG UINT64_C(1)
#define LIVE_CARRIER_SINGLE UINT64_C(2)

typedef uintptr_t alc_test_function(uintptr_t operation, uintptr_t a, uintptr_t b, uintptr_t c);
typedef ERL_NIF_TERM info_function(uintptr_t allocator, int is_internal, int is_new_period,
		void *print, void *print_argument, ERL_NIF_TERM **heap, uintptr_t *size);
typedef ERL_NIF_TERM options_function(uintptr_t allocator, void *print, void *print_argument,
		ERL_NIF_TERM **heap, uintptr_t *size);

/* `type` says whose block it is, in its four lowest bits. */
typedef uintptr_t realloc_function(
		uintptr_t type, uintptr_t allocator, uintptr_t block, uintptr_t bytes);

/* Another value for a setting that has this atom for a name; 0: refused.  Found by calling it. */
typedef int set_function(uintptr_t allocator, ERL_NIF_TERM key, uintptr_t value);

static set_function *alc_set;
static alc_test_function *alc_test;
static info_function *alc_info;
static options_function *alc_options;
static uintptr_t (*unit_size)(void);
static realloc_function *realloc_moving;
static ErlNifEnv *term_env;

static uint64_t word_at(uint64_t address)
{
	uint64_t word;

	memcpy(&word, (const void *)(uintptr_t)address, sizeof(word));
	return word;
}

/* Finds an exported function; the pointer is stored as data, which POSIX allows. */
static bool find(const char *name, void *ret_function, struct diag *diag)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	if (!found) {
		return DIAG_FALSE(diag, "the emulator does not export '%s'", name);
	}
	memcpy(ret_function, &found, sizeof(found));
	return true;
}

bool runtime_load(struct diag *diag)
{
	struct diag none = { 0 };

	term_env = enif_alloc_env();
	/* Not all have it. */
	find("erts_alcu_try_set_dyn_param", &alc_set, &none);
	return term_env && find("erts_alc_test", &alc_test, diag) &&
			find("erts_alcu_info", &alc_info, diag) &&
			find("erts_alcu_info_options", &alc_options, diag) &&
			find("erts_mseg_unit_size", &unit_size, diag) &&
			find("erts_alcu_realloc_mv_ts", &realloc_moving, diag);
}

static bool get_u64(ERL_NIF_TERM term, uint64_t *ret)
{
	ErlNifUInt64 value;

	if (!enif_get_uint64(term_env, term, &value)) {
		return false;
	}
	*ret = value;
	return true;
}

/* The tuple {Key, ...} in a list; NULL: there is none.  `count` elements, the key included. */
static const ERL_NIF_TERM *find_key(ERL_NIF_TERM list, const char *key, int count)
{
	ERL_NIF_TERM head;

	while (enif_get_list_cell(term_env, list, &head, &list)) {
		const ERL_NIF_TERM *elements;
		char name[64];
		int arity;

		if (enif_get_tuple(term_env, head, &arity, &elements) && arity == count &&
				enif_get_atom(term_env, elements[0], name, sizeof(name),
						ERL_NIF_LATIN1) &&
				strcmp(name, key) == 0) {
			return elements;
		}
	}
	return NULL;
}

static bool get_number(ERL_NIF_TERM list, const char *key, uint64_t *ret)
{
	const ERL_NIF_TERM *found = find_key(list, key, 2);

	return found && get_u64(found[1], ret);
}

static bool get_flag(ERL_NIF_TERM list, const char *key, bool *ret)
{
	const ERL_NIF_TERM *found = find_key(list, key, 2);
	char name[8];

	if (!found || !enif_get_atom(term_env, found[1], name, sizeof(name), ERL_NIF_LATIN1)) {
		return false;
	}
	*ret = strcmp(name, "true") == 0;
	return true;
}

/* The settings in force. */
static bool get_settings(struct runtime *runtime, struct diag *diag)
{
	struct csc_settings *s = &runtime->settings;
	ERL_NIF_TERM heap[TERM_WORDS];
	ERL_NIF_TERM *next = heap;
	ERL_NIF_TERM list = alc_options(runtime->allocator, NULL, NULL, &next, NULL);
	const ERL_NIF_TERM *strategy = find_key(list, "as", 2);
	char name[32];

	s->mbsd = 3;
	get_number(list, "mbsd", &s->mbsd);
	if (!strategy ||
			!enif_get_atom(term_env, strategy[1], name, sizeof(name), ERL_NIF_LATIN1) ||
			!csc_strategy_find(name, &s->strategy) ||
			!get_flag(list, "ramv", &s->ramv) || !get_flag(list, "atags", &s->atags) ||
			!get_number(list, "sbct", &s->sbct) ||
			!get_number(list, "asbcst", &s->asbcst) ||
			!get_number(list, "rsbcst", &s->rsbcst) ||
			!get_number(list, "rsbcmt", &s->rsbcmt) ||
			!get_number(list, "rmbcmt", &s->rmbcmt) ||
			!get_number(list, "mmbcs", &s->mmbcs) ||
			!get_number(list, "mmmbc", &s->mmmbc) ||
			!get_number(list, "mmsbc", &s->mmsbc) ||
			!get_number(list, "lmbcs", &s->lmbcs) ||
			!get_number(list, "smbcs", &s->smbcs) ||
			!get_number(list, "mbcgs", &s->mbcgs) ||
			!get_number(list, "acul", &s->acul) ||
			!get_number(list, "acful", &s->acful) ||
			!get_number(list, "acnl", &s->acnl) ||
			!get_number(list, "acfml", &s->acfml)) {
		return DIAG_FALSE(diag, "the options of the runtime have another shape");
	}
	return true;
}

bool runtime_start(struct runtime *runtime, const struct runtime_shared *shared,
		char (*parameters)[RUNTIME_PARAMETER_BYTES], size_t count, struct diag *diag)
{
	static char name[] = "csc_";
	char texts[RUNTIME_PARAMETERS][RUNTIME_PARAMETER_BYTES + 4];
	char *arguments[RUNTIME_PARAMETERS + 1] = { NULL };
	ErlNifSysInfo system;

	for (size_t i = 0; i < count; i++) {
		snprintf(texts[i], sizeof(texts[i]), "-t%s", parameters[i]);
		arguments[i] = texts[i];
	}
	enif_system_info(&system, sizeof(system));
	*runtime = (struct runtime){
		.release = system.otp_release,
		.allocator = alc_test(ALC_START, (uintptr_t)name, 1, (uintptr_t)arguments),
		.unit_bytes = unit_size(),
	};
	if (!runtime->allocator) {
		return DIAG_FALSE(diag, "the runtime does not start the allocator");
	}
	/* What was understood is taken out of the arguments. */
	for (size_t i = 0; i < count; i++) {
		if (arguments[i]) {
			runtime_stop(runtime);
			return DIAG_FALSE(diag, "the runtime refuses '%s'", parameters[i]);
		}
	}
	runtime->mbc_header = alc_test(ALC_FIRST_BLOCK, runtime->allocator, 0, 0);
	runtime->sbc_header = alc_test(ALC_SINGLE_BLOCK, runtime->allocator, 0, 0);
	runtime->min_block = alc_test(ALC_MIN_BLOCK, runtime->allocator, 0, 0);
	runtime->settings.ycs = shared->ycs;
	runtime->settings.mmc = shared->mmc;
	runtime->settings.sac = shared->sac;
	return get_settings(runtime, diag);
}

void runtime_stop(struct runtime *runtime)
{
	alc_test(ALC_STOP, runtime->allocator, 0, 0);
	runtime->allocator = 0;
}

uint64_t runtime_alloc(struct runtime *runtime, uint64_t bytes)
{
	return alc_test(ALC_ALLOC, runtime->allocator, bytes, 0);
}

uint64_t runtime_realloc(struct runtime *runtime, uint64_t block, uint64_t bytes)
{
	/*
	 * erts_alc_test does not look at `ramv`; the runtime itself takes another function then,
	 * which crashes on NULL.  For that there is nothing to compare with: it is done as the
	 * core does it.
	 */
	if (runtime->settings.ramv) {
		uintptr_t made = block ? 0 : runtime_alloc(runtime, bytes);

		if (!block) {
			return made ? made : alc_test(ALC_REALLOC, runtime->allocator, 0, bytes);
		}
		return realloc_moving(TYPE_TEST, runtime->allocator, block, bytes);
	}
	return alc_test(ALC_REALLOC, runtime->allocator, block, bytes);
}

void runtime_free(struct runtime *runtime, uint64_t block)
{
	alc_test(ALC_FREE, runtime->allocator, block, 0);
}

bool runtime_can_set_sbct(void)
{
	return alc_set != NULL;
}

bool runtime_set_sbct(struct runtime *runtime, uint64_t bytes)
{
	/* That is decided before this function, as sbct_test.sh shows; it would do it. */
	if (runtime->settings.strategy == CSC_GF) {
		return false;
	}
	return alc_set(runtime->allocator, enif_make_atom(term_env, "sbct"), bytes) != 0;
}

uint64_t runtime_first_carrier(const struct runtime *runtime, bool is_single)
{
	return alc_test(is_single ? ALC_FIRST_SBC : ALC_FIRST_MBC, runtime->allocator, 0, 0);
}

uint64_t runtime_next_carrier(const struct runtime *runtime, uint64_t carrier)
{
	(void)runtime;
	return alc_test(ALC_NEXT_CARRIER, carrier, 0, 0);
}

void runtime_carrier(uint64_t address, struct runtime_carrier *ret_carrier)
{
	uint64_t word = word_at(address);

	*ret_carrier = (struct runtime_carrier){
		.address = address,
		.size_bytes = word & ~LIVE_FLAGS,
		.is_single = (word & LIVE_CARRIER_SINGLE) != 0,
		.is_mseg = (word & LIVE_CARRIER_MSEG) != 0,
	};
}

void runtime_user_block(
		const struct runtime *runtime, uint64_t user, struct runtime_block *ret_block)
{
	uint64_t address = user - sizeof(uint64_t);
	uint64_t word = word_at(address);

	if ((word & LIVE_FLAGS) == LIVE_SINGLE) {
		*ret_block = (struct runtime_block){
			.address = address,
			.size_bytes = word & ~TAG_BIT & ~LIVE_FLAGS,
			.carrier = address - runtime->sbc_header,
			.is_last = true,
		};
		return;
	}
	runtime_walk_block(address, ret_block);

	uint64_t units = word >> OFFSET_SHIFT & OFFSET_MASK;
	ret_block->carrier = (address & ~(runtime->unit_bytes - 1)) - units * runtime->unit_bytes;
}

void runtime_walk_block(uint64_t address, struct runtime_block *ret_block)
{
	uint64_t word = word_at(address);
	bool is_single = (word & LIVE_FLAGS) == LIVE_SINGLE;
	bool is_free = (word & LIVE_FREE) && !is_single;

	*ret_block = (struct runtime_block){
		.address = address,
		.size_bytes = is_free || is_single ? word & ~TAG_BIT & ~LIVE_FLAGS
						   : word & MULTI_SIZE,
		.is_free = is_free,
		.is_last = (word & LIVE_LAST) != 0,
	};
}

static bool get_figure(ERL_NIF_TERM list, const char *key, struct csc_figure *ret)
{
	const ERL_NIF_TERM *found = find_key(list, key, 4);

	return found && get_u64(found[1], &ret->now) && get_u64(found[2], &ret->max) &&
			get_u64(found[3], &ret->ever);
}

/* Figures of one kind of carriers; types without blocks are left out. */
static bool get_group(ERL_NIF_TERM info, const char *key, struct csc_group_statistics *ret)
{
	const ERL_NIF_TERM *group = find_key(info, key, 2);
	const ERL_NIF_TERM *blocks = group ? find_key(group[1], "blocks", 2) : NULL;
	const ERL_NIF_TERM *type = blocks ? find_key(blocks[1], "test_alloc", 2) : NULL;

	*ret = (struct csc_group_statistics){ 0 };
	if (!blocks || (!type && !enif_is_empty_list(term_env, blocks[1]))) {
		return false;
	}
	if (type &&
			(!get_figure(type[1], "count", &ret->blocks) ||
					!get_figure(type[1], "size", &ret->blocks_bytes))) {
		return false;
	}
	return get_figure(group[1], "carriers", &ret->carriers) &&
			get_figure(group[1], "carriers_size", &ret->carriers_bytes) &&
			get_number(group[1], "mseg_alloc_carriers", &ret->mseg_carriers) &&
			get_number(group[1], "mseg_alloc_carriers_size",
					&ret->mseg_carriers_bytes) &&
			get_number(group[1], "sys_alloc_carriers", &ret->sys_carriers) &&
			get_number(group[1], "sys_alloc_carriers_size", &ret->sys_carriers_bytes);
}

bool runtime_statistics(
		struct runtime *runtime, bool is_new_period, struct csc_statistics *ret_statistics)
{
	static const char *const calls[CSC_CALLS] = { "csc_alloc", "csc_free", "csc_realloc",
		"mseg_alloc", "mseg_dealloc", "mseg_realloc", "sys_alloc", "sys_free",
		"sys_realloc" };
	ERL_NIF_TERM heap[TERM_WORDS];
	ERL_NIF_TERM *next = heap;
	ERL_NIF_TERM info = alc_info(runtime->allocator, 0, is_new_period, NULL, NULL, &next, NULL);
	const ERL_NIF_TERM *counted = find_key(info, "calls", 2);

	*ret_statistics = (struct csc_statistics){ 0 };
	if (!counted || !get_group(info, "mbcs", &ret_statistics->mbcs) ||
			!get_group(info, "sbcs", &ret_statistics->sbcs)) {
		return false;
	}
	for (int i = 0; i < CSC_CALLS; i++) {
		const ERL_NIF_TERM *call = find_key(counted[1], calls[i], 3);
		uint64_t billions;
		uint64_t rest;

		if (!call || !get_u64(call[1], &billions) || !get_u64(call[2], &rest)) {
			return false;
		}
		ret_statistics->calls[i] = billions * UINT64_C(1000000000) + rest;
	}
	return true;
}
