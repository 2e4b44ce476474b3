/* SPDX-License-Identifier: MIT */
/* The file that results are kept in, for the sources of this folder. */
#ifndef CSC_SWEEP_FILE_H
#define CSC_SWEEP_FILE_H

#include <sqlite3.h>

#include "sweep_rows.h"

struct sweep_file {
	/* Weak. */
	const char *path;
	sqlite3 *db;
	int64_t runtime;

	/* A part: there is no table sweep_result. */
	bool has_only_replays;
};

/* What SQLite says. */
enum csc_status sweep_file_fail(const struct sweep_file *file, struct diag *diag);

/* A transaction: `status` decides whether what was written stays. */
enum csc_status sweep_file_begin(struct sweep_file *file, struct diag *diag);
enum csc_status sweep_file_end(struct sweep_file *file, enum csc_status status, struct diag *diag);

/* Rows of sweep_result, each instead of an earlier one; `prediction` NULL: one replay. */
struct sweep_rows {
	const char *flags;
	bool is_part;
	bool is_advised;
	uint32_t schedules;
	const struct sweep_result *result;
	const struct sweep_prediction *prediction;
};

/* Within a transaction; CSC_ERROR: SQLite knows why. */
enum csc_status sweep_file_put(struct sweep_file *file, const struct sweep_rows *rows);

#endif
