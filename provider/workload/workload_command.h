/* SPDX-License-Identifier: MIT */
/*
 * `carrierscope-twin --workload`: reads, runs, reports.
 */
#ifndef CSC_WORKLOAD_COMMAND_H
#define CSC_WORKLOAD_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "diag.h"
#include "workload.h"

struct workload_request {
	/* Weak: "-" is standard input. */
	const char *path;
	const struct csc_generation *generation;
	struct workload_override override;
	bool is_threaded;

	/* Weak: where it runs; NULL: on this machine. */
	const struct board *board;

	/* Bytes that carriers may have; 0: no limit. */
	uint64_t limit_bytes;

	/* Weak: its listener; NULL: none. */
	struct csc_listener *listener;

	/* Where the statistics go; NULL: to `out`, but on a board nowhere. */
	const char *stats_path;

	/*
	 * Where the figures of chosen moments go, and a file with the clock, see truth_open();
	 * NULL: nowhere, and the system's.  In turns only.
	 */
	const char *truth_path;
	const char *truth_clock_path;

	/*
	 * After this share of the operations, in percent, "paused" is said on standard output, and
	 * a line of standard input awaited; 0: never.  In turns only.
	 */
	uint64_t pause_percent;

	/* Phases and statistics are not printed, but those for `stats_path`. */
	bool is_quiet;

	/* Of the command line; they come after those of the file. */
	char **flags;
	int flag_count;
};

enum workload_outcome {
	WORKLOAD_DONE,
	/* It ran and ran out of memory, or could not run; `diag` has the sentence. */
	WORKLOAD_FAILED,
	/* The file is bad; nothing has run. */
	WORKLOAD_REFUSED,
};

/*
 * All events are safe when this returns.  Out of memory is reported with the runtime's own sentence
 * and `*ret_is_own`; on a board it stands on standard error already, before the report of the
 * board's shell.
 */
enum workload_outcome workload_command(const struct workload_request *request, FILE *out,
		bool *ret_is_own, struct diag *diag);

#endif
