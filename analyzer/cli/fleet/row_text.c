/*
 * SPDX-License-Identifier: MIT
 *
 * TabSeparated and RowBinary, as their documentation has them.
 */
#include "row_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "growing.h"

enum { PUSH_DIGITS = ROW_ROOM_TSV, PUSH_BYTES = ROW_ROOM_BINARY };

void row_text_finish(struct row_text *text)
{
	free(text->bytes);
	free(text->rows);
	*text = (struct row_text){ .format = text->format };
}

static void append(struct row_text *text, const void *bytes, size_t length)
{
	if (text->is_failed || !csc_grow(&text->bytes, &text->capacity, text->length + length, 1)) {
		text->is_failed = true;
		return;
	}

	memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
}

static void append_little(struct row_text *text, uint64_t number, size_t bytes)
{
	unsigned char little[8];

	for (size_t i = 0; i < bytes; i++) {
		little[i] = (unsigned char)(number >> (8 * i));
	}

	append(text, little, bytes);
}

/* LEB128. */
static void append_count(struct row_text *text, size_t count)
{
	enum { MORE = 0x80 };

	for (size_t rest = count;; rest >>= 7) {
		bool is_last = rest < MORE;

		append_little(text, is_last ? rest : (rest | MORE), 1);
		if (is_last) {
			return;
		}
	}
}

/* Between two columns of TSV. */
static void separate(struct row_text *text)
{
	if (text->format == ROW_TSV && text->has_column) {
		append(text, "\t", 1);
	}

	text->has_column = true;
}

void row_begin(struct row_text *text)
{
	static const char room[PUSH_DIGITS + 1] = "0000000000000000000";

	if (!csc_grow_by_one(&text->rows, text->row_count, sizeof(*text->rows))) {
		text->is_failed = true;
		return;
	}

	text->rows[text->row_count++] = text->length;
	append(text, room, text->format == ROW_TSV ? PUSH_DIGITS : PUSH_BYTES);
	text->has_column = true;
}

void row_end(struct row_text *text)
{
	if (text->format == ROW_TSV) {
		append(text, "\n", 1);
	}
}

void row_number(struct row_text *text, uint64_t number, size_t bytes)
{
	char digits[24];

	separate(text);
	if (text->format == ROW_BINARY) {
		append_little(text, number, bytes);
		return;
	}

	append(text, digits, (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, number));
}

void row_real(struct row_text *text, double number)
{
	char digits[40];
	uint64_t bits;

	separate(text);
	if (text->format == ROW_BINARY) {
		memcpy(&bits, &number, sizeof(bits));
		append_little(text, bits, sizeof(bits));
		return;
	}

	append(text, digits, (size_t)snprintf(digits, sizeof(digits), "%.17g", number));
}

static void append_escaped(struct row_text *text, const char *string, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		switch (string[i]) {
		case '\t':
			append(text, "\\t", 2);
			break;
		case '\n':
			append(text, "\\n", 2);
			break;
		case '\r':
			append(text, "\\r", 2);
			break;
		case '\\':
			append(text, "\\\\", 2);
			break;
		case '\0':
			append(text, "\\0", 2);
			break;
		default:
			append(text, string + i, 1);
			break;
		}
	}
}

void row_array(struct row_text *text, const int64_t *numbers, size_t count, size_t bytes)
{
	enum { DIGITS = 24 };
	char digits[DIGITS];

	separate(text);
	if (text->format == ROW_BINARY) {
		append_count(text, count);
	} else {
		append(text, "[", 1);
	}

	for (size_t i = 0; i < count; i++) {
		if (text->format == ROW_BINARY) {
			append_little(text, (uint64_t)numbers[i], bytes);
		} else {
			append(text, digits,
					(size_t)snprintf(digits, DIGITS,
							i > 0 ? ",%" PRId64 : "%" PRId64,
							numbers[i]));
		}
	}

	if (text->format == ROW_TSV) {
		append(text, "]", 1);
	}
}

void row_string(struct row_text *text, const char *string, size_t length)
{
	separate(text);
	if (text->format == ROW_TSV) {
		append_escaped(text, string, length);
		return;
	}

	append_count(text, length);
	append(text, string, length);
}

void row_escaped(struct row_text *text, const char *column, size_t length)
{
	separate(text);
	append(text, column, length);
}

void row_null(struct row_text *text, bool is_null)
{
	if (text->format == ROW_BINARY) {
		append_little(text, is_null, 1);
	} else if (is_null) {
		separate(text);
		append(text, "\\N", 2);
	}
}

void row_text_sign(struct row_text *text, uint64_t push)
{
	char digits[PUSH_DIGITS + 2];

	(void)snprintf(digits, sizeof(digits), "%0*" PRIu64, PUSH_DIGITS, push);
	for (size_t i = 0; i < text->row_count; i++) {
		char *room = text->bytes + text->rows[i];

		if (text->format == ROW_TSV) {
			memcpy(room, digits, PUSH_DIGITS);
			continue;
		}

		for (size_t j = 0; j < PUSH_BYTES; j++) {
			room[j] = (char)(push >> (8 * j));
		}
	}
}

uint64_t row_hash(uint64_t hash, const void *bytes, size_t length)
{
	const unsigned char *at = bytes;

	hash = hash ? hash : UINT64_C(14695981039346656037);
	for (size_t i = 0; i < length; i++) {
		hash = (hash ^ at[i]) * UINT64_C(1099511628211);
	}

	return hash;
}
