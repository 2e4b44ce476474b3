/*
 * SPDX-License-Identifier: MIT
 *
 * What erlang:memory() prints.
 */
#ifndef CSC_READERS_BOARD_MEMORY_H
#define CSC_READERS_BOARD_MEMORY_H

#include <stdint.h>

#include "text.h"

struct board_text;

/* Looks at the next line. */
void board_memory_line(struct board_text *board, struct text line, int64_t number);

/* There are no more lines. */
void board_memory_finish(struct board_text *board);

#endif
