/*
 * SPDX-License-Identifier: MIT
 *
 * Terms as ~p and the shell print them.
 */
#include <ctype.h>

#include "term.h"

static int peek(struct terms *terms)
{
	return reader_input_peek(terms->input);
}

static int next(struct terms *terms)
{
	return reader_input_byte(terms->input);
}

static void skip_blanks(struct terms *terms)
{
	int c;

	while ((c = peek(terms)) >= 0 && (isspace(c) || c == '%')) {
		if (c == '%') {
			while (c >= 0 && c != '\n') {
				(void)next(terms);
				c = peek(terms);
			}
		} else {
			(void)next(terms);
		}
	}
}

static void put(struct term_item *item, int c)
{
	if (item->length < sizeof(item->text)) {
		item->text[item->length++] = (char)c;
	}
}

/* The character behind a backslash: letters stand for control characters, others for themselves. */
static int escaped(struct terms *terms)
{
	static const char letters[] = "nrtbfves0d";
	static const char meanings[] = "\n\r\t\b\f\v\x1b \0\x7f";
	int c = next(terms);
	const char *found = c > 0 ? strchr(letters, c) : NULL;
	int value = 0;

	if (c == 'x' && peek(terms) == '{') {
		(void)next(terms);
		while ((c = next(terms)) >= 0 && c != '}') {
			value = value * 16 % 0x1000000 +
					(isdigit(c) ? c - '0' : (tolower(c) - 'a' + 10) & 0xf);
		}

		return c < 0 ? -1 : value < 0x80 ? value : '?';
	}

	return found ? (unsigned char)meanings[found - letters] : c;
}

/* What is between quotes; false: the quote does not end in its line, as it does in all prints. */
static bool read_quoted(struct terms *terms, struct term_item *item)
{
	int quote = next(terms);
	int c;

	while ((c = peek(terms)) >= 0 && c != '\n') {
		(void)next(terms);
		if (c == quote) {
			return true;
		}

		if (c == '\\') {
			c = escaped(terms);
			if (c < 0) {
				return false;
			}
		}

		put(item, c);
	}

	return false;
}

/* "abc" "def" is one string. */
static bool read_string(struct terms *terms, struct term_item *item)
{
	item->kind = TERM_STRING;
	do {
		if (!read_quoted(terms, item)) {
			return false;
		}
		skip_blanks(terms);
	} while (peek(terms) == '"');

	return true;
}

static int digit_of(int c)
{
	return isdigit(c) ? c - '0' : isalpha(c) ? tolower(c) - 'a' + 10 : 99;
}

static void read_digits(struct terms *terms, int base, struct term_item *item)
{
	uint64_t number = 0;

	for (;;) {
		int c = peek(terms);
		int digit = digit_of(c);

		if (digit >= base && c != '_') {
			break;
		}

		(void)next(terms);
		if (c == '_') {
			continue;
		}

		put(item, c);
		/* Below 2^58 no base up to 36 can take it beyond INT64_MAX. */
		if (number >> 57 != 0 &&
				number > ((uint64_t)INT64_MAX - (uint64_t)digit) / (uint64_t)base) {
			item->is_huge = true;
		} else {
			number = number * (uint64_t)base + (uint64_t)digit;
		}
	}

	item->number = item->is_huge ? INT64_MAX : (int64_t)number;
}

/* 12, -7, 16#ff, 1.5e-3; the end of a term behind a number is no decimal point. */
static bool read_number(struct terms *terms, struct term_item *item)
{
	bool is_negative = peek(terms) == '-';

	if (is_negative) {
		put(item, next(terms));
	}

	item->kind = TERM_INTEGER;
	if (!isdigit(peek(terms))) {
		return false;
	}

	read_digits(terms, 10, item);
	if (peek(terms) == '#' && item->number >= 2 && item->number <= 36) {
		int base = (int)item->number;

		(void)next(terms);
		*item = (struct term_item){ .kind = TERM_INTEGER };
		read_digits(terms, base, item);
	} else if (peek(terms) == '.') {
		/* "1." at the end of a term: the point is taken with it. */
		(void)next(terms);
		if (isdigit(peek(terms))) {
			item->kind = TERM_FLOAT;
			while (isalnum(peek(terms)) || peek(terms) == '-' || peek(terms) == '+') {
				(void)next(terms);
			}
		}
	}

	if (is_negative) {
		item->number = -item->number;
	}

	return true;
}

