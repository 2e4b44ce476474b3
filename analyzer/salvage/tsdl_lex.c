/*
 * SPDX-License-Identifier: MIT
 *
 * A scanner by hand; escapes in strings are kept as they are.
 */
#include "tsdl_lex.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct tsdl_block {
	struct tsdl_block *next;
	max_align_t memory[];
};

void *tsdl_pool_take(struct tsdl_pool *pool, size_t byte_count)
{
	struct tsdl_block *block = calloc(1, sizeof(*block) + byte_count);

	if (!block) {
		return NULL;
	}
	block->next = pool->blocks;
	pool->blocks = block;
	return block->memory;
}

void tsdl_pool_finish(struct tsdl_pool *pool)
{
	while (pool->blocks) {
		struct tsdl_block *next = pool->blocks->next;

		free(pool->blocks);
		pool->blocks = next;
	}
}

static size_t comment_end(const char *text, size_t at, size_t end)
{
	bool is_line = text[at + 1] == '/';

	for (at += 2; at < end; at++) {
		if (is_line && text[at] == '\n') {
			return at + 1;
		}
		if (!is_line && text[at] == '*' && at + 1 < end && text[at + 1] == '/') {
			return at + 2;
		}
	}
	return is_line ? end : SIZE_MAX;
}

/* Yields where the next token begins; `end` for none, SIZE_MAX for an open comment. */
static size_t blank_end(const char *text, size_t at, size_t end)
{
	while (at < end) {
		if (isspace((unsigned char)text[at])) {
			at++;
		} else if (text[at] == '/' && at + 1 < end &&
				(text[at + 1] == '/' || text[at + 1] == '*')) {
			at = comment_end(text, at, end);
		} else {
			break;
		}
	}
	return at;
}

/* Yields where the token at `at` ends, or `at` when there is none. */
static size_t token_end(const char *text, size_t at, size_t end, enum tsdl_token_kind *ret_kind)
{
	size_t i = at + 1;

	if (isalnum((unsigned char)text[at]) || text[at] == '_') {
		*ret_kind = isdigit((unsigned char)text[at]) ? TSDL_TOKEN_NUMBER : TSDL_TOKEN_WORD;
		while (i < end && (isalnum((unsigned char)text[i]) || text[i] == '_')) {
			i++;
		}
		return i;
	}
	if (text[at] == '"') {
		*ret_kind = TSDL_TOKEN_TEXT;
		while (i < end && text[i] != '"') {
			i += text[i] == '\\' ? 2 : 1;
		}
		return i < end ? i + 1 : at;
	}
	*ret_kind = TSDL_TOKEN_MARK;
	if (i < end && text[at] == ':' && text[i] == '=') {
		return at + 2;
	}
	if (i + 1 < end && memcmp(text + at, "...", 3) == 0) {
		return at + 3;
	}
	return text[at] != '\0' && strchr("{}[]()<>;:=,.-+", text[at]) ? i : at;
}

static const char *token_text(struct tsdl_pool *pool, const char *text, size_t at, size_t end,
		enum tsdl_token_kind kind)
{
	size_t quote = kind == TSDL_TOKEN_TEXT ? 1 : 0;
	size_t length = end - at - 2 * quote;
	char *copy = tsdl_pool_take(pool, length + 1);

	if (copy) {
		memcpy(copy, text + at + quote, length);
	}
	return copy;
}

struct tsdl_token *tsdl_lex(
		struct tsdl_pool *pool, const char *text, size_t text_bytes, bool *ret_is_whole)
{
	struct tsdl_token *tokens = tsdl_pool_take(pool, (text_bytes + 1) * sizeof(*tokens));
	size_t count = 0;
	size_t at = 0;

	if (!tokens) {
		return NULL;
	}
	for (;;) {
		size_t end;

		at = blank_end(text, at, text_bytes);
		if (at >= text_bytes) {
			break;
		}
		end = token_end(text, at, text_bytes, &tokens[count].kind);
		if (end == at) {
			break;
		}
		tokens[count].end = end;
		tokens[count].text = token_text(pool, text, at, end, tokens[count].kind);
		if (!tokens[count].text) {
			return NULL;
		}
		count++;
		at = end;
	}
	tokens[count] = (struct tsdl_token){ .kind = TSDL_TOKEN_END, .text = "" };
	*ret_is_whole = at == text_bytes;
	return tokens;
}
