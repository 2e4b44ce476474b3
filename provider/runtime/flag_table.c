/* SPDX-License-Identifier: MIT */
/* The table of `+M` flags, and its readers. */
#include "flag_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* csc_generation.release */
#define OTP_24RC0 2400
#define OTP_24 2401
#define OTP_25 2500
#define OTP_27 2700
#define OTP_28 2800
#define EVER 0, UINT32_MAX
#define ANY 0, UINT64_MAX
#define FROM_1 1, UINT64_MAX
#define TO_100 0, 100

#define SETTING(name) FLAG_EACH, #name
#define IN_SETTINGS(name) FLAG_IN_SETTINGS, offsetof(struct csc_settings, name)
#define IN_ALLOCATOR(name) FLAG_IN_ALLOCATOR, offsetof(struct csc_allocator_options, name)
#define IN_OPTIONS(name) FLAG_IN_OPTIONS, offsetof(struct csc_options, name)
#define NOWHERE FLAG_IN_OPTIONS, 0

/* A number of each allocator, listed and recorded. */
#define NUMBER(name, kind, range, meaning)                                                         \
	{                                                                                          \
		FLAG_EACH, #name, kind, IN_SETTINGS(name), range, EVER, false, #name, false, true, \
				meaning                                                            \
	}

/* clang-format off */
const struct flag flag_table[] = {
	/* Of all allocators. */
	{ "u", "ycs", FLAG_KIB, IN_OPTIONS(ycs), ANY, EVER, false, "ycs", false, true,
		"sizes of carriers from sys_alloc are multiples of this" },
	{ "u", "mmc", FLAG_NUMBER, IN_OPTIONS(mmc), ANY, EVER, false, "mmc", false, true,
		"most carriers from mseg_alloc, of all allocators" },
	{ "u", "sac", FLAG_BOOL, IN_OPTIONS(sac), ANY, EVER, false, "sac", false, true,
		"carriers may come from sys_alloc" },
	{ "u", "madtn", FLAG_BOOL, IN_OPTIONS(madtn), ANY, OTP_28, UINT32_MAX, false, NULL, false,
		false, "transparent huge pages for all memory that is mapped" },

	/* The cache of segments and the super carrier. */
	{ "M", "amcbf", FLAG_KIB, IN_OPTIONS(amcbf), ANY, EVER, false, "Mamcbf", false, true,
		"a cached segment may be larger than asked for by at most this" },
	{ "M", "rmcbf", FLAG_NUMBER, IN_OPTIONS(rmcbf), ANY, EVER, false, "Mrmcbf", false, true,
		"the same, in percent of what is asked for" },
	{ "M", "mcs", FLAG_NUMBER, IN_OPTIONS(mcs), 0, 30, EVER, false, "Mmcs", false, true,
		"most segments in a cache" },
	{ "M", "scs", FLAG_MIB, IN_OPTIONS(scs), ANY, EVER, false, "Mscs", false, true,
		"size of the super carrier; 0: none" },
	{ "M", "sco", FLAG_BOOL, IN_OPTIONS(sco), ANY, EVER, false, "Msco", true, true,
		"mseg_alloc takes from the super carrier only" },
	{ "M", "scrfsd", FLAG_NUMBER, IN_OPTIONS(scrfsd), ANY, EVER, false, "Mscrfsd", false, true,
		"descriptors of free segments that are reserved in the super carrier" },
	{ "M", "scrpm", FLAG_BOOL, IN_OPTIONS(scrpm), ANY, EVER, false, NULL, false, true,
		"physical memory is reserved for the whole super carrier" },
	{ "M", "lp", FLAG_ON, IN_OPTIONS(has_large_pages), ANY, OTP_27, UINT32_MAX, false, NULL,
		false, false, "large pages for carriers" },
	{ "I", "scs", FLAG_MIB, IN_OPTIONS(literal_scs), ANY, EVER, false, NULL, false, true,
		"size of the area for literals" },
	{ "X", "scs", FLAG_UNUSED_MIB, NOWHERE, ANY, 0, OTP_24RC0, false, NULL, false, true,
		"size of the area for native code" },
	{ "", "dai", FLAG_DIRTY, IN_OPTIONS(dirty_instances), ANY, OTP_25, UINT32_MAX, false,
		"dai", false, false, "instances for dirty schedulers, or max" },

	/* malloc(3), and the runtime as a whole. */
	{ "Y", "m", FLAG_LIBC, NOWHERE, ANY, EVER, false, NULL, false, true,
		"which malloc sys_alloc uses: libc" },
	{ "Y", "e", FLAG_TRUE, NOWHERE, ANY, EVER, false, NULL, false, true,
		"sys_alloc is there: true" },
	{ "Y", "tt", FLAG_MALLOC, IN_OPTIONS(trim_threshold), ANY, EVER, false, NULL, false, true,
		"so much free at its top makes malloc give memory back" },
	{ "Y", "tp", FLAG_MALLOC, IN_OPTIONS(top_pad), ANY, EVER, false, NULL, false, true,
		"so much more than needed malloc takes from the system" },
	{ "", "ea", FLAG_SETUP, NOWHERE, ANY, EVER, false, NULL, false, false,
		"all allocators: min (off where possible), max (on) or config (for measuring)" },
	{ "", "lpm", FLAG_ALL, IN_OPTIONS(is_locked), ANY, EVER, false, NULL, false, false,
		"lock physical memory: all or no" },
	{ "", "it", FLAG_UNUSED, NOWHERE, ANY, 0, OTP_24, false, NULL, false, false,
		"file for a trace of memory: accepted and ignored" },

	/* Of each allocator, in the order of erlang:system_info({allocator, A}). */
	{ SETTING(e), FLAG_ENABLED, IN_ALLOCATOR(is_enabled), ANY, EVER, false, "e", false, true,
		"the allocator is used; otherwise its blocks come from malloc" },
	{ SETTING(t), FLAG_THREADS, IN_ALLOCATOR(threading), ANY, EVER, false, "t", false, true,
		"an instance for each scheduler" },
	{ SETTING(atags), FLAG_TAGS, IN_SETTINGS(atags), ANY, EVER, false, "atags", false, true,
		"blocks carry a tag that says who asked for them" },
	{ SETTING(ramv), FLAG_BOOL, IN_SETTINGS(ramv), ANY, EVER, false, "ramv", false, true,
		"realloc always moves the block" },
	NUMBER(sbct, FLAG_KIB, ANY, "a larger block gets a carrier of its own"),
	NUMBER(asbcst, FLAG_KIB, ANY,
		"a single-block carrier shrinks if that saves at least this"),
	NUMBER(rsbcst, FLAG_PERCENT, TO_100,
		"a single-block carrier shrinks if that saves at least this share"),
	NUMBER(rsbcmt, FLAG_PERCENT, TO_100,
		"a single-block carrier whose block shrinks moves to a multi-block one if that saves "
		"at least this share"),
	NUMBER(rmbcmt, FLAG_PERCENT, TO_100,
		"a block that shrinks in a multi-block carrier moves if that saves this share"),
	NUMBER(mmbcs, FLAG_KIB, ANY, "size of the main carrier"),
	NUMBER(mmmbc, FLAG_NUMBER, ANY, "most multi-block carriers from mseg_alloc"),
	NUMBER(mmsbc, FLAG_NUMBER, ANY, "most single-block carriers from mseg_alloc"),
	NUMBER(lmbcs, FLAG_KIB, ANY, "largest multi-block carrier from mseg_alloc"),
	NUMBER(smbcs, FLAG_KIB, ANY, "smallest multi-block carrier from mseg_alloc"),
	NUMBER(mbcgs, FLAG_NUMBER, FROM_1,
		"multi-block carriers grow from smbcs to lmbcs in so many steps"),
	{ SETTING(acful), FLAG_ACFUL, IN_SETTINGS(acful), ANY, OTP_25, UINT32_MAX, true, "acful",
		false, true, "below this utilisation an abandoned carrier gives pages back" },
	{ SETTING(acul), FLAG_ACUL, IN_SETTINGS(acul), ANY, EVER, true, "acul", false, true,
		"a carrier is abandoned below this utilisation in percent; 0: never" },
	{ SETTING(acnl), FLAG_NUMBER, IN_SETTINGS(acnl), ANY, EVER, true, "acnl", false, true,
		"most carriers of an instance in the pool" },
	{ SETTING(acfml), FLAG_NUMBER, IN_SETTINGS(acfml), ANY, EVER, true, "acfml", false, true,
		"a carrier whose largest free block is smaller, in bytes, is not abandoned" },
	{ SETTING(cp), FLAG_POOL, IN_ALLOCATOR(pool), ANY, OTP_24, UINT32_MAX, true, "cp", false,
		true, "pool that carriers are abandoned to: an allocator's letter, @ or :" },
	NUMBER(mbsd, FLAG_NUMBER, FROM_1, "most blocks that strategy gf looks at in a list"),
	{ SETTING(as), FLAG_STRATEGY, IN_SETTINGS(strategy), ANY, EVER, false, "as", false, true,
		"how a free block is chosen" },
	{ .name = NULL },
};
/* clang-format on */

