/*
 * SPDX-License-Identifier: MIT
 *
 * A reading on terminals of all sizes: no line is wider, none is too many, figures stand in
 * columns, no character is cut in two, and what would act on a terminal is written out.
 */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <cmocka.h>

#include "top_screen.h"

static void fill(struct top_reading *ret_reading)
{
	static const char *const texts[] = { "keeper", "ключ",
		"日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語", "red \x1b[31m",
		"\xd0\xd0", "e\u0301e\u0301", "\u0301\u0302first",
		"z\u0301\u0302\u0303\u0304\u0305\u0306\u0307",
		"\U0001f468\u200d\U0001f469\u200d\U0001f467", "\u2764\ufe0f",
		"\U0001f44d\U0001f3fd", "c1 \xc2\x9b[31m", "back \xe2\x80\xaetxet",
		"bell \a\b\r\n\t" };

	memset(ret_reading, 0, sizeof(*ret_reading));
	(void)snprintf(ret_reading->node, sizeof(ret_reading->node), "узел@host");
	(void)snprintf(ret_reading->total.name, sizeof(ret_reading->total.name), "all");
	ret_reading->lost_events = TOP_UNKNOWN;
	for (; ret_reading->holder_count < sizeof(texts) / sizeof(texts[0]);
			ret_reading->holder_count++) {
		struct top_holder *one = &ret_reading->holders[ret_reading->holder_count];

		(void)snprintf(one->kind, sizeof(one->kind), "process");
		(void)snprintf(one->id, sizeof(one->id), "<0.86.0>");
		(void)snprintf(one->text, sizeof(one->text), "%s",
				texts[ret_reading->holder_count]);
		one->bytes = 1024;
		one->binaries = 12345;
		one->growth = 7;
	}
}

/* Columns of a line, without codes of a terminal; it must be UTF-8, or ASCII, and each character of
 * it one that may be shown. */
static size_t width_of(const char *line, bool is_utf8)
{
	size_t width = 0;

	while (*line) {
		wchar_t code = 0;
		int length = *line == 0x1b ? 1 : mbtowc(&code, line, MB_CUR_MAX);

		if (*line == 0x1b) {
			line += strcspn(line, "HJKm") + 1;
			continue;
		}
		assert_true(length > 0);
		assert_true(is_utf8 || length == 1);
		assert_true(wcwidth(code) >= 0 && code != 0x200d && code != 0xfe0f &&
				code != 0x202e);
		width += (size_t)wcwidth(code);
		line += length;
	}
	return width;
}

static void fits(const struct top_screen *screen)
{
	struct top_reading reading;
	char *text = NULL;
	size_t bytes = 0;
	size_t lines = 0;
	size_t holders = 0;
	size_t figures_end = 0;
	char *rest = NULL;
	FILE *stream = open_memstream(&text, &bytes);

	assert_non_null(stream);
	fill(&reading);
	top_screen_print(stream, screen, &reading);
	assert_int_equal(fclose(stream), 0);
	for (char *line = strtok_r(text, "\r\n", &rest); line;
			line = strtok_r(NULL, "\r\n", &rest)) {
		size_t width = width_of(line, screen->is_utf8);

		lines++;
		if (screen->is_terminal) {
			assert_in_range(width, 0, (uintmax_t)screen->columns);
		}
		/* Clearing behind a full line takes its last character. */
		assert_true(width < (size_t)screen->columns || !strstr(line, "\033[K"));
		if (strstr(line, "<0.86.0>")) {
			char *end = strstr(line, "+7 B");

			holders++;
			assert_true(end || screen->columns < 40);
			if (end) {
				end[4] = '\0';
				width = width_of(line, screen->is_utf8);
				assert_true(figures_end == 0 || width == figures_end);
				figures_end = width;
			}
		}
	}
	assert_true(screen->rows == 0 || lines <= (size_t)screen->rows);
	/* Five of them stand among those that grew, too. */
	assert_true(holders == reading.holder_count + 5 || screen->rows > 0);
	free(text);
}

static void every_size_fits(void **state)
{
	const int columns[] = { 1, 39, 40, 41, 79, 80, 81, 160, 200, 1000 };
	const int rows[] = { 1, 2, 10, 24, 100 };

	(void)state;
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		for (size_t j = 0; j < sizeof(rows) / sizeof(rows[0]); j++) {
			for (int is_utf8 = 0; is_utf8 < 2; is_utf8++) {
				fits(&(struct top_screen){ .columns = columns[i],
						.rows = rows[j],
						.is_terminal = true,
						.is_utf8 = is_utf8 });
			}
		}
	}
	fits(&(struct top_screen){ .columns = 80 });
	fits(&(struct top_screen){ .columns = 80, .is_utf8 = true });
}

