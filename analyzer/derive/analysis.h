/*
 * SPDX-License-Identifier: MIT
 *
 * All that is derived and summed over the carrier events of one source, one
 * event at a time: memory grows with the number of instances, not of events.
 */
#ifndef CSC_ANALYSIS_H
#define CSC_ANALYSIS_H

#include <stddef.h>
#include <stdint.h>

#include "derive.h"
#include "diag.h"
#include "lives.h"
#include "numbering.h"
#include "pool.h"
#include "rows.h"
#include "scope.h"

/* Sums of the ledger rows of one instance and kind. */
struct ledger_sum {
	int64_t rows;
	int64_t carriers_min;
	int64_t carriers_max;
	int64_t bytes_min;
	int64_t bytes_max;
};

struct instance_analysis {
	struct derive derive;
	int32_t runtime;
	int32_t allocator;
	int32_t number;

	/* Number of its allocator's scope. */
	int32_t use;
	struct scope scope;
	struct life_group single_block;
	struct ledger_sum ledger[LEDGER_KINDS];
};

/* One allocator of one runtime. */
struct use_analysis {
	int32_t runtime;
	int32_t allocator;
	int32_t instances;
	struct scope scope;
	struct life_histogram multi_block;
	struct life_histogram single_block;
};

struct runtime_analysis {
	struct scope scope;
	struct pool pool;

	/* An instance of it was there before the recording. */
	bool is_open;
};

/* Multi-block carriers of one size of one runtime. */
struct size_analysis {
	int32_t runtime;
	int64_t size;
	struct life_group group;
};

/* All zeroes is a new one.  Arrays hold pointers: scopes are referred to. */
struct analysis {
	struct instance_analysis **instances;
	size_t instance_count;

	/* Keyed by runtime and allocator. */
	struct numbering use_numbers;
	struct use_analysis **uses;
	size_t use_count;

	/* Entries are NULL for runtimes without carrier events. */
	struct runtime_analysis **runtimes;
	size_t runtime_count;

	/* Keyed by runtime and size. */
	struct numbering size_numbers;
	struct size_analysis **sizes;
	size_t size_count;

	struct scope source;
	bool has_source;
	struct scope_history history;

	/* Every scope above, in the order of appearance; borrowed. */
	struct scope **scopes;
	size_t scope_count;
	size_t scope_capacity;
};

/* Ledger rows that one carrier event can give. */
enum { ANALYSIS_MAX_LEDGER_ROWS = LEDGER_KINDS };

/*
 * Takes the next event of the source: fills the row's class, class_exact and
 * footprint, and writes at most ANALYSIS_MAX_LEDGER_ROWS rows to `ledger`,
 * with the instance's number as its id; `*ret_ledger_rows`: how many.
 */
enum csc_status analysis_take(struct analysis *analysis, struct carrier_row *row,
		struct ledger_row *ledger, size_t *ret_ledger_rows, struct diag *diag);

/* Bounds of what lies in a runtime's pool at the moment; the most is -1 if none is known. */
struct pool_bounds {
	int64_t least_bytes;
	int64_t most_bytes;
};
struct pool_bounds analysis_pool_bounds(const struct analysis *analysis, size_t runtime);

void analysis_finish(struct analysis *analysis);

#endif
