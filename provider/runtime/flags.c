/* SPDX-License-Identifier: MIT */
/* The runtime's `+M` flags. */
#include "flags.h"

#include <inttypes.h>
#include <string.h>

#include "flag_value.h"

/* The eight that `u` means. */
static const enum csc_allocator users[] = { CSC_BINARY, CSC_STD, CSC_ETS, CSC_EHEAP, CSC_LL,
	CSC_DRIVER, CSC_FIX, CSC_SL };
#define USERS ((int)(sizeof(users) / sizeof(users[0])))

static bool take_shared(struct flags *flags, const char *rest, bool *ret_is_known)
{
	struct csc_options *options = flags->options;

	*ret_is_known = true;
	if (flag_is(flags, "u", rest, "ycs")) {
		flags->ycs_value = flags->value;
		return flag_bytes(flags, KIB, &options->ycs);
	}
	if (flag_is(flags, "u", rest, "mmc")) {
		return flag_amount(flags, &options->mmc);
	}
	if (flag_is(flags, "u", rest, "sac")) {
		return flag_bool(flags, &options->sac);
	}
	if (options->generation->has_madtn && flag_is(flags, "u", rest, "madtn")) {
		return flag_bool(flags, &options->madtn);
	}
	*ret_is_known = false;
	return false;
}

static bool take_mseg(struct flags *flags, const char *rest, bool *ret_is_known)
{
	struct csc_options *options = flags->options;

	*ret_is_known = true;
	if (flag_is(flags, "M", rest, "amcbf")) {
		return flag_bytes(flags, KIB, &options->amcbf);
	}
	if (flag_is(flags, "M", rest, "rmcbf")) {
		return flag_amount(flags, &options->rmcbf);
	}
	if (flag_is(flags, "M", rest, "mcs")) {
		bool is_good = flag_amount(flags, &options->mcs);

		options->mcs = options->mcs > 30 ? 30 : options->mcs;
		return is_good;
	}
	if (flag_is(flags, "M", rest, "scrfsd")) {
		return flag_amount(flags, &options->scrfsd);
	}
	if (flag_is(flags, "M", rest, "scrpm")) {
		return flag_bool(flags, &options->scrpm);
	}
	if (flag_is(flags, "M", rest, "sco")) {
		return flag_bool(flags, &options->sco);
	}
	if (flag_is(flags, "M", rest, "scs")) {
		return flag_bytes(flags, MIB, &options->scs);
	}
	if (options->generation->tag_words > 1 && flag_is(flags, "M", rest, "lp")) {
		return flag_choice(flags, "on", "off", &options->has_large_pages);
	}
	*ret_is_known = false;
	return false;
}

/*
 * A number of KiB for mallopt(3), whose numbers are ints.
 * Source: OTP 25.2.3 takes up to 2097151, and what is as little once the bytes have wrapped.
 */
static bool take_malloc(struct flags *flags, uint64_t *ret)
{
	uint64_t count;
	uint64_t bytes;

	if (!flag_amount(flags, &count)) {
		return false;
	}
	bytes = count * KIB & csc_options_max(flags->options);
	if (bytes > INT32_MAX) {
		return flag_bad_value(flags, "a number from 0 to 2097151");
	}
	*ret = bytes;
	return true;
}

static bool take_sys(struct flags *flags, const char *rest, bool *ret_is_known)
{
	struct csc_options *options = flags->options;
	bool is_enabled;

	*ret_is_known = true;
	if (flag_is(flags, "Y", rest, "tt")) {
		return take_malloc(flags, &options->trim_threshold);
	}
	if (flag_is(flags, "Y", rest, "tp")) {
		return take_malloc(flags, &options->top_pad);
	}
	if (flag_is(flags, "Y", rest, "m")) {
		return strcmp(flags->value, "libc") == 0 || flag_bad_value(flags, "libc");
	}
	if (flag_is(flags, "Y", rest, "e")) {
		return flag_bool(flags, &is_enabled) &&
				(is_enabled || flag_bad_value(flags, "true"));
	}
	*ret_is_known = false;
	return false;
}

/* `+Mea`: the whole setup at once. */
static bool take_setup(struct flags *flags)
{
	bool is_min = strcmp(flags->value, "min") == 0;

	if (strcmp(flags->value, "config") == 0 && flags->options->generation->tag_words == 1) {
		flags->options->is_config = true;
		return true;
	}
	if (strcmp(flags->value, "r9c") == 0 || strcmp(flags->value, "r10b") == 0 ||
			strcmp(flags->value, "r11b") == 0) {
		/* Only a bad flag behind it is said first. */
		flags->old_setup = flags->value;
		return true;
	}
	if (!is_min && strcmp(flags->value, "max") != 0) {
		return DIAG_FALSE(flags->diag,
				"bad \"+Mea\" parameter: %s (it takes min, max or config)",
				flags->value);
	}
	for (int i = 0; i < USERS; i++) {
		flags->options->allocators[users[i]].is_enabled = !is_min;
	}
	return true;
}

static bool take_dirty(struct flags *flags)
{
	struct csc_options *options = flags->options;
	uint64_t count = flags->machine->dirty_schedulers;

	if (strcmp(flags->value, "max") != 0 &&
			!flag_count(flags, csc_options_max(options), &count)) {
		return false;
	}
	if (count > flags->machine->dirty_schedulers) {
		count = flags->machine->dirty_schedulers;
	}
	options->dirty_instances = (uint32_t)count;
	return true;
}

