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

/* From WIDE columns on a line of an allocator has all figures, from WIDEST on that of a holder;
 * below NARROW ones each has the two that matter. */
enum {
	WIDEST = 100,
	WIDE = 80,
	NARROW = 60,
	MOST_COLUMNS = 140,
	CELL = 16,
	LINE = 1024,
	MOST_MARKS = 2,
	MOST_BAR = 40,
	GROWERS = 5
};

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
	/* To clear behind a full line would take its last character. */
	(void)fprintf(page->stream, "%s%s%s%s", is_bold ? "\033[1m" : "", shown ? shown : "",
			is_bold ? "\033[0m" : "", screen->is_terminal && left > 0 ? "\033[K" : "");
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
		(void)snprintf(ret_cell, CELL, "-");
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

/* Columns that lines are laid out for. */
static int columns_of(const struct top_screen *screen)
{
	return screen->columns > MOST_COLUMNS ? MOST_COLUMNS : screen->columns;
}

/* A character of the terminal and its stand-in. */
static const char *sign_of(const struct top_screen *screen, const char *utf8, const char *ascii)
{
	return screen->is_utf8 ? utf8 : ascii;
}

/* Carriers as part of the largest, and what of them is in use; freed by free(). */
static char *bar_of(const struct top_screen *screen, const struct top_allocator *one, int64_t most,
		int width)
{
	int length = most > 0 ? (int)((double)one->carriers * width / (double)most + 0.5) : 0;
	int used = one->carriers > 0 && one->blocks != TOP_UNKNOWN
			? (int)((double)one->blocks * length / (double)one->carriers + 0.5)
			: 0;
	char *bar = calloc((size_t)width * 3 + 1, 1);
	size_t bytes = 0;

	for (int i = 0; bar && i < length && i < width; i++) {
		const char *sign = i < used ? sign_of(screen, "\xe2\x96\x88", "#")
					    : sign_of(screen, "\xe2\x96\x91", ".");

		while (*sign) {
			bar[bytes++] = *sign++;
		}
	}
	return bar;
}

static void put_allocator(
		struct page *page, const struct top_allocator *one, int64_t most, bool is_all)
{
	int columns = columns_of(page->screen);
	int room = columns - (columns < WIDE ? 47 : 73);
	char use[CELL];
	char *bar = columns >= NARROW && !is_all
			? bar_of(page->screen, one, most, room > MOST_BAR ? MOST_BAR : room)
			: NULL;

	if (columns >= WIDE) {
		put_line(page, false, "%-16s %11s %11s %6s %11s %12s %s", one->name,
				BYTES(one->carriers), BYTES(one->blocks), percent_of(one, use),
				BYTES(one->pool), CHANGE(one->growth), bar ? bar : "");
	} else if (columns >= NARROW) {
		put_line(page, false, "%-14s %11s %6s %12s %s", one->name, BYTES(one->carriers),
				percent_of(one, use), CHANGE(one->growth), bar ? bar : "");
	} else {
		put_line(page, false, "%-14s %11s %12s", one->name, BYTES(one->carriers),
				CHANGE(one->growth));
	}
	free(bar);
}

static void put_allocators(struct page *page, const struct top_reading *reading, size_t most)
{
	int columns = columns_of(page->screen);
	int64_t largest = 0;

	for (size_t i = 0; i < reading->allocator_count; i++) {
		int64_t carriers = reading->allocators[i].carriers;

		largest = carriers > largest ? carriers : largest;
	}
	if (columns >= WIDE) {
		put_line(page, true, "%-16s %11s %11s %6s %11s %12s", "allocator", "carriers",
				"in use", "use", "pool", "growth");
	} else if (columns >= NARROW) {
		put_line(page, true, "%-14s %11s %6s %12s", "allocator", "carriers", "use",
				"growth");
	} else {
		put_line(page, true, "%-14s %11s %12s", "allocator", "carriers", "growth");
	}
	put_allocator(page, &reading->total, largest, true);
	for (size_t i = 0; i < reading->allocator_count && i < most; i++) {
		put_allocator(page, &reading->allocators[i], largest, false);
	}
}

/* Its levels of the last minute as one character each, from 0 to the most. */
static void write_curve(const struct top_screen *screen, const struct top_holder *one,
		char ret_curve[static TOP_LEVELS * 3 + 1])
{
	static const char plain[] = " .:-=+*#@";
	char *at = ret_curve;
	int64_t most = 1;

	for (int i = 0; i < one->level_count; i++) {
		most = one->levels[i] > most ? one->levels[i] : most;
	}
	for (int i = 0; i < one->level_count; i++) {
		int level = one->levels[i] > 0
				? (int)((double)one->levels[i] * 7 / (double)most + 0.5) + 1
				: 0;

		if (screen->is_utf8 && level > 0) {
			*at++ = '\xe2';
			*at++ = '\x96';
			*at++ = (char)(0x80 + level);
		} else {
			*at++ = plain[level];
		}
	}
	*at = '\0';
}

static void name_of(const struct top_holder *one, char *ret_name, size_t bytes)
{
	bool is_process = strcmp(one->kind, "process") == 0;
	bool is_group = strcmp(one->kind, "group") == 0;
	bool is_named = is_group || (strcmp(one->kind, "table") == 0 && *one->text);

	(void)snprintf(ret_name, bytes, "%s%s%s%s%s", is_process || is_group ? "" : one->kind,
			is_process || is_group ? "" : " ", is_named ? "" : one->id,
			is_named || !*one->text ? "" : " ", one->text);
}

