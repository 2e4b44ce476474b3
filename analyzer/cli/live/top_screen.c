/*
 * SPDX-License-Identifier: MIT
 */
#include "top_screen.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

#include "scaled_bytes.h"
#include "visible.h"

enum { LEAST_COLUMNS = 80, MOST_COLUMNS = 160, CELL = 16, LINE = 1024, MOST_MARKS = 2 };

struct page {
	FILE *stream;
	const struct top_screen *screen;
	int lines;
};

/* Columns of a character; -1: not to be shown as it is.  What joins characters or changes how wide
 * another one is takes as many columns as a terminal likes. */
static int columns_of_code(unsigned int code)
{
	return code == 0x200d || (code >= 0xfe00 && code <= 0xfe0f) ||
					(code >= 0x1f3fb && code <= 0x1f3ff)
			? -1
			: wcwidth((wchar_t)code);
}

/* A text that may be shown, in at most `most` columns; the caller frees it.  NULL: out of memory.
 * *ret_left: how many columns fewer it has.  Control characters are written out; what the locale
 * does not have is '?', and so is a mark beyond MOST_MARKS on one character, or on none. */
static char *shown_of(const struct top_screen *screen, const char *text, int most, int *ret_left)
{
	char *visible = visible_copy(text, VISIBLE_CELL);
	size_t bytes = 0;
	size_t written = 0;
	int marks = MOST_MARKS;

	while (visible && visible[bytes]) {
		unsigned int code;
		size_t length;
		int columns;

		(void)visible_hidden(visible + bytes, &code, &length);
		columns = code < 0x80 ? 1 : screen->is_utf8 ? columns_of_code(code) : -1;
		marks = columns == 0 ? marks + 1 : 0;
		if (columns < 0 || marks > MOST_MARKS) {
			columns = 1;
			visible[bytes + length - 1] = '?';
			bytes += length - 1;
			length = 1;
		}
		if (columns > most) {
			break;
		}
		memmove(visible + written, visible + bytes, length);
		written += length;
		bytes += length;
		most -= columns;
	}

	if (visible) {
		visible[written] = '\0';
	}
	*ret_left = most;
	return visible;
}

/* One line, cut to the terminal's width; nothing once the terminal is full. */
static void put_line(struct page *page, bool is_bold, const char *format, ...)
		__attribute__((format(printf, 3, 4)));
static void put_line(struct page *page, bool is_bold, const char *format, ...)
{
	const struct top_screen *screen = page->screen;
	char line[LINE];
	char *shown;
	int left;
	va_list arguments;

	if (screen->rows > 0 && page->lines >= screen->rows) {
		return;
	}
	va_start(arguments, format);
	(void)vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	shown = shown_of(screen, line, screen->is_terminal ? screen->columns : LINE, &left);
	is_bold = is_bold && screen->is_terminal;
	if (page->lines > 0) {
		fputs(screen->is_terminal ? "\r\n" : "\n", page->stream);
	}
	(void)fprintf(page->stream, "%s%s%s%s", is_bold ? "\033[1m" : "", shown ? shown : "",
			is_bold ? "\033[0m" : "", screen->is_terminal ? "\033[K" : "");
	free(shown);
	page->lines++;
}

static const char *cell_of(int64_t bytes, bool has_sign, char ret_cell[static CELL])
{
	char *text = bytes == TOP_UNKNOWN ? NULL : scaled_bytes((double)llabs(bytes));

	if (text) {
		(void)snprintf(ret_cell, CELL, "%s%s",
				bytes < 0				? "-"
						: has_sign && bytes > 0 ? "+"
									: "",
				text);
	} else {
		(void)snprintf(ret_cell, CELL, "unknown");
	}
	free(text);
	return ret_cell;
}
#define BYTES(bytes) cell_of((bytes), false, (char[CELL]){ 0 })
#define CHANGE(bytes) cell_of((bytes), true, (char[CELL]){ 0 })

