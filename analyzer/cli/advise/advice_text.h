/*
 * SPDX-License-Identifier: MIT
 *
 * What a search has found, as text and as lines for the user's own file.
 */
#ifndef CSC_ADVICE_TEXT_H
#define CSC_ADVICE_TEXT_H

#include <stdio.h>

#include "search.h"

/* Whose file the advised line is for. */
enum advice_target {
	TARGET_ERL,
	TARGET_VM_ARGS,
	TARGET_RABBITMQ,
	TARGET_EJABBERD,
	TARGET_MIX_RELEASE,
};

struct advice {
	/* Weak. */
	const char *database;
	const struct sweep *sweep;
	const struct sweep_facts *facts;
	const struct search_answer *answer;
	enum sweep_objective objective;
	enum advice_target target;

	/* vm.max_map_count; 0: not known. */
	uint64_t max_mappings;

	/* Static; NULL: the best is advised. */
	const char *refusal;
};

/* The range of the objective, of all allocators. */
const struct sweep_range *advice_range(
		const struct sweep_prediction *prediction, enum sweep_objective objective);

/* Why the best of an answer is not advised; NULL: it is. */
const char *advice_refusal(const struct advice *advice);

/* Bytes that the best saves, at least and at most. */
void advice_saving(const struct advice *advice, double *ret_low, double *ret_high);

/* The lines of the user's own file, with a comment where they belong. */
void advice_print_lines(const struct advice *advice, FILE *out);

/* The flags that lead back; false: removing the advised ones is all. */
bool advice_undo(const struct advice *advice, char ret_undo[SETTING_FLAGS_BYTES]);

/* What no flag can go below, first; then all that was replayed in full. */
void advice_print_table(const struct advice *advice, FILE *out);

/* The advised lines with their prediction, or why there are none. */
void advice_print(const struct advice *advice, FILE *out);

#endif
