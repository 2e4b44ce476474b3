/*
 * SPDX-License-Identifier: MIT
 *
 * Terms of instrument: carriers and histograms of blocks.
 */
#ifndef CSC_READERS_TERMS_SCAN_H
#define CSC_READERS_TERMS_SCAN_H

#include "term.h"

struct terms_reader;

/* A container of a term closes. */
void terms_scan_close(struct terms_reader *reader, const struct term_frame *closed);

#endif
