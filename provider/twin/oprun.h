/* SPDX-License-Identifier: MIT */
/*
 * Runs an operation file on the core over a scripted target and prints what happened, as the
 * golden cases expect it.
 */
#ifndef CSC_OPRUN_H
#define CSC_OPRUN_H

#include <stdbool.h>
#include <stdio.h>

#include "emit.h"
#include "opfile.h"
#include "trouble.h"

/*
 * False: it could not be run to its end; `trouble` says why.  `hearer` hears the core beside the
 * report; it may be NULL.
 */
bool oprun_heard(const struct opfile *opfile, struct csc_listener *hearer, FILE *out,
		struct trouble *trouble);

/* Heard by nobody. */
bool oprun(const struct opfile *opfile, FILE *out, struct trouble *trouble);

#endif
