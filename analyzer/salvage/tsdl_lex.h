/*
 * SPDX-License-Identifier: MIT
 *
 * Cuts CTF metadata into tokens, and keeps the memory that reading it takes.
 */
#ifndef CSC_TSDL_LEX_H
#define CSC_TSDL_LEX_H

#include <stdbool.h>
#include <stddef.h>

enum tsdl_token_kind {
	TSDL_TOKEN_WORD,
	TSDL_TOKEN_NUMBER,
	TSDL_TOKEN_TEXT,

	/* One of the marks, and the two long ones := and ... */
	TSDL_TOKEN_MARK,
	TSDL_TOKEN_END,
};

struct tsdl_token {
	enum tsdl_token_kind kind;

	/* Where it ends in the metadata. */
	size_t end;

	/* Owned by the pool. */
	const char *text;
};

/* Memory that is freed at once. */
struct tsdl_pool {
	struct tsdl_block *blocks;
};

/* Zeroed memory, NULL when there is none. */
void *tsdl_pool_take(struct tsdl_pool *pool, size_t byte_count);
void tsdl_pool_finish(struct tsdl_pool *pool);

/*
 * Yields the tokens with a TSDL_TOKEN_END behind the last; text that is no token
 * ends the list early.  *ret_is_whole: whether the end of text was reached.
 * NULL means out of memory.
 */
struct tsdl_token *tsdl_lex(
		struct tsdl_pool *pool, const char *text, size_t text_bytes, bool *ret_is_whole);

#endif