bool flag_is_each(const struct flag *flag)
{
	return strcmp(flag->letter, FLAG_EACH) == 0;
}

bool flag_is_known(const struct flag *flag, const struct csc_generation *generation)
{
	return generation->release >= flag->since && generation->release <= flag->until;
}

void *flag_base(const struct flag *flag, struct csc_options *options, enum csc_allocator allocator)
{
	switch (flag->place) {
	case FLAG_IN_ALLOCATOR:
		return &options->allocators[allocator];
	case FLAG_IN_SETTINGS:
		return &options->allocators[allocator].settings;
	default:
		return options;
	}
}

const char *flag_unit(const struct flag *flag)
{
	switch (flag->kind) {
	case FLAG_KIB:
	case FLAG_MALLOC:
		return "KiB";
	case FLAG_MIB:
	case FLAG_UNUSED_MIB:
		return "MiB";
	case FLAG_NUMBER:
	case FLAG_PERCENT:
	case FLAG_ACUL:
	case FLAG_ACFUL:
	case FLAG_DIRTY:
		return "number";
	default:
		return "word";
	}
}

static const char *word_of(const struct flag *flag, const void *place)
{
	switch (flag->kind) {
	case FLAG_STRATEGY:
		return csc_strategy_name(*(const enum csc_strategy *)place);
	case FLAG_THREADS:
		return *(const enum csc_threading *)place == CSC_GLOBAL ? "false" : "true";
	default:
		return *(const bool *)place ? "true" : "false";
	}
}

