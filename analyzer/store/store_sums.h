/*
 * SPDX-License-Identifier: MIT
 *
 * Sums over the events of a source.
 */
#ifndef CSC_STORE_SUMS_H
#define CSC_STORE_SUMS_H

#include "diag.h"

struct store;

/* The part of the summary that sums over events. */
enum csc_status store_write_sums(struct store *store, struct diag *diag);

#endif