static const char *percent_of(const struct top_allocator *one, char ret_cell[static CELL])
{
	if (one->carriers > 0 && one->blocks != TOP_UNKNOWN) {
		(void)snprintf(ret_cell, CELL, "%.0f %%",
				100.0 * (double)one->blocks / (double)one->carriers);
	} else {
		(void)snprintf(ret_cell, CELL, "-");
	}
	return ret_cell;
}

static void put_allocator(struct page *page, const struct top_allocator *one)
{
	put_line(page, false, "%-16s %11s %11s %6s %11s %12s", one->name, BYTES(one->carriers),
			BYTES(one->blocks), percent_of(one, (char[CELL]){ 0 }), BYTES(one->pool),
			CHANGE(one->growth));
}

/* Wide enough for the figures, and no wider than names are. */
static int columns_of(const struct top_screen *screen)
{
	return screen->columns < LEAST_COLUMNS		 ? LEAST_COLUMNS
			: screen->columns > MOST_COLUMNS ? MOST_COLUMNS
							 : screen->columns;
}

static void put_holder(struct page *page, const struct top_holder *one)
{
	char name[LINE / 2];
	char *shown;
	int left;
	bool is_named = strcmp(one->kind, "table") == 0 && *one->text;

	(void)snprintf(name, sizeof(name), "%s%s%s%s%s",
			strcmp(one->kind, "process") == 0 ? "" : one->kind,
			strcmp(one->kind, "process") == 0 ? "" : " ", is_named ? "" : one->id,
			is_named || !*one->text ? "" : " ", one->text);
	shown = shown_of(page->screen, name, columns_of(page->screen) - 37, &left);
	put_line(page, false, "%s%*s %11s %11s %12s", shown ? shown : "", left, "",
			BYTES(one->bytes), BYTES(one->binaries), CHANGE(one->growth));
	free(shown);
}

static void put_head(struct page *page, const struct top_reading *reading)
{
	time_t seconds = (time_t)(reading->ts_ns / 1000000000);
	struct tm parts;
	char when[40] = "";
	char lost[48] = "";

	if (localtime_r(&seconds, &parts)) {
		(void)strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &parts);
	}
	put_line(page, true, "%s (OS pid %ld)  %s", reading->node, reading->pid, when);
	if (reading->lost_events != TOP_UNKNOWN) {
		(void)snprintf(lost, sizeof(lost), ", %lld events lost",
				(long long)reading->lost_events);
	}
	put_line(page, false, "resident %s, carriers %s, in use %s, pool %s",
			BYTES(reading->resident), BYTES(reading->total.carriers),
			BYTES(reading->total.blocks), BYTES(reading->total.pool));
	if (reading->growth_ns > 0) {
		put_line(page, false, "carriers %s in %.0f s%s", CHANGE(reading->total.growth),
				(double)reading->growth_ns / 1e9, lost);
	} else {
		put_line(page, false, "growth: not known before the second reading%s", lost);
	}
}

void top_screen_print(
		FILE *stream, const struct top_screen *screen, const struct top_reading *reading)
{
	struct page page = { .stream = stream, .screen = screen };

	if (screen->is_terminal) {
		fputs("\033[H", stream);
	}
	put_head(&page, reading);
	put_line(&page, false, "%s", "");
	put_line(&page, true, "%-16s %11s %11s %6s %11s %12s", "allocator", "carriers", "in use",
			"use", "pool", "growth");
	put_allocator(&page, &reading->total);
	for (size_t i = 0; i < reading->allocator_count; i++) {
		put_allocator(&page, &reading->allocators[i]);
	}
	put_line(&page, false, "%s", "");
	if (screen->is_terminal) {
		put_line(&page, false,
				"sorted by: c carriers, b in use, u use, p pool, g growth, n name; q quits");
	}
	put_line(&page, true, "%-*s %11s %11s %12s", columns_of(screen) - 37, "who holds memory",
			"memory", "binaries", "growth");
	for (size_t i = 0; i < reading->holder_count; i++) {
		put_holder(&page, &reading->holders[i]);
	}
	if (reading->holder_count == 0) {
		put_line(&page, false, "unknown: the recording has no snapshot with holders");
	}
	fputs(screen->is_terminal ? "\033[J" : "\n", stream);
	(void)fflush(stream);
}
