/* SPDX-License-Identifier: MIT */
/* What a search has replayed and found, kept in the recording's database: tables sweep_*. */
#ifndef CSC_SWEEP_ROWS_H
#define CSC_SWEEP_ROWS_H

#include "search.h"

struct sweep_file;

/* Opens a database for writing.  NULL: `diag` says why it cannot be written. */
struct sweep_file *sweep_file_open(const char *path, int64_t runtime, struct diag *diag);
void sweep_file_close(struct sweep_file *file);

/* Keeps the results that are done, each instead of an earlier one; all of them or none. */
enum csc_status sweep_file_keep(struct sweep_file *file, const struct sweep_job *jobs,
		const struct sweep_result *results, size_t count, struct diag *diag);

/* What was kept of a job; false: nothing. */
bool sweep_file_find(struct sweep_file *file, const struct sweep_job *job,
		struct sweep_result *ret_result);

/* Removes all results: they are of another version of this program. */
enum csc_status sweep_file_forget(struct sweep_file *file, struct diag *diag);

/* What a search has found. */
struct sweep_finding {
	/* Weak, all of them; `refusal` NULL: the best of the answer is advised. */
	const struct sweep *sweep;
	const struct search_answer *answer;
	enum sweep_objective objective;
	const char *refusal;
};

/* Notes what is advised, with its ranges and curve; nothing else is from now on. */
enum csc_status sweep_file_advise(
		struct sweep_file *file, const struct sweep_finding *finding, struct diag *diag);

/* Of all allocators: what was advised last, and what there is without.  The caller frees `flags`.
 */
struct sweep_promise {
	char *flags;
	enum sweep_objective objective;
	struct sweep_range peak;
	struct sweep_range end;
	struct sweep_range average;
	double peak_before;
	double end_before;
	double average_before;
};

/* CSC_ERROR as well if nothing was advised. */
enum csc_status sweep_file_promise(
		struct sweep_file *file, struct sweep_promise *ret_promise, struct diag *diag);

#endif
