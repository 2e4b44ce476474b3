/*
 * SPDX-License-Identifier: MIT
 *
 * Minutes in files of the first version, where each is a row: of table alloc_point.
 */
#ifndef CSC_PUSH_OLD_H
#define CSC_PUSH_OLD_H

#include <stdbool.h>

#include "row_text.h"

/* Makes rows of alloc_minutes of them, in place; false: they are no such rows, or out of memory. */
bool push_old_fold(struct row_text *text);

#endif
