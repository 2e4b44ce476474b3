/* SPDX-License-Identifier: MIT */
/*
 * Does the operations of a file on the live runtime and writes down what happened, in the format
 * of the golden cases.
 */
#ifndef CSC_LIVE_RECORD_H
#define CSC_LIVE_RECORD_H

#include <stdbool.h>
#include <stdio.h>

#include "diag.h"
#include "opfile.h"
#include "runtime.h"

/*
 * Starts an allocator with `parameters`, does the operations of `opfile` and stops it.  Fills the
 * header and the carrier addresses of `opfile`, and writes the result to `out`.
 */
bool record(struct opfile *opfile, const struct runtime_shared *shared,
		char (*parameters)[RUNTIME_PARAMETER_BYTES], size_t count, FILE *out,
		struct diag *diag);

#endif
