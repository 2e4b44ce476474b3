/*
 * SPDX-License-Identifier: MIT
 *
 * The half of the metadata reader that knows types; tsdl.c knows declarations.
 */
#ifndef CSC_TSDL_TYPE_H
#define CSC_TSDL_TYPE_H

#include "tsdl_layout.h"
#include "tsdl_lex.h"

struct type_name {
	const char *text;
	const struct tsdl_type *type;
	struct type_name *next;
};

struct stream_node {
	struct tsdl_stream stream;
	struct stream_node *next;
};

struct event_node {
	struct tsdl_event event;
	struct event_node *next;
};

struct tsdl {
	struct tsdl_pool pool;
	struct type_name *names;
	struct stream_node *streams;
	struct event_node *events;
	struct tsdl_clock clock;
	bool has_clock;
	bool is_big_endian;
	const char *uuid;
	const struct tsdl_type *packet_header;

	/* While reading. */
	const struct tsdl_token *at;
	bool is_out_of_memory;
	unsigned int depth;
};

/* Zeroed memory that lives as long as the metadata; NULL is remembered. */
void *tsdl_take(struct tsdl *t, size_t byte_count);

/* The next token; each stands behind what it accepted, and stays where it was if not. */
bool tsdl_is_at(const struct tsdl *t, const char *text);
bool tsdl_accept(struct tsdl *t, const char *text);
const char *tsdl_accept_kind(struct tsdl *t, enum tsdl_token_kind kind);
bool tsdl_accept_number(struct tsdl *t, int64_t *ret_value);

/* Passes the rest of a statement, blocks inside it too; stands behind its `;`. */
bool tsdl_pass_statement(struct tsdl *t);

/* Joins two words by a blank; `front` may be empty. */
char *tsdl_text_join(struct tsdl *t, const char *front, const char *back);

/* Gives a type a name for those that follow. */
bool tsdl_name_add(struct tsdl *t, const char *text, const struct tsdl_type *type);

/* Reads a type, NULL when it is none. */
const struct tsdl_type *tsdl_type_parse(struct tsdl *t);

#endif
