/* SPDX-License-Identifier: MIT */
/* What the kinds of flags read and keep. */
#include "flag_value.h"

#include <string.h>

/* `acul` and `acful`: a percentage, or the default of the allocator less `lower`. */
static enum csc_status take_limit(
		struct flags *flags, enum csc_allocator allocator, uint64_t lower, uint64_t *ret)
{
	uint64_t value;

	if (strcmp(flags->value, "de") == 0) {
		*ret = csc_allocator_infos[allocator].acul - lower;
		return CSC_OK;
	}
	if (flag_amount(flags, &value) != CSC_OK || value > 100) {
		*flags->diag = (struct diag){ .file = NULL };
		return flag_bad_value(flags, "a percentage from 0 to 100, or de");
	}
	*ret = value;
	return CSC_OK;
}

static enum csc_status take_strategy(struct flags *flags, enum csc_allocator allocator)
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
	return CSC_OK;
}

static enum csc_status take_threads(struct flags *flags, enum csc_allocator allocator)
{
	struct csc_allocator_options *own = &flags->options->allocators[allocator];
	bool has_threads;

	if (flag_bool(flags, &has_threads) != CSC_OK) {
		return CSC_ERROR;
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
	return CSC_OK;
}

static enum csc_status take_pool(struct flags *flags, enum csc_allocator allocator)
{
	const char *value = flags->value;

	if (!*value || value[1] || !strchr("BDEFHLRS@:", *value)) {
		return flag_bad_value(flags, "B, D, E, F, H, L, R, S, @ or :");
	}
	flags->options->allocators[allocator].pool = *value;
	if (*value == ':') {
		flags->options->allocators[allocator].pool = csc_allocator_infos[allocator].letter;
	}
	return CSC_OK;
}

static enum csc_status take_enabled(struct flags *flags, enum csc_allocator allocator)
{
	bool is_enabled;

	if (flag_bool(flags, &is_enabled) != CSC_OK) {
		return CSC_ERROR;
	}
	if (!is_enabled && !csc_allocator_infos[allocator].can_be_disabled) {
		return flag_bad_value(flags, "true: this allocator cannot be disabled");
	}
	flags->options->allocators[allocator].is_enabled = is_enabled;
	return CSC_OK;
}

/* `atags`: emulators whose tags are two words know `code` too; it is as large as true. */
static enum csc_status take_tags(struct flags *flags, bool *ret_has_tags)
{
	if (flags->options->generation->tag_words == 1) {
		return flag_bool(flags, ret_has_tags);
	}
	if (strcmp(flags->value, "code") == 0) {
		*ret_has_tags = true;
		return CSC_OK;
	}
	return flag_bool(flags, ret_has_tags);
}

/*
 * A number of KiB for mallopt(3), whose numbers are ints.
 * Source: OTP 25.2.3 takes up to 2097151, and what is as little once the bytes have wrapped.
 */
static enum csc_status take_malloc(struct flags *flags, uint64_t *ret)
{
	uint64_t count;
	uint64_t bytes;

	if (flag_amount(flags, &count) != CSC_OK) {
		return CSC_ERROR;
	}
	bytes = count * KIB & csc_options_max(flags->options);
	if (bytes > INT32_MAX) {
		return flag_bad_value(flags, "a number from 0 to 2097151");
	}
	*ret = bytes;
	return CSC_OK;
}

/* `+Mea`: the whole setup at once. */
static enum csc_status take_setup(struct flags *flags)
{
	bool is_min = strcmp(flags->value, "min") == 0;

