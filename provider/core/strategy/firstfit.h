/* SPDX-License-Identifier: MIT */
/*
 * What the rest of the core must know of the first-fit family: its orders.
 * Source: SOURCES.md 4.5.
 */
#ifndef CSC_FIRSTFIT_H
#define CSC_FIRSTFIT_H

#include "core.h"
#include "settings.h"
#include "tree.h"

/* How free blocks of one carrier are ordered. */
enum tree_order firstfit_block_order(enum csc_strategy strategy);

/* How carriers are ordered, employed or pooled. */
enum tree_order firstfit_carrier_order(enum csc_strategy strategy);

/* Makes the first-fit part of a new carrier, which is the `birth`-th. */
void firstfit_prepare(const struct csc_core *core, csc_word address, enum csc_strategy strategy,
		uint64_t birth);

#endif
