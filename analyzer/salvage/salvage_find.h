/*
 * SPDX-License-Identifier: MIT
 *
 * Traces, and files in them.
 */
#ifndef CSC_SALVAGE_FIND_H
#define CSC_SALVAGE_FIND_H

#include "diag.h"

struct salvage;
struct salvage_trace;

/* Adds the traces in or below a directory. */
enum csc_status salvage_find(struct salvage *salvage, const char *input, struct diag *diag);
void salvage_trace_destroy(struct salvage_trace *trace);

#endif
