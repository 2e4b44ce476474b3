/*
 * SPDX-License-Identifier: MIT
 *
 * Columns behind `push`: recording, node, app, release, flags, run, allocator, ts and nine figures.
 */
#include "push_old.h"

#include <stdlib.h>
#include <string.h>

#include "push_hours.h"

/* Up to `allocator`. */
enum { HEAD_COLUMNS = 7 };

struct point {
	/* Bytes of the columns that stay as they are. */
	const char *head;
	size_t head_length;
	int64_t ts;
	int64_t figures[POINT_FIGURES];
};

/* What is left of a row. */
struct rest {
	const char *at;
	const char *end;
};

/* ---- TabSeparated ---- */

/* The next column behind its tab; NULL: there is none. */
static const char *take_column(struct rest *rest, size_t *ret_length)
{
	const char *begin = rest->at + 1;

	if (rest->at >= rest->end || *rest->at != '\t') {
		return NULL;
	}
	rest->at = begin;
	while (rest->at < rest->end && *rest->at != '\t' && *rest->at != '\n') {
		rest->at++;
	}
	*ret_length = (size_t)(rest->at - begin);
	return begin;
}

/* A number below 2^63, or \N where that may be. */
static bool take_digits(struct rest *rest, bool may_be_null, int64_t *ret_number)
{
	size_t length = 0;
	const char *column = take_column(rest, &length);
	uint64_t number = 0;

	if (column && may_be_null && length == 2 && memcmp(column, "\\N", 2) == 0) {
		*ret_number = POINT_UNKNOWN;
		return true;
	}
	for (size_t i = 0; column && i < length; i++) {
		if (column[i] < '0' || column[i] > '9' || number > INT64_MAX / 10 - 1) {
			return false;
		}
		number = number * 10 + (uint64_t)(column[i] - '0');
	}
	*ret_number = (int64_t)number;
	return column && length > 0;
}

static bool read_tsv(struct rest *rest, struct point *ret_point)
{
	size_t length = 0;
	bool is_read = true;

	ret_point->head = rest->at + 1;
	for (int i = 0; i < HEAD_COLUMNS && is_read; i++) {
		is_read = take_column(rest, &length) != NULL;
	}
	ret_point->head_length = is_read ? (size_t)(rest->at - ret_point->head) : 0;
	is_read = is_read && take_digits(rest, false, &ret_point->ts);
	for (int i = 0; i < POINT_FIGURES && is_read; i++) {
		is_read = take_digits(rest, true, &ret_point->figures[i]);
	}
	return is_read;
}

/* ---- RowBinary ---- */

static bool take_little(struct rest *rest, size_t bytes, int64_t *ret_number)
{
	uint64_t number = 0;

	if ((size_t)(rest->end - rest->at) < bytes) {
		return false;
	}
	for (size_t i = 0; i < bytes; i++) {
		number |= (uint64_t)(unsigned char)rest->at[i] << (8 * i);
	}
	rest->at += bytes;
	*ret_number = (int64_t)number;
	return true;
}

static bool skip_text(struct rest *rest)
{
	enum { MORE = 0x80, BITS = 7, BITS_MAX = 28 };
	size_t length = 0;
	int64_t byte = MORE;

	for (int shift = 0; byte & MORE; shift += BITS) {
		if (shift > BITS_MAX || !take_little(rest, 1, &byte)) {
			return false;
		}
		length |= (size_t)(byte & (MORE - 1)) << shift;
	}
	if ((size_t)(rest->end - rest->at) < length) {
		return false;
	}
	rest->at += length;
	return true;
}

static bool read_binary(struct rest *rest, struct point *ret_point)
{
	int64_t number = 0;
	bool is_read = true;

	ret_point->head = rest->at;
	for (int i = 0; i < HEAD_COLUMNS && is_read; i++) {
		/* recording and run. */
		is_read = i == 0 || i == 5 ? take_little(rest, 8, &number) : skip_text(rest);
	}
	ret_point->head_length = is_read ? (size_t)(rest->at - ret_point->head) : 0;
	is_read = is_read && take_little(rest, 4, &ret_point->ts);
	for (int i = 0; i < POINT_FIGURES && is_read; i++) {
		ret_point->figures[i] = POINT_UNKNOWN;
		is_read = take_little(rest, 1, &number) &&
				(number != 0 || take_little(rest, 8, &ret_point->figures[i]));
	}
	return is_read;
}

/* ---- Hours ---- */

static bool read_point(const struct row_text *text, size_t row, struct point *ret_point)
{
	struct rest rest = { text->bytes + text->rows[row], text->bytes + text->length };

	rest.at += text->format == ROW_TSV ? ROW_ROOM_TSV : ROW_ROOM_BINARY;
	return text->format == ROW_TSV ? read_tsv(&rest, ret_point) : read_binary(&rest, ret_point);
}

bool push_old_fold(struct row_text *text)
{
	struct row_text folded = { .format = text->format };
	struct push_hour hour = { 0 };
	struct point last = { .head = "" };
	bool is_read = true;

	for (size_t i = 0; i < text->row_count && is_read; i++) {
		struct point point;

		is_read = read_point(text, i, &point);
		if (is_read &&
				(i == 0 || point.head_length != last.head_length ||
						memcmp(point.head, last.head, last.head_length) !=
								0 ||
						!push_hour_add(&hour, point.ts, point.figures))) {
			push_hour_end(&hour, &folded);
			row_begin(&folded);
			row_escaped(&folded, point.head, point.head_length);
			(void)push_hour_add(&hour, point.ts, point.figures);
		}
		last = point;
	}
	push_hour_end(&hour, &folded);
	if (!is_read || folded.is_failed) {
		row_text_finish(&folded);
		return false;
	}
	row_text_finish(text);
	*text = folded;
	return true;
}
