/*
 * SPDX-License-Identifier: MIT
 *
 * Folded stacks: "root;frame;leaf value" in lines, as flamegraph.pl and inferno read them.
 */
#ifndef CSC_FOLDED_H
#define CSC_FOLDED_H

#include <stdio.h>

#include "stack.h"

/* Writes a line, unless the value is 0; errors are those of the stream. */
void folded_add(FILE *stream, const struct stack *stack, enum stack_value value);

#endif
