/*
 * SPDX-License-Identifier: MIT
 *
 * A text that grows, with the lines of the input that its own lines come from.
 */
#ifndef CSC_READERS_PASTE_TEXT_H
#define CSC_READERS_PASTE_TEXT_H

#include "value.h"

struct paste_text {
	char *bytes;
	size_t length;
	size_t room;

	/* Lines that end in it. */
	uint64_t lines;

	/* A byte was lost for lack of memory. */
	bool has_failed;
};

void paste_text_add(struct paste_text *text, struct text added);
void paste_text_words(struct paste_text *text, const char *words);
void paste_text_format(struct paste_text *text, const char *format, ...)
		__attribute__((format(printf, 2, 3)));
void paste_text_finish(struct paste_text *text);

/* Ends lines until as many end as `lines`. */
void paste_text_go_to(struct paste_text *text, uint64_t lines);

/*
 * The value as Erlang prints it, each part on the line that it was on: `line` is that of the value
 * itself, counted from the first of the text.  `has_maps`: maps stay maps, else they are lists
 * of pairs.  What breaks off at the end of its text is left open.
 */
void paste_text_value(
		struct paste_text *text, const struct value *value, uint64_t line, bool has_maps);

#endif
