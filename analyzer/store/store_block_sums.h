/*
 * SPDX-License-Identifier: MIT
 *
 * Lists of live blocks, and sums over blocks.
 */
#ifndef CSC_STORE_BLOCK_SUMS_H
#define CSC_STORE_BLOCK_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "diag.h"

struct store;

/* Lists the blocks that are live after the row with this id. */
enum csc_status store_list_live(struct store *store, int64_t at_id, struct diag *diag);

/* All rows are in: a keyframe at the end, what went wrong, and, `is_last`, a list. */
enum csc_status store_settle_blocks(struct store *store, bool is_last, struct diag *diag);

enum csc_status store_write_blocks(struct store *store, struct diag *diag);

#endif
