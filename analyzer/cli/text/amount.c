/*
 * SPDX-License-Identifier: MIT
 */
#include "amount.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t MOST_BYTES = UINT64_C(1) << 40;
enum { MOST_SECONDS = 366 * 86400 };

/* A number before its unit. */
static bool read_number(const char *text, unsigned long long *ret_number, const char **ret_unit)
{
	char *end;

	errno = 0;
	*ret_number = strtoull(text, &end, 10);
	*ret_unit = end;
	return !errno && end != text && !strchr(text, '-') && *ret_number > 0;
}

bool amount_bytes(const char *text, uint64_t *ret_bytes)
{
	static const char units[] = "KMG";
	unsigned long long bytes;
	const char *end;
	const char *unit;

	if (!read_number(text, &bytes, &end) || bytes > MOST_BYTES) {
		return false;
	}
	unit = *end ? strchr(units, *end & ~0x20) : NULL;
	if (*end && (!unit || !*unit || (end[1] && strcmp(end + 1, "iB") != 0))) {
		return false;
	}
	for (; unit && unit >= units; unit--) {
		bytes *= 1024;
	}
	*ret_bytes = bytes;
	return bytes <= MOST_BYTES;
}

bool amount_seconds(const char *text, unsigned int *ret_seconds)
{
	static const struct {
		char unit;
		unsigned int seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
	unsigned long long number;
	unsigned int each = 0;
	const char *end;

	if (!read_number(text, &number, &end) || (*end && end[1])) {
		return false;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		each = units[i].unit == (*end ? *end : 's') ? units[i].seconds : each;
	}
	if (each == 0 || number > MOST_SECONDS / each) {
		return false;
	}
	*ret_seconds = (unsigned int)number * each;
	return true;
}
