/*
 * SPDX-License-Identifier: MIT
 *
 * A reading as lines of text.
 */
#ifndef CSC_TOP_SCREEN_H
#define CSC_TOP_SCREEN_H

#include <stdbool.h>
#include <stdio.h>

#include "top_reading.h"

enum top_view {
	TOP_VIEW_ALL,
	TOP_VIEW_ALLOCATORS,
	TOP_VIEW_HOLDERS,

	/* One holder. */
	TOP_VIEW_ONE,
	TOP_VIEW_HELP,
};

struct top_screen {
	/* Columns: 80 where there is no terminal.  rows: 0: as many as there are. */
	int columns;
	int rows;

	/* On a terminal: codes for bold, each line is cleared to its end, keys are named. */
	bool is_terminal;

	/* The locale has characters beyond ASCII, which are '?' else: that of setlocale(LC_CTYPE),
	 * which also says how wide they are. */
	bool is_utf8;
	enum top_view view;

	/* Of TOP_VIEW_ONE: which of the holders that are shown, from 0. */
	size_t chosen;
	bool is_paused;
};

void top_screen_print(
		FILE *stream, const struct top_screen *screen, const struct top_reading *reading);

#endif
