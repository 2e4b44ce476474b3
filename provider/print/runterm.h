/* SPDX-License-Identifier: MIT */
/* The figures of a whole runtime as Erlang terms; those of an instance: statterm.h. */
#ifndef CSC_RUNTERM_H
#define CSC_RUNTERM_H

#include <stdio.h>

#include "runtime.h"

/*
 * One term `{A, Instances}.` for each allocator, as file:consult/1 reads them; `{A, false}.` for a
 * disabled one.  A new period starts, as it does when the runtime is asked.
 */
void runterm_print(const struct runtime *runtime, FILE *out);

#endif
