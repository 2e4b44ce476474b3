/*
 * SPDX-License-Identifier: MIT
 *
 * Sections =allocator of a dump.
 */
#ifndef CSC_READERS_DUMP_ALLOCATOR_H
#define CSC_READERS_DUMP_ALLOCATOR_H

#include "input.h"
#include "text.h"

struct dump;

/* `id` is what stands behind "=allocator:". */
void dump_allocator_begin(struct dump *dump, struct text id);
void dump_allocator_line(struct dump *dump, const struct input_line *line);

#endif
