/* SPDX-License-Identifier: MIT */
/*
 * Runs an operation file on the core over a scripted target and prints what happened, as the
 * golden cases expect it.
 */
#ifndef CSC_OPRUN_H
#define CSC_OPRUN_H

#include <stdbool.h>
#include <stdio.h>

#include "opfile.h"
#include "trouble.h"

/* False: it could not be run to its end; `trouble` says why. */
bool oprun(const struct opfile *opfile, FILE *out, struct trouble *trouble);

#endif
