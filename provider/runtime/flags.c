/* SPDX-License-Identifier: MIT */
/* The runtime's `+M` flags. */
#include "flags.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "flag_value.h"

/* The part of a flag behind the letter of a row's flags; NULL: they have another letter. */
static const char *behind_letter(
		const struct flags *flags, const struct flag *flag, const char *text)
{
	if (!*flag->letter) {
		return text;
	}
	if (!flag_is_each(flag)) {
		return text[0] == flag->letter[0] ? text + 1 : NULL;
	}
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		if (csc_allocator_infos[i].letter == text[0] &&
				csc_options_has(flags->options, (enum csc_allocator)i)) {
			return text + 1;
		}
	}
	return text[0] == 'u' ? text + 1 : NULL;
}

/* The longest name with which `text`, a flag without its +M, begins; NULL: there is none. */
static const struct flag *find_flag(
		const struct flags *flags, const char *text, const char **ret_rest)
{
	const struct flag *found = NULL;

	*ret_rest = text;
	for (const struct flag *flag = flag_table; flag->name; flag++) {
		const char *rest = behind_letter(flags, flag, text);
		size_t length = strlen(flag->name);

		if (rest && strncmp(rest, flag->name, length) == 0 && rest + length > *ret_rest &&
				flag_is_known(flag, flags->options->generation)) {
			found = flag;
			*ret_rest = rest + length;
		}
	}
	return found;
}

static enum csc_status store_for(
		struct flags *flags, const struct flag *flag, enum csc_allocator allocator)
{
	const struct csc_allocator_info *info = &csc_allocator_infos[allocator];

	if (flag->is_migration && !info->can_migrate) {
		return flag_refused(flags, info->name);
	}
	return flag_store(flags, flag, allocator);
}

/* One flag, without its +M; an error without a sentence: there is no such flag. */
static enum csc_status take_flag(struct flags *flags, const char *text)
{
	const char *rest;
	const struct flag *flag = find_flag(flags, text, &rest);
	enum csc_status status = CSC_OK;

	if (!flag) {
		return CSC_ERROR;
	}
	snprintf(flags->name, sizeof(flags->name), "+M%.*s", (int)(rest - text), text);
	flag_take_value(flags, rest);
	if (strcmp(flag->name, "ycs") == 0) {
		flags->ycs_value = flags->value;
	}
	if (!flag_is_each(flag)) {
		return flag_store(flags, flag, CSC_TEMP);
	}
	for (int i = 0; text[0] == 'u' && i < CSC_USERS && status == CSC_OK; i++) {
		status = store_for(flags, flag, csc_users[i]);
	}
	for (int i = 0; i < CSC_ALLOCATORS && status == CSC_OK; i++) {
		if (csc_allocator_infos[i].letter == text[0] &&
				csc_options_has(flags->options, (enum csc_allocator)i)) {
			status = store_for(flags, flag, (enum csc_allocator)i);
		}
	}
	return status;
}

/*
 * What the runtime refuses when it starts, with its own sentences.  More than addresses can name is
 * refused on any machine; what a machine refuses is seen when it is reserved.
 */
static enum csc_status check_super(const struct csc_options *options, struct diag *diag)
{
	const uint64_t most = UINT64_C(1) << (options->word_bytes == 8 ? 47 : 32);
	const uint64_t sizes[] = { options->scs, options->literal_scs };

	for (int i = 0; i < (options->word_bytes == 8 ? 2 : 1); i++) {
		if (sizes[i] >= most) {
			return DIAG_FAIL(diag,
					"erts_mmap: Failed to create super carrier of size %llu MB",
					(unsigned long long)(sizes[i] / MIB));
		}
		if (i == 0 && sizes[i] &&
				csc_options_descriptors_bytes(options, options->scrfsd) >=
						sizes[i]) {
			return DIAG_FAIL(diag, "erts_mmap: No space for segments in super carrier");
		}
	}
	return CSC_OK;
}

/*
 * `+Muycs 0`, and what is so large that sizes rounded to it wrap: OTP 25.2.3 starts with it, and
 * dies of a signal when it writes into the first carrier that comes from sys_alloc.  Taken are
 * those with which at least carriers of up to 1 MiB are right. Source: experiment on OTP 25.2.3;
 * `tests/core/live/flags_live_test.sh`.
 */
static enum csc_status check_ycs(const struct flags *flags)
{
	const struct csc_options *options = flags->options;
	uint64_t most = (csc_options_max(options) - MIB + 1) / KIB;

	if (!flags->ycs_value || !options->sac ||
			(options->ycs > 0 && options->ycs <= most * KIB)) {
		return CSC_OK;
	}
	return DIAG_FAIL(flags->diag,
			"bad \"+Muycs\" value: %s (it takes a number from 1 to %" PRIu64
			": with this one the sizes of carriers from sys_alloc are rounded to nothing, "
			"and the runtime crashes on it unless +Musac is false)",
			flags->ycs_value, most);
}

enum csc_status flags_take(struct csc_options *options, const struct flags_machine *machine,
		int count, char *const *arguments, struct diag *diag)
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
			return DIAG_FAIL(diag, "'%s' is not a +M flag", argument);
		}
		/* What no room knows has no sentence yet. */
		if (take_flag(&flags, argument + 2) != CSC_OK) {
			return flag_bad(diag, argument);
		}
	}
	if (flags.old_setup) {
		return DIAG_FAIL(diag,
				"bad \"+Mea\" parameter: %s (it takes min, max or config; with the "
				"defaults of old releases an emulator of these generations "
				"crashes at its start)",
				flags.old_setup);
	}
	csc_options_settle(options);
	if (check_super(options, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	return check_ycs(&flags);
}
