/*
 * SPDX-License-Identifier: MIT
 *
 * Parts of a text that share a number of lines: what matters least is left out first.
 */
#ifndef CSC_LINES_H
#define CSC_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* One part; all zero is an empty one. */
struct lines {
	char **text;
	size_t count;

	/* How many of them are printed. */
	size_t shown;

	/* Their columns. */
	int width;

	/* They are one text, that ends with an ellipsis where not all are printed. */
	bool is_text;

	/* Memory ran out: a line is missing. */
	bool has_failed;
};

/* Columns of a label before the text; none on a narrow terminal. */
int lines_label_width(int width);

/* Adds one line, cut to `width` columns.  `label` may be "". */
void lines_add(struct lines *lines, int width, const char *label, const char *text);

/* Adds one line: `left` begins, `right` ends it; `left` is cut. */
void lines_add_pair(struct lines *lines, int width, const char *label, const char *left,
		const char *right);

/* Adds a text in as many lines as it needs, at most `most`: the last one ends with an ellipsis. */
void lines_wrap(struct lines *lines, int width, size_t most, const char *label, const char *text);

/* Shows as many of the lines as there is room for, and takes them from the room. */
void lines_share(struct lines *lines, size_t *room);

void lines_print(FILE *stream, const struct lines *lines);
void lines_free(struct lines *lines);

#endif
