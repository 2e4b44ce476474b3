/*
 * SPDX-License-Identifier: MIT
 *
 * Figures of a paste that are no allocator's own: one on each line, as paste.c writes them, into
 * table pasted_figure.
 */
#ifndef CSC_READERS_FIGURES_H
#define CSC_READERS_FIGURES_H

#include "reader.h"

enum csc_status figures_read(struct reader_input *input, struct store *store, struct diag *diag);

#endif
