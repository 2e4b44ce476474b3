/*
 * SPDX-License-Identifier: MIT
 *
 * What the parts of the parser share: complaints, and numbers of a line.
 */
#include "board_line.h"

#include <ctype.h>
#include <stdio.h>

void board_complain(
		struct board_text *board, const char *kind, int64_t line, const char *format, ...)
{
	char sentence[256];
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	board->sink.problem(board->sink.context, kind, line, sentence);
}

static bool is_digits(struct text text)
{
	for (size_t i = 0; i < text.length; i++) {
		if (!isdigit((unsigned char)text.at[i])) {
			return false;
		}
	}

	return text.length > 0;
}

bool board_number(struct text text, int64_t *ret_number, size_t *ret_end)
{
	const char *begin = text.at;
	struct text word = text_word(&text);
	struct text next;
	bool is_huge = false;
	int64_t number = 0;

	/* "1 572 856" is none; "37 00:04:36.883 [info]" is one, with something behind it. */
	next = text_word(&text);
	*ret_end = (size_t)(word.at - begin) + word.length;
	if (!text_number(word, &number, &is_huge) || is_huge || number > INT64_MAX / 2 ||
			is_digits(next)) {
		return false;
	}

	*ret_number = number;
	return true;
}
