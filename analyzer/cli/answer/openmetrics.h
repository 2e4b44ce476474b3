/*
 * SPDX-License-Identifier: MIT
 *
 * Metrics for other programs.
 */
#ifndef CSC_OPENMETRICS_H
#define CSC_OPENMETRICS_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdio.h>

#include "diag.h"

struct openmetrics_file {
	sqlite3 *db;

	/* Of several it is a label. */
	const char *path;
};

/* The metrics of all files, at least one, in the text format of OpenMetrics. */
enum csc_status openmetrics_print(FILE *stream, const struct openmetrics_file *files, size_t count,
		struct diag *diag);

#endif
