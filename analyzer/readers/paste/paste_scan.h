/*
 * SPDX-License-Identifier: MIT
 *
 * What the parts that look through a paste share.  Each looks at the line that is next and
 * yields how many lines it took; 0: it is none of its own.
 */
#ifndef CSC_READERS_PASTE_SCAN_H
#define CSC_READERS_PASTE_SCAN_H

#include "paste.h"
#include "paste_text.h"
#include "value.h"

struct paste_line {
	size_t begin;
	size_t length;

	/* Left out before it; has_prefix: more than blanks. */
	size_t margin;
	bool has_prefix;

	/* Which bytes are in it, by their last six bits: most words are not there for lack of a
	 * letter. */
	uint64_t letters;

	/* Four digits in a row, "_alloc" or a pid; brackets that are not closed in it: terms may be
	 * ours. */
	bool may_be_term;
};

/* What pieces are made of: their texts grow as long as things of one node are found. */
enum paste_kind {
	PASTE_TERMS,
	PASTE_FIGURES,
	PASTE_SECTIONS,
	PASTE_HEAD,
	PASTE_FLAGS,
	PASTE_KINDS,
};

enum {
	PASTE_CONTEXT_BYTES = 160,

	/* A call is about what follows within so many lines. */
	PASTE_CONTEXT_LINES = 3,

	/* Places that nothing took, as far as they are named. */
	SCAN_SKIPPED_NAMED = 12,
};

struct paste_group {
	struct paste_text text;
	uint64_t first_line;

	/* Terms of Erlang alone, as they stand there. */
	bool is_changed;
};

struct paste_scan {
	struct paste *paste;
	struct value_arena *arena;

	/* The region that is looked at: lines without margins, the first of which is `first_line`.
	 */
	struct paste_text clean;
	struct paste_line *lines;
	size_t line_count;
	size_t line_room;
	uint64_t first_line;

	/* It ends where the input does, or before a dump. */
	struct paste_group groups[PASTE_KINDS];
	char node[64];

	/* The last call, without blanks, in Erlang's syntax; and the line that it is on. */
	char context[PASTE_CONTEXT_BYTES];
	size_t context_line;

	/* recon_alloc:set_unit(); 0: none. */
	double unit;

	/* Lines that nothing took: from, to; 0: none. */
	uint64_t skipped_from;
	uint64_t skipped_to;
	uint64_t skipped_lines;
	struct paste_text skipped;
	bool has_failed;
};

static inline struct text scan_line(const struct paste_scan *scan, size_t at)
{
	return (struct text){ scan->clean.bytes + scan->lines[at].begin, scan->lines[at].length };
}

/* Whether all letters of the word are in the line. */
static inline bool scan_may_have(const struct paste_scan *scan, size_t at, const char *word)
{
	uint64_t letters = 0;

	for (; *word != '\0'; word++) {
		letters |= UINT64_C(1) << (*word & 63);
	}
	return (letters & ~scan->lines[at].letters) == 0;
}

/* From that line to the end of the region. */
static inline struct text scan_rest(const struct paste_scan *scan, size_t at, size_t column)
{
	size_t begin = scan->lines[at].begin + column;

	return (struct text){ scan->clean.bytes + begin, scan->clean.length - begin };
}

/* The text of a kind, for something on that line of the region. */
struct paste_text *scan_group(struct paste_scan *scan, enum paste_kind kind, size_t at);

/* A figure of table pasted_figure.  `subject` and `unit` may be empty. */
void scan_figure(struct paste_scan *scan, size_t at, const char *function, struct text subject,
		const char *key, double value, const char *unit);

/* The same of a text instead of a number. */
void scan_figure_text(struct paste_scan *scan, size_t at, const char *function, struct text subject,
		const char *key, struct text value);

void scan_note(struct paste_scan *scan, const char *name, bool is_loss, const char *format, ...)
		__attribute__((format(printf, 4, 5)));

/* What is known by name and not read; `run`: what to run instead. */
void scan_refuse(struct paste_scan *scan, size_t at, const char *what, const char *run);

/* Notes that nothing took that line; the second one ends a row of them. */
void scan_skip(struct paste_scan *scan, size_t at);
void scan_end_skipped(struct paste_scan *scan);

/* The first line of the input that is line `at` of the region, from 1. */
static inline unsigned long long scan_number(const struct paste_scan *scan, size_t at)
{
	return scan->first_line + at;
}

/* Whether the last call is near, and begins so: "recon_alloc:memory(". */
bool scan_called(const struct paste_scan *scan, size_t at, const char *call);

/* Whether it is for the greatest ever: "…,max)". */
bool scan_is_max(const struct paste_scan *scan, size_t at);

/* paste_term.c: terms, and results that are a number. */
size_t paste_term_line(struct paste_scan *scan, size_t at);

/* paste_result.c: results of recon and classes of others; whether the value was one. */
bool paste_result(struct paste_scan *scan, size_t at, const struct value *value);

/* paste_table.c: tables of lines "key: value". */
size_t paste_table_line(struct paste_scan *scan, size_t at);

/* paste_section.c: sections of a dump without its head, a slogan, a request that failed. */
size_t paste_section_line(struct paste_scan *scan, size_t at);

/* paste_flags.c */
size_t paste_flags_line(struct paste_scan *scan, size_t at);

/* paste_named.c: what is known by name and not read. */
size_t paste_named_line(struct paste_scan *scan, size_t at);

/* paste_line.c: a line without its margin; its length, in `bytes` of at least that many. */
size_t paste_line_clean(struct text line, char *bytes, size_t *ret_margin);

/* paste_line.c: nothing but a prompt with a call, a fence, "ok". */
bool paste_line_is_frame(struct text line);

/* paste_line.c: the call in a line, without blanks, as Erlang has it; empty: none. */
size_t paste_line_call(struct text line, char *bytes, size_t room);

/* paste_line.c: what is in a line, in the two last members. */
void paste_line_look(struct text text, struct paste_line *line);

/* paste_line.c: the node that a prompt names. */
bool paste_line_node(struct text line, char *bytes, size_t room);

#endif
