/*
 * SPDX-License-Identifier: MIT
 *
 * Arguments of a node as a file: `vm.args`, what `-args_file` takes, what
 * erts_alloc_config wrote.
 */
#ifndef CSC_READERS_ARGS_H
#define CSC_READERS_ARGS_H

#include "reader.h"

bool args_recognise(const char *head, size_t length);
enum csc_status args_read(struct reader_input *input, struct store *store, struct diag *diag);

/* Flags that paste_flags.c found: line, column, flag and value, separated by tabs, on each line. */
enum csc_status args_lines_read(struct reader_input *input, struct store *store, struct diag *diag);

#endif
