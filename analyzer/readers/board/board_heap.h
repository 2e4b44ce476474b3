/*
 * SPDX-License-Identifier: MIT
 *
 * What the shell command `malloc` of RTEMS prints.
 */
#ifndef CSC_READERS_BOARD_HEAP_H
#define CSC_READERS_BOARD_HEAP_H

#include <stdint.h>

#include "text.h"

struct board_text;

/* Looks at the next line. */
void board_heap_line(struct board_text *board, struct text line, int64_t number);

/* There are no more lines. */
void board_heap_finish(struct board_text *board);

#endif
