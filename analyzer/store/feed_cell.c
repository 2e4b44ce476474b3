/*
 * SPDX-License-Identifier: MIT
 *
 * The record format of SQLite.
 */
#include "feed_cell.h"

#include <string.h>

#include "rows.h"

uint32_t feed_get_32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

void feed_put_16(uint8_t *at, size_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

void feed_put_32(uint8_t *at, uint32_t value)
{
	feed_put_16(at, value >> 16);
	feed_put_16(at + 2, value & UINT16_MAX);
}

uint8_t *feed_put_varint(uint8_t *at, uint64_t value)
{
	unsigned int bytes = 1;

	while (bytes < FEED_VARINT_MOST && value >> (7 * bytes) != 0) {
		bytes++;
	}

	if (bytes == FEED_VARINT_MOST) {
		at[FEED_VARINT_MOST - 1] = (uint8_t)value;
		value >>= 8;
		for (unsigned int i = FEED_VARINT_MOST - 1; i-- > 0; value >>= 7) {
			at[i] = (uint8_t)(value | 0x80);
		}
		return at + FEED_VARINT_MOST;
	}

	for (unsigned int i = bytes; i-- > 0; value >>= 7) {
		at[i] = (uint8_t)((value & 0x7f) | (i + 1 < bytes ? 0x80 : 0));
	}
	return at + bytes;
}

/* An integer as a column: its type into `*type`, its bytes, the highest first, to `at`. */
static uint8_t *put_integer(uint8_t *at, uint8_t *type, int64_t value)
{
	/* By the count of bits that matter, the sign left out: bytes, and the type for them. */
	static const uint8_t bytes_for[9] = { 1, 1, 2, 3, 4, 6, 6, 8, 8 };
	static const uint8_t type_of[9] = { 0, 1, 2, 3, 4, 0, 5, 0, 6 };
	uint64_t bits = (uint64_t)value;
	uint64_t image;
	unsigned int used;
	uint8_t bytes;

	if (value == ROW_NULL) {
		*type = 0;
		return at;
	}

	if (bits <= 1) {
		*type = (uint8_t)(8 + bits);
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

	while (count > 1 && value_of(&shape->columns[count - 1], row) == ROW_NULL) {
		count--;
	}

	return count;
}

/* A varint whose end is known; yields its begin. */
static uint8_t *put_varint_before(uint8_t *end, uint64_t value)
{
	uint8_t last = 0;

	if (value >> 56 != 0) {
		(void)feed_put_varint(end - FEED_VARINT_MOST, value);
		return end - FEED_VARINT_MOST;
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
	uint8_t *payload = room + FEED_VARINT_MOST + FEED_VARINT_MOST;
	size_t count = columns_of(shape, row);
	uint8_t *types = payload + 1;
	uint8_t *end = types + count;
	uint8_t *begin;

	payload[0] = (uint8_t)(1 + count);
	/* The id stands before the row, and NULL in it. */
	*types++ = 0;
	for (size_t i = 1; i < count; i++) {
		end = put_integer(end, types++, value_of(&shape->columns[i], row));
	}

	begin = put_varint_before(payload, (uint64_t)id);
	begin = put_varint_before(begin, (uint64_t)(end - payload));
	*ret_length = (size_t)(end - begin);
	return begin;
}
