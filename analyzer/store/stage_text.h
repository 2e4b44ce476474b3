/*
 * SPDX-License-Identifier: MIT
 *
 * The text of a view: the names in it, and the parts that are computed once.
 */
#ifndef CSC_STAGE_TEXT_H
#define CSC_STAGE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A stretch of a text that belongs to another. */
struct stage_word {
	const char *at;
	size_t length;
};

/*
 * The first name or keyword from `*text` on, which then stands behind it; comments, strings and
 * numbers are passed over.  False: there is none.
 */
bool stage_text_next(const char **text, struct stage_word *ret_word);

/*
 * The same of names behind FROM or JOIN, where "name.name" is its second one: tables and views that
 * a query reads, and words that begin what stands there in brackets.  Tables behind a comma are not
 * found: our queries have none.
 */
bool stage_text_read(const char **text, struct stage_word *ret_word);

bool stage_text_is(struct stage_word word, const char *name);

/* What stands behind "CREATE VIEW name AS"; NULL: it is written in another way. */
const char *stage_text_query(const char *sql, const char *view);

/* One part of a query: "name(columns) AS MATERIALIZED (body)". */
struct stage_part {
	struct stage_word name;
	/* With its brackets; empty: none. */
	struct stage_word columns;
	struct stage_word body;

	/* Is computed once, and read at more than one place. */
	bool is_shared;
};

/*
 * Reads the next part of a query that begins with WITH: `*at` is the query at first, and then what
 * the last call left there.  False: there is none, or it is not understood; `*at` is unchanged.
 */
bool stage_text_part(const char **at, struct stage_part *ret_part);

#endif
