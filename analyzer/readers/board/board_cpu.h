/*
 * SPDX-License-Identifier: MIT
 *
 * What `top` of RTEMS prints.
 */
#ifndef CSC_READERS_BOARD_CPU_H
#define CSC_READERS_BOARD_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "text.h"

struct board_text;

/* Looks at the next line.  False: no memory. */
bool board_cpu_line(struct board_text *board, struct text line, int64_t number);

/* There are no more lines. */
void board_cpu_finish(struct board_text *board);

#endif
