/* SPDX-License-Identifier: MIT */
/* `+M` flags of single allocators. */
#include "flag_value.h"

#include <stddef.h>
#include <string.h>

/* `acul` and `acful`: a percentage, or the default of the allocator less `lower`. */
static bool take_limit(
		struct flags *flags, enum csc_allocator allocator, uint64_t lower, uint64_t *ret)
{
	uint64_t value;

	if (strcmp(flags->value, "de") == 0) {
		*ret = csc_allocator_infos[allocator].acul - lower;
		return true;
	}
	if (!flag_amount(flags, &value) || value > 100) {
		*flags->diag = (struct diag){ .file = NULL };
		return flag_bad_value(flags, "a percentage from 0 to 100, or de");
	}
	*ret = value;
	return true;
}

static bool take_strategy(struct flags *flags, enum csc_allocator allocator)
{
	struct csc_settings *settings = &flags->options->allocators[allocator].settings;

	if (!csc_strategy_find(flags->value, &settings->strategy)) {
		return flag_bad_value(flags,
				"bf, aobf, gf, af, aoff, aoffcbf, aoffcaobf, ageffcaoff, "
				"ageffcbf or ageffcaobf");
	}
	if (!csc_strategy_is_first_fit(settings->strategy)) {
		csc_options_forbid_migration(flags->options, allocator);
	}
	return true;
}

static bool take_threads(struct flags *flags, enum csc_allocator allocator)
{
	struct csc_allocator_options *own = &flags->options->allocators[allocator];
	bool has_threads;

	if (!flag_bool(flags, &has_threads)) {
		return false;
	}
	if (has_threads && !csc_allocator_infos[allocator].can_have_threads) {
		return flag_bad_value(flags, "false: this allocator has one instance");
	}
	if (!has_threads) {
		csc_options_forbid_migration(flags->options, allocator);
		own->threading = CSC_GLOBAL;
	} else {
		own->threading = allocator == CSC_TEMP ? CSC_SPECIFIC : CSC_PREFERRED;
	}
	return true;
}

static bool take_pool(struct flags *flags, enum csc_allocator allocator)
{
	const char *value = flags->value;

	if (!*value || value[1] || !strchr("BDEFHLRS@:", *value)) {
		return flag_bad_value(flags, "B, D, E, F, H, L, R, S, @ or :");
	}
	flags->options->allocators[allocator].pool = *value;
	if (*value == ':') {
		flags->options->allocators[allocator].pool = csc_allocator_infos[allocator].letter;
	}
	return true;
}

static bool take_enabled(struct flags *flags, enum csc_allocator allocator)
{
	bool is_enabled;

	if (!flag_bool(flags, &is_enabled)) {
		return false;
	}
	if (!is_enabled && !csc_allocator_infos[allocator].can_be_disabled) {
		return flag_bad_value(flags, "true: this allocator cannot be disabled");
	}
	flags->options->allocators[allocator].is_enabled = is_enabled;
	return true;
}

/* How the value of a parameter is read. */
enum reading {
	READ_ENABLED,
	READ_THREADS,
	READ_STRATEGY,
	READ_POOL,
	READ_ACUL,
	READ_ACFUL,
	READ_BOOL,
	READ_TAGS,
	READ_KIB,
	READ_BYTES,
	READ_AMOUNT,
	READ_SHARE,
};

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): in the order of the reader. */
struct parameter {
	const char *name;
	enum reading reading;

	/* In struct csc_settings, of a uint64_t or bool. */
	size_t offset;

	/* Only for allocators whose carriers may migrate. */
	bool is_migration;

	/* The generation must have: an extra word in carriers, pools by type. */
	bool needs_extra_word;
	bool needs_pools;
};

#define IN(member) offsetof(struct csc_settings, member)