	if (strcmp(flags->value, "config") == 0 && flags->options->generation->tag_words == 1) {
		flags->options->is_config = true;
		return CSC_OK;
	}
	if (strcmp(flags->value, "r9c") == 0 || strcmp(flags->value, "r10b") == 0 ||
			strcmp(flags->value, "r11b") == 0) {
		/* Only a bad flag behind it is said first. */
		flags->old_setup = flags->value;
		return CSC_OK;
	}
	if (!is_min && strcmp(flags->value, "max") != 0) {
		return DIAG_FAIL(flags->diag,
				"bad \"+Mea\" parameter: %s (it takes min, max or config)",
				flags->value);
	}
	for (int i = 0; i < CSC_USERS; i++) {
		flags->options->allocators[csc_users[i]].is_enabled = !is_min;
	}
	return CSC_OK;
}

static enum csc_status take_dirty(struct flags *flags)
{
	struct csc_options *options = flags->options;
	uint64_t count = flags->machine->dirty_schedulers;

	if (strcmp(flags->value, "max") != 0 &&
			flag_count(flags, csc_options_max(options), &count) != CSC_OK) {
		return CSC_ERROR;
	}
	if (count > flags->machine->dirty_schedulers) {
		count = flags->machine->dirty_schedulers;
	}
	options->dirty_instances = (uint32_t)count;
	return CSC_OK;
}

static enum csc_status take_number(struct flags *flags, const struct flag *flag, uint64_t *place)
{
	enum csc_status status = flag_amount(flags, place);

	*place = *place > flag->max ? flag->max : *place;
	*place = *place < flag->min ? flag->min : *place;
	return status;
}

/* Flags of which one word is kept, or none. */
static enum csc_status store_word(struct flags *flags, const struct flag *flag, bool *place)
{
	bool is_true = false;

	switch (flag->kind) {
	case FLAG_ON:
		return flag_choice(flags, "on", "off", place);
	case FLAG_ALL:
		return flag_choice(flags, "all", "no", place);
	case FLAG_TAGS:
		return take_tags(flags, place);
	case FLAG_LIBC:
		return strcmp(flags->value, "libc") == 0 ? CSC_OK : flag_bad_value(flags, "libc");
	case FLAG_TRUE:
		if (flag_bool(flags, &is_true) != CSC_OK) {
			return CSC_ERROR;
		}
		return is_true ? CSC_OK : flag_bad_value(flags, "true");
	case FLAG_SETUP:
		return take_setup(flags);
	case FLAG_UNUSED:
		return CSC_OK;
	default:
		return flag_bool(flags, place);
	}
}

static enum csc_status store_number(struct flags *flags, const struct flag *flag,
		enum csc_allocator allocator, uint64_t *place)
{
	uint64_t unused;

	switch (flag->kind) {
	case FLAG_KIB:
		return flag_bytes(flags, KIB, place);
	case FLAG_MIB:
		return flag_bytes(flags, MIB, place);
	case FLAG_UNUSED_MIB:
		return flag_bytes(flags, MIB, &unused);
	case FLAG_MALLOC:
		return take_malloc(flags, place);
	case FLAG_ACUL:
		return take_limit(flags, allocator, 0, place);
	case FLAG_ACFUL:
		return take_limit(flags, allocator, 20, place);
	case FLAG_DIRTY:
		return take_dirty(flags);
	default:
		return take_number(flags, flag, place);
	}
}

enum csc_status flag_store(
		struct flags *flags, const struct flag *flag, enum csc_allocator allocator)
{
	struct csc_options *options = flags->options;
	void *place = (char *)flag_base(flag, options, allocator) + flag->offset;
	struct csc_allocator_options *own = &options->allocators[allocator];

	switch (flag->kind) {
	case FLAG_ENABLED:
		return take_enabled(flags, allocator);
	case FLAG_THREADS:
		return take_threads(flags, allocator);
	case FLAG_STRATEGY:
		return take_strategy(flags, allocator);
	case FLAG_POOL:
		return take_pool(flags, allocator);
	default:
		break;
	}
	if (strcmp(flag_unit(flag), "word") == 0) {
		return store_word(flags, flag, place);
	}
	own->has_mmbcs |= place == &own->settings.mmbcs;
	own->has_lmbcs |= place == &own->settings.lmbcs;
	own->has_smbcs |= place == &own->settings.smbcs;
	return store_number(flags, flag, allocator, place);
}
