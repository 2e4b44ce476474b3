/*
 * SPDX-License-Identifier: MIT
 *
 * Powers of 1024.
 */
#include "scaled_bytes.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

char *scaled_bytes(double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t unit = 0;
	char *text;

	while (fabs(bytes) >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		bytes /= 1024;
		unit++;
	}

	return asprintf(&text, unit == 0 ? "%.0f %s" : "%.2f %s", bytes, units[unit]) < 0 ? NULL
											  : text;
}