/* Longer names before those they begin with. */
static const struct parameter parameters[] = {
	{ "asbcst", READ_KIB, IN(asbcst), false, false, false },
	{ "as", READ_STRATEGY, 0, false, false, false },
	{ "atags", READ_TAGS, IN(atags), false, false, false },
	{ "acul", READ_ACUL, IN(acul), true, false, false },
	{ "acful", READ_ACFUL, IN(acful), true, true, false },
	{ "acnl", READ_AMOUNT, IN(acnl), true, false, false },
	{ "acfml", READ_BYTES, IN(acfml), true, false, false },
	{ "cp", READ_POOL, 0, true, false, true },
	{ "e", READ_ENABLED, 0, false, false, false },
	{ "lmbcs", READ_KIB, IN(lmbcs), false, false, false },
	{ "mbcgs", READ_AMOUNT, IN(mbcgs), false, false, false },
	{ "mbsd", READ_AMOUNT, IN(mbsd), false, false, false },
	{ "mmbcs", READ_KIB, IN(mmbcs), false, false, false },
	{ "mmmbc", READ_AMOUNT, IN(mmmbc), false, false, false },
	{ "mmsbc", READ_AMOUNT, IN(mmsbc), false, false, false },
	{ "ramv", READ_BOOL, IN(ramv), false, false, false },
	{ "rmbcmt", READ_SHARE, IN(rmbcmt), false, false, false },
	{ "rsbcmt", READ_SHARE, IN(rsbcmt), false, false, false },
	{ "rsbcst", READ_SHARE, IN(rsbcst), false, false, false },
	{ "sbct", READ_KIB, IN(sbct), false, false, false },
	{ "smbcs", READ_KIB, IN(smbcs), false, false, false },
	{ "t", READ_THREADS, 0, false, false, false },
	{ NULL, READ_BOOL, 0, false, false, false },
};

/* `atags`: emulators whose tags are two words know `code` too; it is as large as true. */
static bool take_tags(struct flags *flags, bool *ret_has_tags)
{
	if (flags->options->generation->tag_words == 1) {
		return flag_bool(flags, ret_has_tags);
	}
	if (strcmp(flags->value, "code") == 0) {
		*ret_has_tags = true;
		return true;
	}
	return flag_bool(flags, ret_has_tags);
}

/* The value is known; stores it for one allocator. */
static bool store(struct flags *flags, const struct parameter *parameter,
		enum csc_allocator allocator)
{
	struct csc_allocator_options *own = &flags->options->allocators[allocator];
	void *place = (char *)&own->settings + parameter->offset;
	bool is_good = true;

	switch (parameter->reading) {
	case READ_ENABLED:
		return take_enabled(flags, allocator);
	case READ_THREADS:
		return take_threads(flags, allocator);
	case READ_STRATEGY:
		return take_strategy(flags, allocator);
	case READ_POOL:
		return take_pool(flags, allocator);
	case READ_ACUL:
		return take_limit(flags, allocator, 0, place);
	case READ_ACFUL:
		return take_limit(flags, allocator, 20, place);
	case READ_TAGS:
		return take_tags(flags, place);
	case READ_BOOL:
		return flag_bool(flags, place);
	case READ_KIB:
		is_good = flag_bytes(flags, KIB, place);
		break;
	case READ_BYTES:
		return flag_bytes(flags, 1, place);
	case READ_AMOUNT:
		is_good = flag_amount(flags, place);
		break;
	case READ_SHARE:
		return flag_share(flags, place);
	}
	own->has_mmbcs |= parameter->offset == IN(mmbcs);
	own->has_lmbcs |= parameter->offset == IN(lmbcs);
	own->has_smbcs |= parameter->offset == IN(smbcs);
	if (own->settings.mbcgs < 1) {
		own->settings.mbcgs = 1;
	}
	if (own->settings.mbsd < 1) {
		own->settings.mbsd = 1;
	}
	return is_good;
}

/* `+M<letter><parameter>` of one allocator, or of the eight that `u` means. */
bool flag_allocator(struct flags *flags, const char *letter, const char *rest,
		const enum csc_allocator *allocators, int count)
{
	const struct csc_generation *generation = flags->options->generation;

	for (const struct parameter *i = parameters; i->name; i++) {
		if ((i->needs_extra_word && !generation->header_extra_words) ||
				(i->needs_pools && generation->has_common_pool) ||
				!flag_is(flags, letter, rest, i->name)) {
			continue;
		}
		for (int k = 0; k < count; k++) {
			const struct csc_allocator_info *info = &csc_allocator_infos[allocators[k]];

			if (i->is_migration && !info->can_migrate) {
				return flag_refused(flags, info->name);
			}
			if (!store(flags, i, allocators[k])) {
				return false;
			}
		}
		return true;
	}
	return false;
}