/* The line of the process of a text. */
static void shows(bool is_utf8, const char *text, const char *wanted)
{
	const struct top_screen screen = { .columns = 80, .is_utf8 = is_utf8 };
	struct top_reading reading;
	char *shown = NULL;
	size_t bytes = 0;
	FILE *stream = open_memstream(&shown, &bytes);

	assert_non_null(stream);
	fill(&reading);
	reading.holder_count = 1;
	(void)snprintf(reading.holders[0].text, sizeof(reading.holders[0].text), "%s", text);
	top_screen_print(stream, &screen, &reading);
	assert_int_equal(fclose(stream), 0);
	if (!strstr(shown, wanted)) {
		print_error("no '%s' in '%s'\n", wanted, shown);
	}
	assert_non_null(strstr(shown, wanted));
	free(shown);
}

/* What is shown of a reading, without codes; the caller frees it. */
static char *text_of(const struct top_screen *screen, const struct top_reading *reading)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *stream = open_memstream(&text, &bytes);

	assert_non_null(stream);
	top_screen_print(stream, screen, reading);
	assert_int_equal(fclose(stream), 0);
	return text;
}

static void add_holder(struct top_reading *reading, const char *kind, const char *id, int64_t bytes)
{
	struct top_holder *one = &reading->holders[reading->holder_count++];

	(void)snprintf(one->kind, sizeof(one->kind), "%s", kind);
	(void)snprintf(one->id, sizeof(one->id), "%s", id);
	(void)snprintf(one->text, sizeof(one->text), "%s", id);
	one->bytes = bytes;
	one->growth = TOP_UNKNOWN;
}

/* Three readings, of which the first is a minute before: growth, curves, and a group. */
static void growth_has_a_list_and_a_curve(void **state)
{
	const struct top_screen wide = { .columns = 80 };
	const struct top_screen narrow = { .columns = 50 };
	struct top_history *history = top_history_create();
	struct top_reading reading;
	char *text;

	(void)state;
	assert_non_null(history);
	for (int i = 0; i < 3; i++) {
		memset(&reading, 0, sizeof(reading));
		reading.lost_events = TOP_UNKNOWN;
		reading.ts_ns = INT64_C(20000000000) * (i + 1);
		add_holder(&reading, "process", "<0.1.0>", 8 << 20);
		add_holder(&reading, "process", "<0.2.0>", (1 + i) << 20);
		add_holder(&reading, "group", "200 x worker:loop/1", 5 << 20);
		top_history_add(history, &reading);
	}
	text = text_of(&wide, &reading);
	assert_non_null(strstr(text, "who grew"));
	assert_non_null(strstr(strstr(text, "who grew"), "<0.2.0> <0.2.0>"));
	assert_non_null(strstr(text, "3.00 MiB    +2.00 MiB -*@"));
	assert_non_null(strstr(text, "200 x worker:loop/1 "));
	assert_null(strstr(text, "group"));
	free(text);
	text = text_of(&narrow, &reading);
	assert_non_null(strstr(text, "3.00 MiB    +2.00 MiB\n"));
	free(text);

	top_history_clear(history);
	top_history_add(history, &reading);
	assert_int_equal(reading.growth_ns, 0);
	free(history);
}

static void one_holder_is_shown_alone(void **state)
{
	struct top_screen screen = { .columns = 80, .rows = 24, .is_terminal = true };
	struct top_reading reading = { .lost_events = TOP_UNKNOWN, .total.blocks = 16 << 20 };
	char *text;

	(void)state;
	add_holder(&reading, "process", "<0.1.0>", 8 << 20);
	add_holder(&reading, "table", "config", 4 << 20);
	screen.view = TOP_VIEW_ONE;
	screen.chosen = 2;
	text = text_of(&screen, &reading);
	assert_non_null(strstr(text, "50.0 % of what is in use"));
	assert_non_null(strstr(text, "list_to_pid(\"<0.1.0>\")"));
	assert_null(strstr(text, "config"));
	free(text);
	reading.holder_count = 0;
	text = text_of(&screen, &reading);
	assert_non_null(strstr(text, "nobody is known to hold memory"));
	free(text);
	screen.view = TOP_VIEW_HELP;
	screen.is_paused = true;
	text = text_of(&screen, &reading);
	assert_non_null(strstr(text, "paused, p goes on"));
	assert_non_null(strstr(text, "r  growth begins anew"));
	free(text);
}

static void what_the_locale_has_is_shown(void **state)
{
	(void)state;
	shows(true, "ключ 日本 e\u0301", "<0.86.0> ключ 日本 e\u0301      ");
	shows(false, "ключ 日本", "<0.86.0> ???? ??      ");
	shows(true, "z\u0301\u0302\u0303", "<0.86.0> z\u0301\u0302?  ");
	shows(true, "a\u200db\xe2\x80\xae.", "<0.86.0> a?b\\u{202e}.  ");
	shows(true, "red \x1b[31m", "<0.86.0> red \\x1b[31m  ");
	shows(false, "c1 \xc2\x9b", "<0.86.0> c1 \\u{9b}  ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_size_fits),
		cmocka_unit_test(growth_has_a_list_and_a_curve),
		cmocka_unit_test(one_holder_is_shown_alone),
		cmocka_unit_test(what_the_locale_has_is_shown),
	};

	/* The library's own, which is always there. */
	if (!setlocale(LC_CTYPE, "C.UTF-8")) {
		return EXIT_FAILURE;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
