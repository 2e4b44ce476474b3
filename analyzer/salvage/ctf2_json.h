/*
 * SPDX-License-Identifier: MIT
 *
 * JSON texts as trees; SQLite reads them.
 */
#ifndef CSC_CTF2_JSON_H
#define CSC_CTF2_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tsdl_lex.h"

enum ctf2_json_kind {
	/* Null, a truth, a number that is no integer of 64 bits, a text with a NUL in it. */
	JSON_OTHER,
	JSON_INTEGER,
	JSON_TEXT,
	JSON_ARRAY,
	JSON_OBJECT,
};

struct ctf2_node {
	enum ctf2_json_kind kind;

	/* Of a member of an object, else empty. */
	const char *key;

	int64_t number;
	const char *text;

	/* Members or elements, in their order. */
	struct ctf2_node *first;
	struct ctf2_node *next;
	size_t count;
};

struct ctf2_json_reader;

/* NULL means out of memory. */
struct ctf2_json_reader *ctf2_json_reader_create(void);
void ctf2_json_reader_destroy(struct ctf2_json_reader *reader);

/*
 * Reads one text.  *ret_root is NULL when it is not JSON as RFC 8259 has it; it lives as long as
 * the pool.  False means out of memory.
 */
bool ctf2_json_read(struct ctf2_json_reader *reader, struct tsdl_pool *pool, const char *text,
		size_t text_bytes, const struct ctf2_node **ret_root);

/* The member of that name, and if it is of that kind; NULL when there is none. */
const struct ctf2_node *ctf2_json_find(const struct ctf2_node *object, const char *key);
const struct ctf2_node *ctf2_json_member(
		const struct ctf2_node *object, const char *key, enum ctf2_json_kind kind);

/*
 * A member's text, and its number; `other` when there is none, an empty text and INT64_MIN when it
 * is of another kind.
 */
const char *ctf2_json_text(const struct ctf2_node *object, const char *key, const char *other);
int64_t ctf2_json_number(const struct ctf2_node *object, const char *key, int64_t other);

#endif