static void put_holder(struct page *page, const struct top_holder *one)
{
	int columns = columns_of(page->screen);
	int figures = columns >= WIDEST ? 49 : columns >= NARROW ? 38 : 25;
	int room = columns - figures;
	char name[LINE / 2];
	char curve[TOP_LEVELS * 3 + 1];
	char *shown;
	int left;

	name_of(one, name, sizeof(name));
	shown = shown_of(page->screen, name, room < 1 ? 1 : room, &left);
	write_curve(page->screen, one, curve);
	if (columns >= WIDEST) {
		put_line(page, false, "%s%*s %11s %11s %12s %s", shown ? shown : "", left, "",
				BYTES(one->bytes + one->binaries), BYTES(one->binaries),
				CHANGE(one->growth), curve);
	} else if (columns >= NARROW) {
		put_line(page, false, "%s%*s %11s %12s %s", shown ? shown : "", left, "",
				BYTES(one->bytes + one->binaries), CHANGE(one->growth), curve);
	} else {
		put_line(page, false, "%s%*s %11s %12s", shown ? shown : "", left, "",
				BYTES(one->bytes + one->binaries), CHANGE(one->growth));
	}
	free(shown);
}

static void put_holders_head(struct page *page, const char *title)
{
	int columns = columns_of(page->screen);

	if (columns >= WIDEST) {
		put_line(page, true, "%-*s %11s %11s %12s", columns - 49, title, "memory",
				"binaries", "growth");
	} else {
		put_line(page, true, "%-*s %11s %12s",
				columns >= NARROW	       ? columns - 38
						: columns > 25 ? columns - 25
							       : 1,
				title, "memory", "growth");
	}
}

static void put_growers(struct page *page, const struct top_reading *reading, size_t most)
{
	size_t places[TOP_HOLDERS];
	size_t count = top_reading_growers(reading, most, places);

	if (count > 0) {
		put_holders_head(page, "who grew");
	}
	for (size_t i = 0; i < count; i++) {
		put_holder(page, &reading->holders[places[i]]);
	}
}

static void put_holders(struct page *page, const struct top_reading *reading, size_t most)
{
	put_holders_head(page, "who holds it");
	for (size_t i = 0; i < reading->holder_count && i < most; i++) {
		put_holder(page, &reading->holders[i]);
	}
	if (reading->holder_count == 0) {
		put_line(page, false, "unknown: the recording has no snapshot with holders");
	}
}

/* All that is known of one holder. */
static void put_one(struct page *page, const struct top_reading *reading)
{
	const struct top_holder *one;
	char name[LINE / 2];
	char curve[TOP_LEVELS * 3 + 1];
	int64_t all = reading->total.blocks;

	if (reading->holder_count == 0) {
		put_line(page, false, "nobody is known to hold memory");
		return;
	}
	one = &reading->holders[page->screen->chosen % reading->holder_count];
	name_of(one, name, sizeof(name));
	write_curve(page->screen, one, curve);
	put_line(page, true, "%s", name);
	put_line(page, false, "%-10s %s", "kind", one->kind);
	put_line(page, false, "%-10s %s", "memory", BYTES(one->bytes + one->binaries));
	put_line(page, false, "%-10s %s", "binaries", BYTES(one->binaries));
	put_line(page, false, "%-10s %s %s", "growth", CHANGE(one->growth), curve);
	if (all > 0) {
		put_line(page, false, "%-10s %.1f %% of what is in use", "share",
				100.0 * (double)(one->bytes + one->binaries) / (double)all);
	}
	if (strcmp(one->kind, "process") == 0) {
		put_line(page, false, "%s", "");
		put_line(page, false,
				"On the node: process_info(list_to_pid(\"%s\"), current_stacktrace).",
				one->id);
	}
}

static void put_help(struct page *page)
{
	static const char *const lines[] = {
		"h  holders and growers alone, or all again",
		"a  allocators alone, or all again",
		"i  one holder; again: the next one",
		"g  allocators by growth; c by carriers, b by what is in use, u by use, n by name",
		"r  growth begins anew",
		"p  pause, and go on",
		"?  this, or all again",
		"q  end",
		"",
		"Growth and curves are those of the last minute; a curve begins at 0.",
		"200 x worker:loop/1 is a group: 200 processes that began with that call.",
		"Bars: carriers, and of them what is in use.",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		put_line(page, false, "%s", lines[i]);
	}
}

/* How many allocators and growers there is room for beside holders. */
static void put_all(struct page *page, const struct top_reading *reading)
{
	int rows = page->screen->rows;
	int left = rows - page->lines - 6;
	size_t growers = rows == 0 || left >= 12 ? GROWERS : 3;
	size_t allocators = rows == 0 ? TOP_ALLOCATORS : left < 9 ? 3 : (size_t)left / 3;

	put_allocators(page, reading, allocators);
	put_growers(page, reading, growers);
	put_holders(page, reading, TOP_HOLDERS);
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

static void put_view(struct page *page, const struct top_reading *reading)
{
	switch (page->screen->view) {
	case TOP_VIEW_ALL:
		put_all(page, reading);
		break;
	case TOP_VIEW_ALLOCATORS:
		put_allocators(page, reading, TOP_ALLOCATORS);
		break;
	case TOP_VIEW_HOLDERS:
		put_growers(page, reading, TOP_HOLDERS / 2);
		put_holders(page, reading, TOP_HOLDERS);
		break;
	case TOP_VIEW_ONE:
		put_one(page, reading);
		break;
	case TOP_VIEW_HELP:
		put_help(page);
		break;
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
	if (screen->is_terminal) {
		put_line(&page, false, "%s",
				screen->is_paused
						? "paused, p goes on; i one, ? help, q end"
						: "h holders, a allocators, i one, g growth, p pause, r reset, ? help, q end");
	} else {
		put_line(&page, false, "%s", "");
	}
	put_view(&page, reading);
	fputs(screen->is_terminal ? "\033[J" : "\n", stream);
	(void)fflush(stream);
}
