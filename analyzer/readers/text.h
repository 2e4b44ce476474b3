/*
 * SPDX-License-Identifier: MIT
 *
 * Texts of unknown origin: pieces of a line, numbers in them, and how they come
 * into a database.
 */
#ifndef CSC_READERS_TEXT_H
#define CSC_READERS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "insert.h"

/* A piece of a text; not terminated. */
struct text {
	const char *at;
	size_t length;
};

/* Of a string in quotes. */
#define TEXT(literal) ((struct text)TEXT_INITIAL(literal))

/* The same in a static table. */
#define TEXT_INITIAL(literal)                  \
	{                                      \
		(literal), sizeof(literal) - 1 \
	}

enum {
	/* Longer texts are stored cut, with an ellipsis. */
	TEXT_MAX_BYTES = 4096,
};

static inline bool text_is(struct text text, const char *word)
{
	size_t length = strlen(word);

	return text.length == length && memcmp(text.at, word, length) == 0;
}

static inline bool text_same(struct text text, struct text other)
{
	return text.length == other.length && memcmp(text.at, other.at, other.length) == 0;
}

static inline bool text_begins(struct text text, const char *word)
{
	size_t length = strlen(word);

	return text.length >= length && memcmp(text.at, word, length) == 0;
}

/* Without blanks at both ends. */
struct text text_trim(struct text text);

/* Takes `count` bytes off the front. */
static inline struct text text_from(struct text text, size_t count)
{
	return (struct text){ text.at + count, text.length - count };
}

/*
 * Cuts at the first `separator`: yields what is before it and leaves what is behind
 * it in *rest.  Without one all is before and *rest is empty.
 */
struct text text_cut(struct text text, char separator, struct text *ret_rest);

/* Takes the next word off the front, blanks before it left out; empty: there is none. */
struct text text_word(struct text *rest);

/* Where `word` begins in the text, or its length. */
size_t text_find(struct text text, const char *word);

/*
 * A decimal number without a sign, and nothing else.  Numbers of 2^63 and more
 * become INT64_MAX with *ret_is_huge set: SQLite has none.  False: it is none.
 */
bool text_number(struct text text, int64_t *ret_number, bool *ret_is_huge);

/*
 * The next value of a row: as UTF-8, whatever the bytes are.  Bytes that are not
 * UTF-8 are taken as Latin-1, a NUL becomes U+FFFD, and what is longer than
 * TEXT_MAX_BYTES is cut.  `text.at` NULL: SQL NULL.
 */
void text_insert(struct insert *insert, struct text text);

#endif
