/*
 * SPDX-License-Identifier: MIT
 *
 * Erlang terms, handed out piece by piece as they are read: printed (~p, or a shell) or in the
 * external term format.  Memory does not depend on the term: of each container that is
 * open its first scalars are kept.
 */
#ifndef CSC_READERS_TERM_H
#define CSC_READERS_TERM_H

#include "input.h"
#include "text.h"

enum {
	/* Deeper terms are refused. */
	TERM_DEPTH = 48,

	/* Scalars that are kept of a container; a histogram of instrument has up to 32. */
	TERM_ITEMS = 34,

	/* Of a text; the rest is dropped. */
	TERM_TEXT_BYTES = 256,
};

enum term_kind {
	TERM_ATOM,
	TERM_INTEGER,
	TERM_FLOAT,
	TERM_STRING,
	TERM_BINARY,

	/* A pid, port or reference, as printed. */
	TERM_IDENTIFIER,
	TERM_TUPLE,
	TERM_LIST,
	TERM_MAP,
};

struct term_item {
	enum term_kind kind;

	/* TERM_INTEGER; is_huge: it does not fit, and number is INT64_MAX or INT64_MIN + 1. */
	int64_t number;
	bool is_huge;

	/*
	 * Texts as they are, numbers and identifiers as printed (of another base than ten
	 * without it; floats without their fraction).  Of a tuple {Atom, Integer} both are in
	 * here, of {Atom, Atom, Integer} the text is "a:b/1"; of others neither.
	 */
	char text[TERM_TEXT_BYTES];
	size_t length;
};

/* A container that is open, or that is being closed. */
struct term_frame {
	enum term_kind kind;

	/* Elements so far, keys and values of a map each counted. */
	uint64_t count;

	/* The first ones; of a map only the last key, as items[0]. */
	struct term_item *items;
};

struct terms {
	struct reader_input *input;

	/* From the outermost to the innermost that is open. */
	struct term_frame frames[TERM_DEPTH];
	size_t depth;

	/*
	 * Called when a container closes: it is frames[depth - 1] still, those around it
	 * are below.  Called for a scalar that is a term of its own: depth is 0 then.
	 */
	void (*close)(void *data, const struct term_frame *closed);
	void (*scalar)(void *data, const struct term_item *item);
	void *data;
};

enum term_outcome {
	TERM_READ,

	/* What is there is no term; nothing that was handed out is of use. */
	TERM_BROKEN,
	TERM_AT_END,
};

/* Errors: out of memory. */
enum csc_status terms_start(struct terms *terms, struct diag *diag);
void terms_finish(struct terms *terms);

/* Reads one printed term; what is before it must have been skipped. */
enum term_outcome term_read_text(struct terms *terms);

/* Reads one term in external format, its first byte (131) included. */
enum term_outcome term_read_binary(struct terms *terms);

/*
 * For the two above: opens and closes containers, and adds scalars to them.  False: too
 * deep, or the wrong end.
 */
bool term_open(struct terms *terms, enum term_kind kind);
bool term_close(struct terms *terms, enum term_kind kind);
void term_scalar(struct terms *terms, const struct term_item *item);

static inline struct text term_text(const struct term_item *item)
{
	return (struct text){ item->text, item->length };
}

static inline bool term_is_atom(const struct term_item *item, const char *word)
{
	return item->kind == TERM_ATOM && text_is(term_text(item), word);
}

#endif
