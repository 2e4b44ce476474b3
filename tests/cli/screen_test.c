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
	size_t all = screen->columns < 80	? 80
			: screen->columns > 160 ? 160
						: (size_t)screen->columns;
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
		if (strstr(line, "<0.86.0>")) {
			holders++;
			bool is_cut = screen->is_terminal && (size_t)screen->columns < all;

			/* A wide character may stand where it is cut. */
			assert_in_range(width, is_cut ? (uintmax_t)screen->columns - 1 : all,
					is_cut ? (uintmax_t)screen->columns : all);
		}
	}
	assert_true(screen->rows == 0 || lines <= (size_t)screen->rows);
	assert_true(holders == reading.holder_count || screen->rows > 0);
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
		cmocka_unit_test(what_the_locale_has_is_shown),
	};

	/* The library's own, which is always there. */
	if (!setlocale(LC_CTYPE, "C.UTF-8")) {
		return EXIT_FAILURE;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
