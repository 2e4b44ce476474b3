/*
 * SPDX-License-Identifier: MIT
 *
 * What was wrong with the source being loaded: rows of load_problem.
 */
#ifndef CSC_STORE_PROBLEM_H
#define CSC_STORE_PROBLEM_H

#include <stdint.h>

#include "diag.h"
#include "rows.h"

struct store;

/* Notes that a kind of trouble was met `count` more times; the first sentence stays. */
enum csc_status store_problem(struct store *store, const char *name, enum severity severity,
		int64_t count, struct diag *diag, const char *format, ...)
		__attribute__((format(printf, 6, 7)));

/* Kinds of trouble noted so far, of at least that severity. */
int64_t store_problem_count(const struct store *store, enum severity severity);

/* Frees them, for the next source. */
void store_problems_forget(struct store *store);

#endif
