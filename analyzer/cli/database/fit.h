/*
 * SPDX-License-Identifier: MIT
 *
 * Tables that are wider than a terminal.
 */
#ifndef CSC_FIT_H
#define CSC_FIT_H

#include <stdbool.h>

/* A column; widths are characters. */
struct fit_column {
	int width;

	/* What it needs at the least: then names and texts are cut. */
	int least;

	/* All rows have the same value there, which is printed once instead. */
	bool is_same;

	/* In all rows it says what an earlier column does: its number plus 1; 0: none. */
	int twin_of;

	/* What it was before it was narrowed. */
	int whole;

	/* Set when it is not printed. */
	bool is_hidden;
};

/*
 * Makes columns, two blanks between them, at most `total` wide: hides those that are the same in
 * all rows or as an earlier column, narrows the others to what they need, and then hides columns
 * from the last one on, but the first.  Room that is left then goes to those that were narrowed.
 */
void fit_columns(struct fit_column *columns, int count, int total);

/* Whether the locale's characters are UTF-8, and three dots or one character by that. */
bool fit_is_utf8(void);
const char *fit_ellipsis(void);

/* A copy of at most so many characters, which ends in an ellipsis if it is cut; the caller frees
 * it.  NULL: no memory. */
char *fit_text(const char *text, int width);

#endif
