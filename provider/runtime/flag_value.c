/* SPDX-License-Identifier: MIT */
/* The value of a `+M` flag. */
#include "flag_value.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The eight that `u` means. */
const enum csc_allocator csc_users[CSC_USERS] = { CSC_BINARY, CSC_STD, CSC_ETS, CSC_EHEAP, CSC_LL,
	CSC_DRIVER, CSC_FIX, CSC_SL };

enum csc_status flag_bad_value(const struct flags *flags, const char *what)
{
	return DIAG_FAIL(flags->diag, "bad \"%s\" value: %s (it takes %s)", flags->name,
			flags->value, what);
}

enum csc_status flag_bad(struct diag *diag, const char *flag)
{
	return DIAG_FAIL(diag, "bad \"%s\" parameter", flag);
}

enum csc_status flag_refused(const struct flags *flags, const char *allocator)
{
	return DIAG_FAIL(flags->diag, "bad \"%s\" parameter: not for %s", flags->name, allocator);
}

void flag_take_value(struct flags *flags, const char *rest)
{
	flags->value = rest;
	if (!*flags->value && flags->left > 0) {
		flags->value = *flags->next++;
		flags->left--;
	}
}

/*
 * As strtol(3) reads a number on the target: blanks and a sign may stand before it.  False: none,
 * one below 0, or more than a signed word holds.
 */
static bool read_number(const char *text, uint64_t most, uint64_t *ret)
{
	uint64_t value = 0;
	bool is_negative;

	while (isspace((unsigned char)*text)) {
		text++;
	}
	is_negative = *text == '-';
	text += *text == '-' || *text == '+';
	if (!isdigit((unsigned char)*text)) {
		return false;
	}
	for (; isdigit((unsigned char)*text); text++) {
		uint64_t add = (uint64_t)(*text - '0');

		if (value > (most - add) / 10) {
			return false;
		}
		value = value * 10 + add;
	}
	*ret = value;
	return !is_negative || !value;
}

enum csc_status flag_count(struct flags *flags, uint64_t max, uint64_t *ret)
{
	uint64_t most = csc_options_max(flags->options) / 2;
	uint64_t value;
	char what[64];

	if (!read_number(flags->value, most, &value) || value > max) {
		snprintf(what, sizeof(what), "a number from 0 to %" PRIu64,
				max < most ? max : most);
		return flag_bad_value(flags, what);
	}
	*ret = value;
	return CSC_OK;
}

enum csc_status flag_bytes(struct flags *flags, uint64_t unit, uint64_t *ret)
{
	uint64_t most = csc_options_max(flags->options);
	uint64_t value;

	if (flag_count(flags, most / unit + (unit > 1), &value) != CSC_OK) {
		return CSC_ERROR;
	}
	*ret = unit > 1 && value > most / unit ? most : value * unit;
	return CSC_OK;
}

enum csc_status flag_amount(struct flags *flags, uint64_t *ret)
{
	return flag_count(flags, csc_options_max(flags->options), ret);
}

enum csc_status flag_choice(struct flags *flags, const char *yes, const char *no, bool *ret)
{
	char what[64];

	if (strcmp(flags->value, yes) != 0 && strcmp(flags->value, no) != 0) {
		snprintf(what, sizeof(what), "%s or %s", yes, no);
		return flag_bad_value(flags, what);
	}
	*ret = strcmp(flags->value, yes) == 0;
	return CSC_OK;
}

enum csc_status flag_bool(struct flags *flags, bool *ret)
{
	return flag_choice(flags, "true", "false", ret);
}
