/*
 * SPDX-License-Identifier: MIT
 *
 * Whether a prediction has come true.
 */
#ifndef CSC_VERIFY_H
#define CSC_VERIFY_H

#include "sweep.h"

/*
 * Compares what was advised for `path` with a recording made with the advised flags.  Prints both;
 * yields the exit status: 0 within the ranges, 1 outside, or that it cannot be compared.
 */
int verify(const char *path, const struct sweep_request *outcome);

#endif
