/*
 * SPDX-License-Identifier: MIT
 *
 * Terms with figures of allocator instances and of memory.
 */
#ifndef CSC_READERS_TERMS_FIGURE_H
#define CSC_READERS_TERMS_FIGURE_H

#include <stdbool.h>

#include "term.h"

struct terms_reader;

/* A container of a term closes; true: it was a figure or an instance. */
bool terms_figure_close(struct terms_reader *reader, const struct term_frame *closed);

#endif
