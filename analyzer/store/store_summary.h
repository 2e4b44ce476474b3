/*
 * SPDX-License-Identifier: MIT
 *
 * Small tables, written when a source ends.
 */
#ifndef CSC_STORE_SUMMARY_H
#define CSC_STORE_SUMMARY_H

#include <stdbool.h>

#include "diag.h"

struct store;

/* Writes all tables but those of events, anew if they were written before. */
enum csc_status store_write_summary(struct store *store, bool is_complete, struct diag *diag);

#endif
