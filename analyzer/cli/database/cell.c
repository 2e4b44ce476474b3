/*
 * SPDX-License-Identifier: MIT
 *
 * Sizes, moments as ISO 8601, shares as percent.
 */
#include "cell.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scaled_bytes.h"
#include "visible.h"

static const int64_t ns_per_s = 1000000000;

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text);
	size_t end_length = strlen(end);

	return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static bool is_moment(const char *column)
{
	return ends_with(column, "ts_ns") || ends_with(column, "begin_ns") ||
			ends_with(column, "end_ns") || ends_with(column, "as_of_ns") ||
			strcmp(column, "time") == 0 || strncmp(column, "when", 4) == 0;
}

enum cell_kind cell_kind_of(const char *unit, const char *column)
{
	static const char *const units[] = {
		[CELL_BYTES] = "bytes",
		[CELL_RATIO] = "ratio",
		[CELL_TEXT] = "text",
		[CELL_ADDRESS] = "address",
		[CELL_TENTHS] = "percent",
		[CELL_HUNDREDTHS] = "MiB",
		[CELL_THOUSANDTHS] = "s",
	};

	if (!unit) {
		unit = ends_with(column, "_bytes") ? "bytes" : ends_with(column, "_ns") ? "ns" : "";
	}

	if (strcmp(unit, "ns") == 0) {
		return is_moment(column) ? CELL_MOMENT : CELL_DURATION;
	}

	if (strcmp(unit, "words") == 0) {
		return CELL_TEXT;
	}

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (units[i] && strcmp(unit, units[i]) == 0) {
			return (enum cell_kind)i;
		}
	}

	return CELL_PLAIN;
}

static int write_moment(char **text, int64_t ns)
{
	int64_t rest = ns % ns_per_s;
	time_t seconds = (time_t)(ns / ns_per_s - (rest < 0));
	struct tm parts;
	char day[64];

	if (!gmtime_r(&seconds, &parts) ||
			strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &parts) == 0) {
		return asprintf(text, "%" PRId64, ns);
	}

	return asprintf(text, "%s.%09" PRId64 "Z", day, rest < 0 ? rest + ns_per_s : rest);
}

static int write_duration(char **text, double ns)
{
	double size = fabs(ns);

	if (size < 1e3) {
		return asprintf(text, "%.0f ns", ns);
	}

	if (size < 1e6) {
		return asprintf(text, "%.2f us", ns / 1e3);
	}

	if (size < 1e9) {
		return asprintf(text, "%.2f ms", ns / 1e6);
	}

	if (size < 600e9) {
		return asprintf(text, "%.3f s", ns / 1e9);
	}

	return asprintf(text, "%.0f:%02.0f:%02.0f h", floor(ns / 3600e9),
			floor(fmod(ns, 3600e9) / 60e9), floor(fmod(ns, 60e9) / 1e9));
}

/* Control characters of a database that is not ours must not reach a terminal. */
static int write_text(char **text, const char *value)
{
	*text = visible_copy(value, VISIBLE_CELL);
	return *text ? 0 : -1;
}

char *cell_write(sqlite3_stmt *row, int column, enum cell_kind kind, bool has_raw_bytes)
{
	int type = sqlite3_column_type(row, column);
	double real = sqlite3_column_double(row, column);
	int64_t integer = sqlite3_column_int64(row, column);
	bool is_number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
	const char *value = (const char *)sqlite3_column_text(row, column);
	char *text = NULL;
	int written;

	if (type == SQLITE_NULL) {
		return strdup("-");
	}

	if (!value) {
		return NULL;
	}

	if (kind == CELL_BYTES && is_number && !has_raw_bytes) {
		return scaled_bytes(real);
	} else if (kind == CELL_MOMENT && type == SQLITE_INTEGER) {
		written = write_moment(&text, integer);
	} else if (kind == CELL_DURATION && is_number) {
		written = write_duration(&text, real);
	} else if (kind == CELL_RATIO && is_number) {
		written = asprintf(&text, "%.1f %%", 100 * real);
	} else if (kind == CELL_ADDRESS && type == SQLITE_INTEGER) {
		written = asprintf(&text, "0x%" PRIx64, (uint64_t)integer);
	} else if (kind == CELL_TENTHS && is_number) {
		written = asprintf(&text, "%.1f", real);
	} else if (kind == CELL_HUNDREDTHS && is_number) {
		written = asprintf(&text, "%.2f", real);
	} else if (kind == CELL_THOUSANDTHS && is_number) {
		written = asprintf(&text, "%.3f", real);
	} else {
		written = write_text(&text, value);
	}

	return written < 0 ? NULL : text;
}

int cell_width(const char *text)
{
	int width = 0;

	for (; *text; text++) {
		width += ((unsigned char)*text & 0xc0) != 0x80;
	}

	return width;
}
