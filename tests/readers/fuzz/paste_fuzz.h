/*
 * SPDX-License-Identifier: MIT
 *
 * Any bytes through the recogniser of pastes, and each piece that it finds through its reader.
 */
#ifndef CSC_PASTE_FUZZ_H
#define CSC_PASTE_FUZZ_H

#include "reader.h"
#include "text.h"

/* The bytes that are tried now. */
extern struct text fuzz_input;

/* Rows that were written since. */
int64_t fuzz_rows(void);

bool paste_recognise(const char *head, size_t length);
enum csc_status paste_read(struct reader_input *input, struct store *store, struct diag *diag);

#endif