/* Flags that are not about one room. */
static bool take_global(struct flags *flags, const char *flag, bool *ret_is_known)
{
	bool has_extra_word = flags->options->generation->header_extra_words > 0;

	*ret_is_known = true;
	if (flag_is(flags, "", flag, "ea")) {
		return take_setup(flags);
	}
	if (flag_is(flags, "", flag, "lpm")) {
		return flag_choice(flags, "all", "no", &flags->options->is_locked);
	}
	if (has_extra_word && flag_is(flags, "", flag, "dai")) {
		return take_dirty(flags);
	}
	/* A trace of memory that older runtimes could write: accepted, and nothing else. */
	if (!has_extra_word && flag_is(flags, "", flag, "it")) {
		return true;
	}
	*ret_is_known = false;
	return false;
}

/* The flags of one allocator, named by its letter. */
static bool take_lettered(struct flags *flags, const char *flag)
{
	char letter[2] = { flag[0], 0 };

	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		enum csc_allocator allocator = (enum csc_allocator)i;

		if (csc_allocator_infos[i].letter == flag[0] &&
				csc_options_has(flags->options, allocator)) {
			return flag_allocator(flags, letter, flag + 1, &allocator, 1);
		}
	}
	return false;
}

/* One flag, without its +M. */
static bool take_flag(struct flags *flags, const char *flag)
{
	bool is_known = false;
	bool is_good = false;
	uint64_t ignored;

	switch (flag[0]) {
	case 'u':
		is_good = take_shared(flags, flag + 1, &is_known);
		return is_known ? is_good : flag_allocator(flags, "u", flag + 1, users, USERS);
	case 'M':
		return take_mseg(flags, flag + 1, &is_known);
	case 'Y':
		return take_sys(flags, flag + 1, &is_known);
	case 'I':
		if (flag_is(flags, "I", flag + 1, "scs")) {
			return flag_bytes(flags, MIB, &flags->options->literal_scs);
		}
		return take_lettered(flags, flag);
	case 'X':
		if (csc_options_has(flags->options, CSC_EXEC) &&
				flag_is(flags, "X", flag + 1, "scs")) {
			return flag_bytes(flags, MIB, &ignored);
		}
		return take_lettered(flags, flag);
	default:
		is_good = take_global(flags, flag, &is_known);
		return is_known ? is_good : take_lettered(flags, flag);
	}
}

/*
 * What the runtime refuses when it starts, with its own sentences.  More than addresses can name is
 * refused on any machine; what a machine refuses is seen when it is reserved.
 */
static bool check_super(const struct csc_options *options, struct diag *diag)
{
	const uint64_t most = UINT64_C(1) << (options->word_bytes == 8 ? 47 : 32);
	const uint64_t sizes[] = { options->scs, options->literal_scs };

	for (int i = 0; i < (options->word_bytes == 8 ? 2 : 1); i++) {
		if (sizes[i] >= most) {
			return DIAG_FALSE(diag,
					"erts_mmap: Failed to create super carrier of size %llu MB",
					(unsigned long long)(sizes[i] / MIB));
		}
		if (i == 0 && sizes[i] &&
				csc_options_descriptors_bytes(options, options->scrfsd) >=
						sizes[i]) {
			return DIAG_FALSE(
					diag, "erts_mmap: No space for segments in super carrier");
		}
	}
	return true;
}

/*
 * `+Muycs 0`, and what is so large that sizes rounded to it wrap: OTP 25.2.3 starts with it, and
 * dies of a signal when it writes into the first carrier that comes from sys_alloc.  Taken are
 * those with which at least carriers of up to 1 MiB are right. Source: experiment on OTP 25.2.3;
 * `tests/core/live/flags_live_test.sh`.
 */
static bool check_ycs(const struct flags *flags)
{
	const struct csc_options *options = flags->options;
	uint64_t most = (csc_options_max(options) - MIB + 1) / KIB;

	if (!flags->ycs_value || !options->sac ||
			(options->ycs > 0 && options->ycs <= most * KIB)) {
		return true;
	}
	return DIAG_FALSE(flags->diag,
			"bad \"+Muycs\" value: %s (it takes a number from 1 to %" PRIu64
			": with this one the sizes of carriers from sys_alloc are rounded to nothing, "
			"and the runtime crashes on it unless +Musac is false)",
			flags->ycs_value, most);
}

bool flags_take(struct csc_options *options, const struct flags_machine *machine, int count,
		char *const *arguments, struct diag *diag)
{
	struct flags flags = {
		.options = options,
		.machine = machine,
		.diag = diag,
		.left = count,
		.next = arguments,
	};

	while (flags.left > 0) {
		const char *argument = *flags.next++;

		flags.left--;
		if (strcmp(argument, "--") == 0) {
			break;
		}
		if (strncmp(argument, "+M", 2) != 0 && strncmp(argument, "-M", 2) != 0) {
			return DIAG_FALSE(diag, "'%s' is no +M flag", argument);
		}
		/* What no room knows has no sentence yet. */
		if (!take_flag(&flags, argument + 2)) {
			return flag_bad(diag, argument);
		}
	}
	if (flags.old_setup) {
		return DIAG_FALSE(diag,
				"bad \"+Mea\" parameter: %s (it takes min, max or config; with the "
				"defaults of old releases an emulator of these generations "
				"crashes at its start)",
				flags.old_setup);
	}
	csc_options_settle(options);
	return check_super(options, diag) && check_ycs(&flags);
}
