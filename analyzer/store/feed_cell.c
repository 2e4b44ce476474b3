/*
 * SPDX-License-Identifier: MIT
 *
 * The record format of SQLite.
 */
#include "feed_cell.h"

#include <string.h>

#include "page_format.h"
#include "rows.h"

/* An integer as a column: its type into `*type`, its bytes, the highest first, to `at`. */
static uint8_t *append_integer(uint8_t *at, uint8_t *type, int64_t value)
{
	/* By the count of bits that matter, the sign left out: bytes, and the type for them. */
	static const uint8_t bytes_for[9] = { 1, 1, 2, 3, 4, 6, 6, 8, 8 };
	static const uint8_t type_of[9] = { 0, 1, 2, 3, 4, 0, 5, 0, 6 };
	uint64_t bits = (uint64_t)value;
	uint64_t image;
	unsigned int used;
	uint8_t bytes;

	if (value == ROW_NULL) {
		*type = TYPE_NULL;
		return at;
	}

	if (bits <= 1) {
		*type = (uint8_t)(TYPE_ZERO + bits);
		return at;
	}

	used = 64 - (unsigned int)__builtin_clrsbll(value);
	bytes = bytes_for[(used + 7) / 8];
	*type = type_of[bytes];
	image = __builtin_bswap64(bits << (64 - 8 * bytes));
	memcpy(at, &image, sizeof(image));
	return at + bytes;
}

static int64_t value_of(const struct feed_column *column, const char *row)
{
	const char *member = row + column->offset;
	int32_t small;

	if (column->kind == FEED_INT64) {
		return *(const int64_t *)(const void *)member;
	}

	small = *(const int32_t *)(const void *)member;
	return small == 0 && column->kind == FEED_ID ? ROW_NULL : small;
}

/* How many columns there are to write: a row may end before its table does, in NULLs. */
static size_t columns_of(const struct feed_shape *shape, const char *row)
{
	size_t count = shape->column_count;

	/* A rowid is no column, and a record has one. */
	while (count > 1U + shape->has_rowid &&
			value_of(&shape->columns[count - 1], row) == ROW_NULL) {
		count--;
	}

	return count;
}

/* A varint whose end is known; yields its begin. */
static uint8_t *prepend_varint(uint8_t *end, uint64_t value)
{
	uint8_t last = 0;

	if (value >> 56 != 0) {
		(void)page_set_varint(end - VARINT_MOST, value);
		return end - VARINT_MOST;
	}

	do {
		*--end = (uint8_t)((value & 0x7f) | last);
		last = 0x80;
		value >>= 7;
	} while (value != 0);

	return end;
}

const uint8_t *feed_print_cell(const struct feed_shape *shape, const char *row, int64_t id,
		uint8_t *room, size_t *ret_length)
{
	/* What stands before it depends on its length. */
	uint8_t *payload = room + VARINT_MOST + VARINT_MOST;
	size_t count = columns_of(shape, row);
	uint8_t *types = payload + 1;
	uint8_t *end = types + count;
	uint8_t *begin;

	payload[0] = (uint8_t)(1 + count);
	/* The id stands before the row, and NULL in it where it has a column. */
	if (shape->has_rowid) {
		payload[0]--;
		end--;
	} else {
		*types++ = TYPE_NULL;
	}
	for (size_t i = 1; i < count; i++) {
		end = append_integer(end, types++, value_of(&shape->columns[i], row));
	}

	begin = prepend_varint(payload, (uint64_t)id);
	begin = prepend_varint(begin, (uint64_t)(end - payload));
	*ret_length = (size_t)(end - begin);
	return begin;
}
