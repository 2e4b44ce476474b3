/*
 * SPDX-License-Identifier: MIT
 *
 * The least is taken away that makes a table fit.
 */
#include "fit.h"

#include <langinfo.h>
#include <locale.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"

enum { BETWEEN = 2 };

static int width_of(const struct fit_column *columns, int count)
{
	int width = -BETWEEN;

	for (int i = 0; i < count; i++) {
		width += columns[i].is_hidden ? 0 : columns[i].width + BETWEEN;
	}

	return width;
}

static void hide_same(struct fit_column *columns, int count, int total)
{
	for (int i = count; i-- > 1 && width_of(columns, count) > total;) {
		columns[i].is_hidden = columns[i].is_same || columns[i].twin_of > 0;
	}

	/* The first column is the last to go: one has to stay. */
	if (width_of(columns, count) > total && columns[0].is_same && count > 1) {
		columns[0].is_hidden = true;
		if (width_of(columns, count) <= 0) {
			columns[0].is_hidden = false;
		}
	}
}

/* The column that has most to give: cut texts and names of columns, but not numbers; NULL: none. */
static struct fit_column *find_widest(struct fit_column *columns, int count)
{
	struct fit_column *widest = NULL;

	for (int i = 0; i < count; i++) {
		struct fit_column *column = &columns[i];

		if (!column->is_hidden && column->width > column->least &&
				(!widest ||
						column->width - column->least >
								widest->width - widest->least)) {
			widest = column;
		}
	}

	return widest;
}

/* The column that was cut most; NULL: none. */
static struct fit_column *find_narrowest(struct fit_column *columns, int count)
{
	struct fit_column *narrowest = NULL;

	for (int i = 0; i < count; i++) {
		struct fit_column *column = &columns[i];
		int missing = column->whole - column->width;

		if (!column->is_hidden && missing > 0 &&
				(!narrowest || missing > narrowest->whole - narrowest->width)) {
			narrowest = column;
		}
	}

	return narrowest;
}

void fit_columns(struct fit_column *columns, int count, int total)
{
	struct fit_column *widest;

	for (int i = 0; i < count; i++) {
		columns[i].whole = columns[i].width;
	}
	hide_same(columns, count, total);
	while (width_of(columns, count) > total && (widest = find_widest(columns, count))) {
		widest->width--;
	}

	for (int i = count; i-- > 1 && width_of(columns, count) > total;) {
		columns[i].is_hidden = true;
	}
	while (width_of(columns, count) < total && (widest = find_narrowest(columns, count))) {
		widest->width++;
	}
}

bool fit_is_utf8(void)
{
	return setlocale(LC_CTYPE, "") && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

const char *fit_ellipsis(void)
{
	return fit_is_utf8() ? "\xe2\x80\xa6" : "...";
}

char *fit_text(const char *text, int width)
{
	const char *ellipsis = fit_ellipsis();
	size_t ellipsis_bytes = strlen(ellipsis) + 1;
	size_t length = strlen(text);
	char *copy = malloc(length + ellipsis_bytes);

	if (!copy) {
		return NULL;
	}

	memcpy(copy, text, length + 1);
	if (cell_width(copy) <= width) {
		return copy;
	}

	/* From the end, character by character: bytes 10xxxxxx go on with one. */
	while (length > 0 && cell_width(copy) > width - cell_width(ellipsis)) {
		do {
			length--;
		} while (length > 0 && ((unsigned char)copy[length] & 0xc0) == 0x80);
		copy[length] = '\0';
	}

	memcpy(copy + length, ellipsis, ellipsis_bytes);
	return copy;
}
