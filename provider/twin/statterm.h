/* SPDX-License-Identifier: MIT */
/*
 * The statistics of a runtime in the shape of `erlang:system_info({allocator, A})`.
 * Source: facts/allocator-core.md 8.3, facts/interfaces.md 2.
 */
#ifndef CSC_STATTERM_H
#define CSC_STATTERM_H

#include <stdio.h>

#include "runtime.h"

/*
 * One term `{A, Instances}.` for each allocator, as file:consult/1 reads them; `{A, false}.` for a
 * disabled one.  Nothing is reset.
 */
void statterm_print(const struct runtime *runtime, FILE *out);

#endif
