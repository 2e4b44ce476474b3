/*
 * SPDX-License-Identifier: MIT
 *
 * A reading on terminals of all sizes: no line is wider, none is too many, figures stand in
 * columns, and no character is cut in two.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "top_screen.h"

static void fill(struct top_reading *ret_reading)
{
	static const char *const texts[] = { "keeper", "ключ",
		"日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語", "red \x1b[31m",
		"\xd0\xd0" };

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

/* Characters of a line of UTF-8, without codes of a terminal; it must be UTF-8. */
static size_t width_of(const char *line)
{
	size_t width = 0;

	while (*line) {
		unsigned char first = (unsigned char)*line;
		size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

		if (first == 0x1b) {
			line += strcspn(line, "HJKm") + 1;
			continue;
		}
		assert_false(first >= 0x80 && first < 0xc2);
		for (size_t i = 1; i < length; i++) {
			assert_int_equal((unsigned char)line[i] & 0xc0, 0x80);
		}
		line += length;
		width++;
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
		size_t width = width_of(line);

		lines++;
		if (screen->is_terminal) {
			assert_in_range(width, 0, (uintmax_t)screen->columns);
		}
		if (strstr(line, "<0.86.0>")) {
			holders++;
			assert_int_equal(width,
					screen->is_terminal && (size_t)screen->columns < all
							? (size_t)screen->columns
							: all);
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
			fits(&(struct top_screen){ .columns = columns[i],
					.rows = rows[j],
					.is_terminal = true });
		}
	}
	fits(&(struct top_screen){ .columns = 80 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_size_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
