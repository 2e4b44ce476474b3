/*
 * SPDX-License-Identifier: MIT
 *
 * How a database is judged: what is computed, in the order of the SQL files of this folder and of
 * the statements in them.  csc_schema_split makes it of them.
 */
#ifndef CSC_JUDGE_STEPS_H
#define CSC_JUDGE_STEPS_H

#include <stdbool.h>
#include <stddef.h>

enum { JUDGE_STEPS_MAX = 1000 };

enum judge_kind {
	/* CREATE TEMP VIEW: a query that later steps read. */
	JUDGE_VIEW,
	/* CREATE TEMP TABLE: what later steps read is computed once. */
	JUDGE_TABLE,
	/* CREATE TEMP TABLE of a name without '_': what the table of that name of a file stores. */
	JUDGE_RESULT,
	/* CREATE VIEW: a view of the file, which reads steps or results. */
	JUDGE_PUBLIC,
};

struct judge_step {
	const char *name;
	enum judge_kind kind;

	/* What it yields is of the moment of table question, not because of the figures alone. */
	bool is_of_moment;

	/* Numbers of the earlier steps that it reads; -1 ends them. */
	const short *reads;

	/* What stands behind AS. */
	const char *query;
};

extern const struct judge_step judge_steps[];
extern const size_t judge_step_count;

#endif
