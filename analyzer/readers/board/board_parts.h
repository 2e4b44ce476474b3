/*
 * SPDX-License-Identifier: MIT
 *
 * The parts of the parser of a board's log.  Each looks at every line (..._line), and is given
 * the end of the lines (..._finish).
 */
#ifndef CSC_READERS_BOARD_PARTS_H
#define CSC_READERS_BOARD_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "text.h"

struct board_text;

/* What the shell command `malloc` of RTEMS prints. */
void board_heap_line(struct board_text *board, struct text line, int64_t number);
void board_heap_finish(struct board_text *board);

/* What erlang:memory() prints. */
void board_memory_line(struct board_text *board, struct text line, int64_t number);
void board_memory_finish(struct board_text *board);

/* What `top` of RTEMS prints.  False: no memory. */
bool board_cpu_line(struct board_text *board, struct text line, int64_t number);
void board_cpu_finish(struct board_text *board);

#endif
