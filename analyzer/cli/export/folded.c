/*
 * SPDX-License-Identifier: MIT
 *
 * Lines.
 */
#include "folded.h"

#include <inttypes.h>
#include <stdlib.h>

#include "visible.h"

/* A semicolon ends a frame, so one in a name becomes a comma. */
static void print_frame(FILE *stream, const char *name)
{
	char *shown = visible_copy(name, VISIBLE_CELL);

	for (const char *at = shown ? shown : ""; *at; at++) {
		fputc(*at == ';' ? ',' : *at, stream);
	}

	free(shown);
}

void folded_add(FILE *stream, const struct stack *stack, enum stack_value value)
{
	const char *before = "";

	if (stack->values[value] == 0) {
		return;
	}

	for (int frame = 0; frame < STACK_FRAMES; frame++) {
		if (stack->frames[frame]) {
			fputs(before, stream);
			print_frame(stream, stack->frames[frame]);
			before = ";";
		}
	}

	(void)fprintf(stream, " %" PRId64 "\n", stack->values[value]);
}
