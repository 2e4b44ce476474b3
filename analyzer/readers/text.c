/*
 * SPDX-License-Identifier: MIT
 */
#include "text.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct text text_trim(struct text text)
{
	while (text.length > 0 && is_blank(text.at[0])) {
		text = text_from(text, 1);
	}

	while (text.length > 0 && is_blank(text.at[text.length - 1])) {
		text.length--;
	}

	return text;
}

struct text text_cut(struct text text, char separator, struct text *ret_rest)
{
	const char *found = text.length > 0 ? memchr(text.at, separator, text.length) : NULL;
	size_t length = found ? (size_t)(found - text.at) : text.length;

	*ret_rest = found ? text_from(text, length + 1)
			  : (struct text){ text.length > 0 ? text.at + text.length : text.at, 0 };
	text.length = length;
	return text;
}

struct text text_word(struct text *rest)
{
	struct text word;

	while (rest->length > 0 && is_blank(rest->at[0])) {
		*rest = text_from(*rest, 1);
	}

	word = (struct text){ rest->at, 0 };
	while (word.length < rest->length && !is_blank(rest->at[word.length])) {
		word.length++;
	}

	*rest = text_from(*rest, word.length);
	return word;
}

size_t text_find(struct text text, const char *word)
{
	const char *found =
			text.length > 0 ? memmem(text.at, text.length, word, strlen(word)) : NULL;

	return found ? (size_t)(found - text.at) : text.length;
}

bool text_number(struct text text, int64_t *ret_number, bool *ret_is_huge)
{
	uint64_t number = 0;
	bool is_huge = false;

	if (text.length == 0) {
		return false;
	}

	for (size_t i = 0; i < text.length; i++) {
		uint64_t digit = (uint64_t)(unsigned char)text.at[i] - '0';

		if (digit > 9) {
			return false;
		}

		if (number > (INT64_MAX - digit) / 10) {
			is_huge = true;
		} else {
			number = number * 10 + digit;
		}
	}

	*ret_number = is_huge ? INT64_MAX : (int64_t)number;
	*ret_is_huge = is_huge;
	return true;
}

/* Length of the UTF-8 sequence at the front; 0: it is none, or of a kind that is not allowed. */
static size_t sequence_length(const unsigned char *at, size_t left)
{
	size_t length = at[0] < 0x80   ? 1
			: at[0] < 0xc2 ? 0
			: at[0] < 0xe0 ? 2
			: at[0] < 0xf0 ? 3
				       : 4;

	if (length == 0 || at[0] > 0xf4 || length > left) {
		return 0;
	}

	for (size_t i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80) {
			return 0;
		}
	}

	/* Overlong forms, surrogates, beyond U+10FFFF. */
	if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
			(at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f)) {
		return 0;
	}

	return length;
}

void text_insert(struct insert *insert, struct text text)
{
	static const char unknown[] = "\xef\xbf\xbd";
	static const char ellipsis[] = "\xe2\x80\xa6";
	char clean[TEXT_MAX_BYTES + 8];
	size_t used = 0;
	size_t at = 0;

	if (!text.at) {
		insert_text(insert, NULL);
		return;
	}

	while (at < text.length && used < TEXT_MAX_BYTES) {
		const unsigned char *from = (const unsigned char *)text.at + at;
		size_t length = sequence_length(from, text.length - at);

		if (length == 0) {
			clean[used++] = (char)(0xc0 | from[0] >> 6);
			clean[used++] = (char)(0x80 | (from[0] & 0x3f));
			length = 1;
		} else if (from[0] == '\0') {
			memcpy(clean + used, unknown, sizeof(unknown) - 1);
			used += sizeof(unknown) - 1;
		} else {
			memcpy(clean + used, from, length);
			used += length;
		}

		at += length;
	}

	if (at < text.length) {
		memcpy(clean + used, ellipsis, sizeof(ellipsis) - 1);
		used += sizeof(ellipsis) - 1;
	}

	insert_text_of(insert, clean, used);
}
