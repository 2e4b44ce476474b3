/*
 * SPDX-License-Identifier: MIT
 *
 * Sections =proc of a dump.
 */
#ifndef CSC_READERS_DUMP_PROCESS_H
#define CSC_READERS_DUMP_PROCESS_H

#include "text.h"

struct dump;

/* A section begins, has a line, ends: its row is written then. */
void dump_process_begin(struct dump *dump, struct text pid);
void dump_process_line(struct dump *dump, struct text line);
void dump_process_end(struct dump *dump);

#endif
