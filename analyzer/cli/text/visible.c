/*
 * SPDX-License-Identifier: MIT
 *
 * UTF-8, character by character.
 */
#include "visible.h"

#include <stdbool.h>
#include <stdlib.h>

/* No character has it: a byte that is no UTF-8. */
enum { NO_CODE = 0x110000 };

/* Reads one character; NO_CODE and one byte where there is none. */
static size_t read_character(const char *text, unsigned int *ret_code)
{
	static const unsigned int least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char first = (unsigned char)*text;
	size_t length = first < 0x80   ? 1
			: first < 0xc2 ? 0
			: first < 0xe0 ? 2
			: first < 0xf0 ? 3
			: first < 0xf5 ? 4
				       : 0;
	unsigned int code = length == 1 ? first : first & (0x7fU >> length);

	for (size_t i = 1; i < length; i++) {
		if (((unsigned char)text[i] & 0xc0) != 0x80) {
			length = 0;
			break;
		}
		code = code << 6 | ((unsigned char)text[i] & 0x3f);
	}

	if (length == 0 || code < least[length] || code >= NO_CODE ||
			(code >= 0xd800 && code < 0xe000)) {
		*ret_code = NO_CODE;
		return 1;
	}

	*ret_code = code;
	return length;
}

static bool is_hidden(unsigned int code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
			code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
			(code >= 0x2066 && code <= 0x2069) || code == NO_CODE;
}

size_t visible_hidden(const char *text, unsigned int *ret_code, size_t *ret_length)
{
	*ret_length = read_character(text, ret_code);
	return is_hidden(*ret_code) ? *ret_length : 0;
}

void visible_print(FILE *stream, const char *text, enum visible_form form)
{
	while (*text) {
		unsigned int code;
		size_t length;
		bool is_kept = visible_hidden(text, &code, &length) == 0 ||
				(form != VISIBLE_CELL && (code == '\n' || code == '\t'));

		if (is_kept) {
			(void)fwrite(text, 1, length, stream);
		} else if (form == VISIBLE_JSON) {
			(void)fprintf(stream, "\\u%04x", code == NO_CODE ? 0xfffd : code);
		} else if (code == NO_CODE || code < 0x80) {
			(void)fprintf(stream, "\\x%02x", (unsigned char)*text);
		} else {
			(void)fprintf(stream, "\\u{%x}", code);
		}

		text += length;
	}
}

char *visible_copy(const char *text, enum visible_form form)
{
	char *copy = NULL;
	size_t bytes = 0;
	FILE *stream = open_memstream(&copy, &bytes);

	if (!stream) {
		return NULL;
	}

	visible_print(stream, text, form);
	if (fclose(stream) != 0) {
		free(copy);
		return NULL;
	}

	return copy;
}
