/*
 * SPDX-License-Identifier: MIT
 *
 * Texts of traces, databases and file names on their way to a terminal, a page or JSON:
 * what would act on a terminal, or show text in another order than it has, is written out.
 *
 * That is: control characters (C0, DEL, C1), the marks of direction (U+061C, U+200E,
 * U+200F, U+202A to U+202E, U+2066 to U+2069), line and paragraph separators, and bytes
 * that are no UTF-8.
 */
#ifndef CSC_VISIBLE_H
#define CSC_VISIBLE_H

#include <stdio.h>

enum visible_form {
	/* "\x1b" for a byte, "\u{202e}" for a character. */
	VISIBLE_CELL,

	/* The same; line feeds and tabs stay. */
	VISIBLE_LINES,

	/* Text that is JSON: "\u202e"; U+FFFD for what is no UTF-8.  Line feeds and tabs stay. */
	VISIBLE_JSON,
};

void visible_print(FILE *stream, const char *text, enum visible_form form);

/* The same into a new text; the caller frees it.  NULL: out of memory. */
char *visible_copy(const char *text, enum visible_form form);

/*
 * Bytes of the character that `text` begins with if it must be written out; 0: it may
 * stand as it is, and *ret_length is its length in bytes.
 */
size_t visible_hidden(const char *text, unsigned int *ret_code, size_t *ret_length);

#endif
