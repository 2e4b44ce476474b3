/*
 * SPDX-License-Identifier: MIT
 *
 * The first lines of a dump, and the slogan.
 */
#ifndef CSC_READERS_DUMP_HEAD_H
#define CSC_READERS_DUMP_HEAD_H

#include "text.h"

struct dump;

/* A line of the first section; then, at the end of the dump, its row. */
void dump_head_line(struct dump *dump, struct text line);
void dump_head_write(struct dump *dump);

#endif