void flag_print(const struct flag *flag, const void *base, char *text)
{
	const void *place = (const char *)base + flag->offset;
	const size_t room = 24;

	if (flag->kind == FLAG_DIRTY) {
		snprintf(text, room, "%" PRIu32, *(const uint32_t *)place);
	} else if (flag->kind == FLAG_POOL) {
		snprintf(text, room, "%c", *(const char *)place);
	} else if (flag->is_digit) {
		snprintf(text, room, "%d", *(const bool *)place);
	} else if (strcmp(flag_unit(flag), "word") == 0) {
		snprintf(text, room, "%s", word_of(flag, place));
	} else {
		snprintf(text, room, "%" PRIu64, *(const uint64_t *)place);
	}
}

bool flag_scan(const struct flag *flag, void *base, const char *value)
{
	void *place = (char *)base + flag->offset;
	bool is_true = strcmp(value, "true") == 0;

	if (flag->kind == FLAG_STRATEGY) {
		return csc_strategy_find(value, place);
	}
	if (flag->kind == FLAG_THREADS) {
		if (!is_true) {
			*(enum csc_threading *)place = CSC_GLOBAL;
		}
	} else if (flag->kind == FLAG_POOL) {
		/* An allocator that abandons nothing has no pool: what it would have stays. */
		if (strcmp(value, "undefined") != 0) {
			*(char *)place = value[0];
		}
	} else if (flag->kind == FLAG_DIRTY) {
		*(uint32_t *)place = (uint32_t)strtoull(value, NULL, 10);
	} else if (strcmp(flag_unit(flag), "word") == 0) {
		*(bool *)place = is_true || (flag->is_digit && strtoull(value, NULL, 10) != 0);
	} else {
		*(uint64_t *)place = strtoull(value, NULL, 10);
	}
	return true;
}

void flag_list(FILE *out)
{
	fputs("+M flags; <S> is an allocator's letter, or u for those of all:\n", out);
	for (const struct flag *flag = flag_table; flag->name; flag++) {
		char name[16];

		snprintf(name, sizeof(name), "+M%s%s", flag->letter, flag->name);
		fprintf(out, "  %-10s %-6s %s\n", name, flag_unit(flag), flag->meaning);
	}
}
