/*
 * SPDX-License-Identifier: MIT
 *
 * Rows as they lie in pages of a database: see feed_pages.h.
 */
#ifndef CSC_FEED_CELL_H
#define CSC_FEED_CELL_H

#include <stddef.h>
#include <stdint.h>

#include "feed_shape.h"
#include "page_format.h"

enum {
	/* The most columns, so that a header's length is one byte and a row fits a page. */
	FEED_COLUMNS_MOST = 48,

	/* The longest cell: length, id, length of the types, types, values. */
	FEED_CELL_MOST = 2 * VARINT_MOST + 1 + FEED_COLUMNS_MOST + FEED_COLUMNS_MOST * 8,
};

/*
 * The cell of a row with an id and integers: sizes, id, the types of the columns, their
 * bytes.  It lies somewhere in `room`, which has FEED_CELL_MOST bytes.
 */
const uint8_t *feed_print_cell(const struct feed_shape *shape, const char *row, int64_t id,
		uint8_t *room, size_t *ret_length);

#endif
