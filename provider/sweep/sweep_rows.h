/* SPDX-License-Identifier: MIT */
/* Table sweep_result: what a search has replayed, kept in the recording's database. */
#ifndef CSC_SWEEP_ROWS_H
#define CSC_SWEEP_ROWS_H

#include "predict.h"
#include "sweep.h"

struct sweep_file;

/* Opens a database for writing.  NULL: `diag` says why it cannot be written. */
struct sweep_file *sweep_file_open(const char *path, int64_t runtime, struct diag *diag);
void sweep_file_close(struct sweep_file *file);

/* Keeps the results that are done, each instead of an earlier one; all of them or none. */
enum csc_status sweep_file_keep(struct sweep_file *file, const struct sweep_job *jobs,
		const struct sweep_result *results, size_t count, struct diag *diag);

/* Notes which flags are advised, with their ranges; no others are from now on. */
enum csc_status sweep_file_advise(struct sweep_file *file, const char *flags,
		const struct sweep_prediction *prediction, struct diag *diag);

/* Of all allocators: what was advised last.  The caller frees `flags`. */
struct sweep_promise {
	char *flags;
	struct sweep_range peak;
	struct sweep_range end;
	struct sweep_range average;
};

/* CSC_ERROR as well if nothing was advised. */
enum csc_status sweep_file_promise(
		struct sweep_file *file, struct sweep_promise *ret_promise, struct diag *diag);

#endif
