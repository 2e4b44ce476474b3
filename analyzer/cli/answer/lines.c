/*
 * SPDX-License-Identifier: MIT
 */
#include "lines.h"

#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "fit.h"
#include "visible.h"

enum { LABEL = 12, NARROW = 40 };

int lines_label_width(int width)
{
	return width < NARROW ? 0 : LABEL;
}

/* Takes `line`, which may be NULL. */
static void append(struct lines *lines, char *line)
{
	char **more = line ? realloc(lines->text, (lines->count + 1) * sizeof(*more)) : NULL;

	if (!more) {
		free(line);
		lines->has_failed = true;
		return;
	}
	lines->text = more;
	lines->text[lines->count++] = line;
}

/* The label stands before the first line only. */
static void append_text(struct lines *lines, int width, const char *label, const char *text)
{
	char *line = NULL;
	const char *first = lines->count == 0 ? label : "";
	int length = lines_label_width(width);

	if (!*label) {
		append(lines, fit_text(text, width));
		return;
	}
	if ((length > 0 ? asprintf(&line, "%-*s%s", length, first, text)
			: asprintf(&line, "%s%s%s", first, *first ? ": " : "", text)) < 0) {
		line = NULL;
	}
	append(lines, line ? fit_text(line, width) : NULL);
	free(line);
}

void lines_add(struct lines *lines, int width, const char *label, const char *text)
{
	char *shown = visible_copy(text, VISIBLE_CELL);

	append_text(lines, width, label, shown ? shown : "");
	free(shown);
}

void lines_add_pair(struct lines *lines, int width, const char *label, const char *left,
		const char *right)
{
	char *shown = visible_copy(left, VISIBLE_CELL);
	char *line = NULL;
	int room = width - lines_label_width(width) - cell_width(right) - 2;
	char *cut = shown ? fit_text(shown, room < 8 ? 8 : room) : NULL;

	if (cut &&
			asprintf(&line, "%s%*s  %s", cut,
					room > cell_width(cut) ? room - cell_width(cut) : 0, "",
					right) >= 0) {
		append_text(lines, width, label, line);
		free(line);
	} else {
		lines->has_failed = true;
	}
	free(cut);
	free(shown);
}

/* A number keeps its unit: "22 %", "8.3 MiB/s". */
static bool may_break(const char *text, size_t at)
{
	const char *unit = text + at + 1;

	return text[at] == ' ' &&
			!(at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9' &&
					(*unit == '%' ||
							(*unit && strchr("KMGT", *unit) &&
									strncmp(unit + 1, "iB",
											2) == 0)));
}

/* Bytes of `text` that fit into a line: up to a blank, or a part of a word that is too long. */
static size_t find_end(const char *text, int width)
{
	size_t end = 0;
	size_t blank = 0;
	int column = 0;

	for (; text[end]; end++) {
		if (((unsigned char)text[end] & 0xc0) != 0x80 && column++ == width) {
			break;
		}
		blank = may_break(text, end) ? end : blank;
	}

	return !text[end] || may_break(text, end) || blank == 0 ? end : blank;
}

void lines_wrap(struct lines *lines, int width, size_t most, const char *label, const char *text)
{
	char *shown = visible_copy(text, VISIBLE_CELL);
	const char *at = shown ? shown : "";
	int label_width = lines_label_width(width);
	size_t added = 0;

	lines->width = width;
	lines->is_text = true;
	while (*at) {
		/* A narrow one has its label in the first line. */
		int room = width - (*label ? label_width : 0) -
				(*label && label_width == 0 && lines->count == 0
								? (int)strlen(label) + 2
								: 0);
		bool is_last = ++added == most;
		size_t end = is_last ? strlen(at) : find_end(at, room < 1 ? 1 : room);
		char *line = strndup(at, end);

		/* The last one is cut where it is too long. */
		append_text(lines, width, label, line ? line : "");
		free(line);
		at += end;
		at += strspn(at, " ");
		if (is_last) {
			break;
		}
	}

	free(shown);
}

/* The last line that is shown, as the end of a text that goes on. */
static void break_off(struct lines *lines)
{
	char **last = &lines->text[lines->shown - 1];
	char *longer = NULL;
	char *cut = NULL;

	/* Where there is no room for it, fit_text() makes some. */
	if (asprintf(&longer, "%s %s", *last, fit_ellipsis()) >= 0) {
		cut = fit_text(longer, lines->width);
		free(longer);
	}
	if (cut) {
		free(*last);
		*last = cut;
	}
}

void lines_share(struct lines *lines, size_t *room)
{
	lines->shown = lines->count < *room ? lines->count : *room;
	*room -= lines->shown;
	if (lines->is_text && lines->shown > 0 && lines->shown < lines->count) {
		break_off(lines);
	}
}

void lines_print(FILE *stream, const struct lines *lines)
{
	for (size_t i = 0; i < lines->shown; i++) {
		(void)fprintf(stream, "%s\n", lines->text[i]);
	}
}

void lines_free(struct lines *lines)
{
	for (size_t i = 0; i < lines->count; i++) {
		free(lines->text[i]);
	}
	free(lines->text);
	*lines = (struct lines){ 0 };
}