/* <0.1.0>, #Ref<0.1.2.3>, #Port<0.1>; up to its end. */
static bool read_identifier(struct terms *terms, struct term_item *item)
{
	int c;

	item->kind = TERM_IDENTIFIER;
	while ((c = next(terms)) >= 0 && c != '\n') {
		put(item, c);
		if (c == '>') {
			return true;
		}
	}

	return false;
}

/* <<"abc">>, <<1,2,3>>: of no interest, up to its end; or a pid. */
static bool read_angle(struct terms *terms, struct term_item *item)
{
	int c;
	bool was_end = false;

	put(item, next(terms));
	if (peek(terms) != '<') {
		return read_identifier(terms, item);
	}

	item->kind = TERM_BINARY;
	while ((c = peek(terms)) >= 0) {
		struct term_item ignored = { .kind = TERM_STRING };

		if (c == '"') {
			if (!read_quoted(terms, &ignored)) {
				return false;
			}
			was_end = false;
			continue;
		}

		(void)next(terms);
		if (c == '>' && was_end) {
			return true;
		}
		was_end = c == '>';
	}

	return false;
}

static bool read_atom(struct terms *terms, struct term_item *item)
{
	item->kind = TERM_ATOM;
	if (peek(terms) == '\'') {
		return read_quoted(terms, item);
	}

	while (isalnum(peek(terms)) || peek(terms) == '_' || peek(terms) == '@') {
		put(item, next(terms));
	}

	return item->length > 0;
}

static bool read_scalar(struct terms *terms)
{
	struct term_item item = { .kind = TERM_ATOM };
	int c = peek(terms);
	bool is_read;

	if (c == '"') {
		is_read = read_string(terms, &item);
	} else if (isdigit(c) || c == '-') {
		is_read = read_number(terms, &item);
	} else if (c == '<') {
		is_read = read_angle(terms, &item);
	} else if (c == '#') {
		is_read = read_identifier(terms, &item);
	} else {
		is_read = c >= 0 && (islower(c) || c == '\'') && read_atom(terms, &item);
	}

	if (is_read) {
		term_scalar(terms, &item);
	}

	return is_read;
}

/* '{', '[' or "#{"; *ret_is_open false: it is none of them. */
static bool open_container(struct terms *terms, bool *ret_is_open)
{
	enum term_kind kind = TERM_TUPLE;
	int c = peek(terms);

	*ret_is_open = true;
	if (c == '#') {
		(void)next(terms);
		if (peek(terms) != '{') {
			struct term_item item = {
				.kind = TERM_IDENTIFIER, .text = "#", .length = 1
			};

			*ret_is_open = false;
			if (!read_identifier(terms, &item)) {
				return false;
			}
			term_scalar(terms, &item);
			return true;
		}
		kind = TERM_MAP;
	} else if (c == '[') {
		kind = TERM_LIST;
	} else if (c != '{') {
		*ret_is_open = false;
		return read_scalar(terms);
	}

	(void)next(terms);
	return term_open(terms, kind);
}

/* Closes what ends here, and takes the comma; false: neither is there. */
static bool read_ends(struct terms *terms)
{
	while (terms->depth > 0) {
		int c;

		skip_blanks(terms);
		c = peek(terms);
		if (c == ',' || c == '|') {
			(void)next(terms);
			return true;
		}

		if (c == '=') {
			(void)next(terms);
			if (next(terms) != '>') {
				return false;
			}
			return true;
		}

		if (c != ']' && c != '}') {
			return false;
		}

		(void)next(terms);
		if (!term_close(terms,
				    c == ']' ? TERM_LIST
						    : terms->frames[terms->depth - 1].kind ==
								    TERM_MAP
						    ? TERM_MAP
						    : TERM_TUPLE)) {
			return false;
		}
	}

	return true;
}

enum term_outcome term_read_text(struct terms *terms)
{
	terms->depth = 0;
	do {
		bool is_open;

		skip_blanks(terms);
		if (peek(terms) < 0) {
			return terms->depth == 0 ? TERM_AT_END : TERM_BROKEN;
		}

		if (!open_container(terms, &is_open)) {
			return TERM_BROKEN;
		}

		skip_blanks(terms);
		if (is_open && peek(terms) != ']' && peek(terms) != '}') {
			continue;
		}

		if (!read_ends(terms)) {
			return TERM_BROKEN;
		}
	} while (terms->depth > 0);

	return TERM_READ;
}
