/*
 * SPDX-License-Identifier: MIT
 *
 * What a node reports of its memory, as Erlang terms: recon's snapshots, results of
 * erlang:system_info/1, erlang:memory/0 and instrument:carriers/allocations, printed or
 * in the external term format, one or many in a file, also as a shell shows them.
 *
 * Source: SOURCES.md 18.
 */
#ifndef CSC_READERS_TERMS_H
#define CSC_READERS_TERMS_H

#include "reader.h"

bool terms_recognise(const char *head, size_t length);
enum csc_status terms_read(struct reader_input *input, struct store *store, struct diag *diag);

#endif
