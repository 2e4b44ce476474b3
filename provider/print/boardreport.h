/* SPDX-License-Identifier: MIT */
/* What the shell of RTEMS prints for `malloc`. */
#ifndef CSC_BOARDREPORT_H
#define CSC_BOARDREPORT_H

#include <stdio.h>

#include "heap_figures.h"

/* Prints the prompt with the command, and the 18 lines that follow it. */
void boardreport_print(const struct heap_figures *figures, FILE *out);

#endif
