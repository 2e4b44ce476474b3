/* SPDX-License-Identifier: MIT */
/*
 * What the allocators have at known times, written beside a recording, so that what is concluded
 * from the recording can be compared with it.
 *
 * A line for each allocator and one for all, at chosen moments; and one for those whose carriers
 * have changed, just before the event that says so ("event") and when the call is over ("call").
 * One thread only.  No event is added, left out or changed.
 */
#ifndef CSC_TRUTH_H
#define CSC_TRUTH_H

#include <stdint.h>

#include "diag.h"
#include "emit.h"
#include "scheduler.h"

struct truth;

/*
 * NULL: `diag` says why.  Times are those of CLOCK_MONOTONIC in ns; `clock_path`: the number of
 * 8 bytes, in this machine's order, that stands in this file.
 */
struct truth *truth_open(const char *path, const char *clock_path, struct diag *diag);

/* Listens to the core: for runtime_config.witness. */
struct csc_listener *truth_listener(struct truth *truth);

/*
 * Nobody is inside an allocator: a line for each, which is safe when this returns.  `kind` is one
 * word.
 */
void truth_moment(struct truth *truth, const char *kind, uint64_t operations,
		const struct scheduler_figures *figures);

/* Returns CSC_ERROR if not all could be written. */
enum csc_status truth_close(struct truth *truth, struct diag *diag);

#endif
