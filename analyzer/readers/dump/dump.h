/*
 * SPDX-License-Identifier: MIT
 *
 * erl_crash.dump, as OTP 17 to 29 write it: sections that begin with a line
 * "=NAME" or "=NAME:ID", of lines "KEY: VALUE".
 *
 * Source: SOURCES.md 19, and the dumps it names.
 */
#ifndef CSC_READERS_DUMP_H
#define CSC_READERS_DUMP_H

#include "reader.h"

bool dump_recognise(const char *head, size_t length);
enum csc_status dump_read(struct reader_input *input, struct store *store, struct diag *diag);

/* Sections without the first lines of a dump, of a node that lives: `i` of the break handler. */
enum csc_status dump_sections_read(
		struct reader_input *input, struct store *store, struct diag *diag);

#endif
