/*
 * SPDX-License-Identifier: MIT
 */
#include "answer_interval.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

char *answer_interval(sqlite3_stmt *row, int column, const char *per)
{
	static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	bool has_low = sqlite3_column_type(row, column) != SQLITE_NULL;
	bool has_likely = sqlite3_column_type(row, column + 1) != SQLITE_NULL;
	bool has_high = sqlite3_column_type(row, column + 2) != SQLITE_NULL;
	double low = sqlite3_column_double(row, column);
	double high = sqlite3_column_double(row, column + 2);
	double likely = has_likely ? sqlite3_column_double(row, column + 1) : has_high ? high : low;
	double unit = 1;
	size_t at = 0;
	char *first;
	char *second;
	char *text;
	int digits;

	while (likely / unit >= 1024 && at + 1 < sizeof(names) / sizeof(names[0])) {
		unit *= 1024;
		at++;
	}
	digits = at > 0;
	if (has_low && has_high) {
		first = sqlite3_mprintf("%.*f", digits, low / unit);
		second = sqlite3_mprintf("%.*f", digits, high / unit);
		text = first && second && strcmp(first, second) == 0
				? sqlite3_mprintf("%s %s%s", first, names[at], per)
				: sqlite3_mprintf("%s to %s %s%s", first, second, names[at], per);
		sqlite3_free(first);
		sqlite3_free(second);
		return text;
	}
	/* No end says anything. */
	if (!has_likely && !has_high && low <= 0) {
		return NULL;
	}
	/* Without an upper end, and far from the lower, what was recorded last is no estimate. */
	if (has_low && has_likely && low < likely / 2) {
		return sqlite3_mprintf("perhaps %.*f %s%s", digits, likely / unit, names[at], per);
	}
	return sqlite3_mprintf("%s %.*f %s%s",
			has_low			   ? "at least"
					: has_high ? "at most"
						   : "about",
			digits, (has_low ? low : likely) / unit, names[at], per);
}

char *answer_gain(sqlite3_stmt *row, int column)
{
	char *amount = answer_interval(row, column, "");
	char *rate = answer_interval(row, column + 3, "/s");
	bool has_ended = sqlite3_column_type(row, column + 6) != SQLITE_NULL &&
			sqlite3_column_int(row, column + 6) == 0;
	char *text = sqlite3_mprintf("%s%s%s", amount ? amount : "?",
			rate			    ? ", "
					: has_ended ? ", ended"
						    : "",
			rate ? rate : "");

	sqlite3_free(rate);
	sqlite3_free(amount);
	return text;
}
