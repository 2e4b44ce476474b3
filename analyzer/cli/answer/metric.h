/*
 * SPDX-License-Identifier: MIT
 *
 * The named numbers of a database that budgets are set on: view `metric`.
 */
#ifndef CSC_METRIC_H
#define CSC_METRIC_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"

struct metric {
	char *name;

	/* "": of the whole runtime. */
	char *allocator;

	/* Number of the runtime in the database, from 1. */
	int64_t place;

	/* The best single value, which is NaN where only an interval is known. */
	double value;

	/*
	 * The truth lies from low to high, both included.  An end that is not known is
	 * -INFINITY or INFINITY; both: nothing is known.
	 */
	double low;
	double high;

	/* "bytes", "ratio" or "count". */
	char *unit;
	bool higher_is_better;
};

struct metrics {
	struct metric *list;
	size_t count;
};

/*
 * Reads all metrics, ordered by place, allocator and name.  Where view `metric` has columns
 * `low` and `high` they are the interval, else its value is both ends.  metrics_finish() in
 * every case.
 */
enum csc_status metrics_read(const char *path, struct metrics *ret_metrics, struct diag *diag);
void metrics_finish(struct metrics *metrics);

/* "peak_bytes(ets_alloc)" into `text`; the caller frees it.  NULL: out of memory. */
char *metric_title(const struct metric *metric);

/* A value with its unit; the caller frees it.  NULL: out of memory. */
char *metric_value(const char *unit, double value);

/* A budget: NAME[(ALLOCATOR)] OPERATOR NUMBER[UNIT]. */
enum budget_operator {
	BUDGET_LESS,
	BUDGET_AT_MOST,
	BUDGET_MORE,
	BUDGET_AT_LEAST,
	BUDGET_EQUAL,
};

struct budget {
	/* As it was given; borrowed. */
	const char *text;
	char name[64];
	char allocator[64];
	enum budget_operator operator;
	double limit;
};

/* Reads a budget; false: it is none. */
bool budget_read(const char *text, struct budget *ret_budget);

enum budget_outcome {
	BUDGET_KEPT,
	BUDGET_OVER,

	/* Some values of the interval keep to it, others do not. */
	BUDGET_UNDECIDED,
};

/* Judges every value from low to high, both included; an unknown end is infinite. */
enum budget_outcome budget_judge(const struct budget *budget, double low, double high);

#endif
