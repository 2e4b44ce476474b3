/*
 * SPDX-License-Identifier: MIT
 *
 * Terms as people paste them, as trees: in Erlang's syntax, in Elixir's, and JSON; whole, cut
 * off, or with "..." in them.
 */
#ifndef CSC_READERS_VALUE_H
#define CSC_READERS_VALUE_H

#include "text.h"

enum {
	/* Deeper terms are refused. */
	VALUE_DEPTH = 64,
};

enum value_kind {
	VALUE_ATOM,
	VALUE_INTEGER,
	VALUE_FLOAT,

	/* Also a binary. */
	VALUE_STRING,

	/* A pid, port, reference, function or binary of numbers, as printed. */
	VALUE_IDENTIFIER,
	VALUE_TUPLE,
	VALUE_LIST,

	/* Its children are keys and values in turn. */
	VALUE_MAP,
};

struct value {
	enum value_kind kind;

	/* It breaks off, or has "...". */
	bool is_cut;

	/* VALUE_INTEGER; is_huge: it does not fit. */
	bool is_huge;
	int64_t number;

	/* VALUE_FLOAT, and of integers the nearest. */
	double real;

	/* As written, without quotes; of numbers the digits alone.  In the text that was read. */
	struct text text;

	/* Lines after the one that the term begins on. */
	uint32_t line;
	size_t count;
	struct value *first;
	struct value *last;
	struct value *next;
};

struct value_arena;

/* NULL: out of memory. */
struct value_arena *value_arena_create(void);
void value_arena_destroy(struct value_arena *arena);

/* Forgets all values; their memory is used again. */
void value_arena_reset(struct value_arena *arena);

/* A value of that kind without anything in it; NULL: out of memory. */
struct value *value_new(struct value_arena *arena, enum value_kind kind, uint32_t line);
void value_add(struct value *container, struct value *child);

struct value_result {
	/* NULL: nothing that a term begins with, or out of memory (see has_failed). */
	struct value *value;

	/* Bytes of the text that are used, and lines that end in them. */
	size_t used;
	uint32_t lines;

	/* What is there is no more of a term, or the text ends. */
	bool is_broken;
	bool is_at_end;

	/* More than VALUE_DEPTH containers in each other. */
	bool is_too_deep;

	/* It has signs that only JSON has. */
	bool is_json;

	/* It has signs that only Elixir has, or groups of digits. */
	bool is_elixir;
	bool has_failed;
};

/* Reads one term at the beginning of `text`: a container. */
struct value_result value_read(struct value_arena *arena, struct text text);

/* The value of a key in a list of pairs or in a map; NULL: there is none. */
const struct value *value_of(const struct value *container, const char *key);

static inline const struct value *value_second(const struct value *value)
{
	return value->first ? value->first->next : NULL;
}

static inline bool value_is_atom(const struct value *value, const char *word)
{
	return value && value->kind == VALUE_ATOM && text_is(value->text, word);
}

static inline bool value_is_number(const struct value *value)
{
	return value && (value->kind == VALUE_INTEGER || value->kind == VALUE_FLOAT);
}

/* {Key, Value}, with an atom as key. */
static inline bool value_is_pair(const struct value *value)
{
	return value->kind == VALUE_TUPLE && value->count == 2 && value->first->kind == VALUE_ATOM;
}

#endif
