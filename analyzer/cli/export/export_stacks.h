/*
 * SPDX-License-Identifier: MIT
 *
 * Exports of who holds memory: view export_stack as profiles of heaps.
 */
#ifndef CSC_EXPORT_STACKS_H
#define CSC_EXPORT_STACKS_H

#include <sqlite3.h>
#include <stdio.h>

#include "diag.h"
#include "stack.h"

/* What one export is made of; the views are about the moment by now. */
struct export_stacks {
	sqlite3 *db;

	/* The name of its file, for messages. */
	const char *database;
	struct stack_profile profile;

	/* There are stacks of several nodes. */
	bool has_nodes;
};

/*
 * Computes the stacks, once, into a temporary table; IS_BY_CODE: of samples with the functions that
 * made them, and what is live by these instead of by who holds it.  Errors: out of memory, no space
 * for it; nothing recorded says what blocks hold, or which functions made them.
 */
enum csc_status export_stacks_prepare(sqlite3 *db, const char *database, bool is_by_code,
		struct export_stacks *ret_stacks, struct diag *diag);

/* Errors: of the database; those of the stream: see ferror(). */
enum csc_status export_stacks_pprof(
		const struct export_stacks *stacks, FILE *stream, struct diag *diag);
enum csc_status export_stacks_speedscope(
		const struct export_stacks *stacks, FILE *stream, struct diag *diag);

/* Errors: this value is not known. */
enum csc_status export_stacks_check(
		const struct export_stacks *stacks, enum stack_value value, struct diag *diag);

/* One line for each stack, of a value that is known. */
enum csc_status export_stacks_folded(const struct export_stacks *stacks, enum stack_value value,
		FILE *stream, struct diag *diag);

/* Frees what prepare made; also after its failure. */
void export_stacks_finish(struct export_stacks *stacks);

#endif
