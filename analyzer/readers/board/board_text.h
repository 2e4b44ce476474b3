/*
 * SPDX-License-Identifier: MIT
 *
 * The console of a board as somebody captured it: what the shell command `malloc`
 * of RTEMS, its `top`, erlang:memory() and a dying runtime have printed, among
 * prompts, log lines and whatever else there is.
 *
 * Only what is whole is handed out; of the rest the line is reported on which it began
 * and what is wrong with it.  No figure is ever made up: a number that is followed
 * by anything but a blank, or by more digits, is none.
 */
#ifndef CSC_READERS_BOARD_TEXT_H
#define CSC_READERS_BOARD_TEXT_H

#include "board_sink.h"
#include "text.h"

struct board_text;

/* NULL: no memory.  `sink` is copied. */
struct board_text *board_text_create(const struct board_sink *sink);

/*
 * The next line, without its end.  `is_ended`: the line is known to end there; if not, digits at
 * its end are no number.  False: no memory.
 */
bool board_text_line(struct board_text *board, struct text line, int64_t number, bool is_ended);

/* There are no more lines. */
void board_text_finish(struct board_text *board);

void board_text_destroy(struct board_text *board);

/* The text is, from its beginning, something that is read here. */
bool board_text_recognise(struct text text);

#endif
