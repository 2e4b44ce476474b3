/*
 * SPDX-License-Identifier: MIT
 *
 * Reads a term without recursion: containers that are open are on a stack.  What breaks off is
 * closed where it does.
 */
#include "value.h"

#include <ctype.h>
#include <stdlib.h>

enum { NUMBER_BYTES = 64 };

struct open_value {
	struct value *value;

	/* {Key, Value} of "key: value": it closes behind its second element. */
	bool is_implied;
};

struct reading {
	struct value_arena *arena;
	const char *begin;
	const char *at;
	const char *end;
	uint32_t line;
	struct open_value open[VALUE_DEPTH];
	size_t depth;

	/* What was read last is a value: a comma, an arrow or an end follows. */
	bool is_behind_value;
	struct value_result result;
};

static int peek(const struct reading *reading, size_t ahead)
{
	return (size_t)(reading->end - reading->at) > ahead ? (unsigned char)reading->at[ahead]
							    : -1;
}

static bool is_word(int c)
{
	return isalnum(c) || c == '_' || c == '@';
}

static void skip_blanks(struct reading *reading)
{
	while (reading->at < reading->end) {
		int c = peek(reading, 0);

		if (c == '%' && peek(reading, 1) != '{' && !isupper(peek(reading, 1))) {
			/* A comment of Erlang. */
			while (reading->at < reading->end && *reading->at != '\n') {
				reading->at++;
			}
			continue;
		}
		if (!isspace(c)) {
			return;
		}
		reading->line += c == '\n';
		reading->at++;
	}
}

static struct value *new_value(struct reading *reading, enum value_kind kind)
{
	struct value *value = value_new(reading->arena, kind, reading->line);

	if (!value) {
		reading->result.has_failed = true;
	}
	return value;
}

/* Closes pairs that have both. */
static void end_pairs(struct reading *reading)
{
	while (reading->depth > 1 && reading->open[reading->depth - 1].is_implied &&
			reading->open[reading->depth - 1].value->count == 2) {
		reading->depth--;
	}
}

static void add(struct reading *reading, struct value *value)
{
	if (value) {
		value_add(reading->open[reading->depth - 1].value, value);
		reading->is_behind_value = true;
		end_pairs(reading);
	}
}

static bool push(struct reading *reading, enum value_kind kind, bool is_implied)
{
	struct value *value;

	if (reading->depth == VALUE_DEPTH) {
		reading->result.is_too_deep = true;
		return false;
	}

	value = new_value(reading, kind);
	if (!value) {
		return false;
	}
	if (reading->depth > 0) {
		value_add(reading->open[reading->depth - 1].value, value);
	} else {
		reading->result.value = value;
	}
	reading->open[reading->depth++] = (struct open_value){ value, is_implied };
	reading->is_behind_value = false;
	return true;
}

/* Between quotes; false: there is no second one on this line or the next. */
static bool read_quoted(struct reading *reading, struct text *ret_text)
{
	char quote = *reading->at++;
	const char *begin = reading->at;

	while (reading->at < reading->end && *reading->at != quote) {
		if (*reading->at == '\\' && reading->at + 1 < reading->end) {
			reading->at++;
		}
		reading->line += *reading->at == '\n';
		reading->at++;
	}

	*ret_text = (struct text){ begin, (size_t)(reading->at - begin) };
	if (reading->at == reading->end) {
		return false;
	}
	reading->at++;
	return true;
}

/* Digits, with "_" or single blanks between groups of three. */
static size_t read_digits(struct reading *reading, char *digits, size_t length)
{
	while (reading->at < reading->end) {
		int c = peek(reading, 0);
		bool is_group = c == ' ' && isdigit(peek(reading, 1)) &&
				isdigit(peek(reading, 2)) && isdigit(peek(reading, 3)) &&
				!isdigit(peek(reading, 4));

		if (is_group || (c == '_' && isdigit(peek(reading, 1)))) {
			reading->result.is_elixir = true;
			reading->at++;
			continue;
		}
		if (!isdigit(c)) {
			break;
		}
		if (length < NUMBER_BYTES - 1) {
			digits[length++] = (char)c;
		}
		reading->at++;
	}
	return length;
}

static struct value *read_number(struct reading *reading)
{
	struct value *value = new_value(reading, VALUE_INTEGER);
	char digits[NUMBER_BYTES];
	const char *begin = reading->at;
	size_t length = 0;

	if (!value) {
		return NULL;
	}
	if (*reading->at == '-') {
		digits[length++] = *reading->at++;
	}
	length = read_digits(reading, digits, length);
	if (peek(reading, 0) == '.' && isdigit(peek(reading, 1))) {
		value->kind = VALUE_FLOAT;
		digits[length++ < NUMBER_BYTES - 1 ? length - 1 : NUMBER_BYTES - 2] = '.';
		reading->at++;
		length = read_digits(reading, digits, length < NUMBER_BYTES ? length : 0);
	}
	if ((peek(reading, 0) == 'e' || peek(reading, 0) == 'E') &&
			(isdigit(peek(reading, 1)) ||
					((peek(reading, 1) == '-' || peek(reading, 1) == '+') &&
							isdigit(peek(reading, 2))))) {
		value->kind = VALUE_FLOAT;
		if (length < NUMBER_BYTES - 2) {
			digits[length++] = 'e';
			digits[length++] = reading->at[1];
		}
		reading->at += 2;
		length = read_digits(reading, digits, length);
	}
	/* Of another base than ten. */
	if (peek(reading, 0) == '#') {
		reading->at++;
		while (isalnum(peek(reading, 0))) {
			reading->at++;
		}
		value->kind = VALUE_IDENTIFIER;
	}

	digits[length] = '\0';
	value->text = (struct text){ begin, (size_t)(reading->at - begin) };
	value->real = strtod(digits, NULL);
	if (value->kind == VALUE_INTEGER) {
		struct text plain = { digits, length };
		bool is_negative = length > 0 && digits[0] == '-';

		if (is_negative) {
			plain = text_from(plain, 1);
		}
		if (!text_number(plain, &value->number, &value->is_huge)) {
			return NULL;
		}
		value->number = is_negative ? -value->number : value->number;
	}
	return value;
}

/* <<...>>, <0.1.0>, #PID<0.1.0>. */
static struct value *read_angle(struct reading *reading)
{
	struct value *value = new_value(reading, VALUE_IDENTIFIER);
	const char *begin = reading->at;
	size_t depth = 0;

	while (value && reading->at < reading->end && *reading->at != '\n') {
		char c = *reading->at;

		if (c == '"') {
			struct text text;

			if (!read_quoted(reading, &text)) {
				return NULL;
			}
			/* <<"text">> */
			if (depth == 2 && reading->at - begin == (ptrdiff_t)text.length + 4) {
				value->kind = VALUE_STRING;
				value->text = text;
			}
			continue;
		}
		reading->at++;
		depth += c == '<';
		depth -= c == '>' && depth > 0;
		if (c == '>' && depth == 0) {
			if (value->kind == VALUE_IDENTIFIER) {
				value->text = (struct text){ begin, (size_t)(reading->at - begin) };
			}
			return value;
		}
	}
	return NULL;
}

static struct value *read_word(struct reading *reading)
{
	struct value *value = new_value(reading, VALUE_ATOM);
	const char *begin = reading->at;

	/* Names of modules of Elixir have dots. */
	while (is_word(peek(reading, 0)) ||
			(peek(reading, 0) == '.' && isupper(peek(reading, 1))) ||
			(*begin != '.' && (peek(reading, 0) == '/') && is_word(peek(reading, 1)))) {
		reading->at++;
	}
	if (peek(reading, 0) == '!' || peek(reading, 0) == '?') {
		reading->at++;
	}
	if (value) {
		value->text = (struct text){ begin, (size_t)(reading->at - begin) };
	}
	return value;
}

static struct value *read_string(struct reading *reading, enum value_kind kind)
{
	struct value *value = new_value(reading, kind);

	return value && read_quoted(reading, &value->text) ? value : NULL;
}

/* A scalar; NULL: there is none. */
static struct value *read_scalar(struct reading *reading)
{
	int c = peek(reading, 0);
	int next = peek(reading, 1);

	if (c == '"') {
		return read_string(reading, VALUE_STRING);
	}
	if (c == '\'') {
		return read_string(reading, VALUE_ATOM);
	}
	if (c == '~' && isalpha(next) && (peek(reading, 2) == '"' || peek(reading, 2) == '\'')) {
		reading->at += 2;
		return read_string(reading, VALUE_STRING);
	}
	reading->result.is_elixir = reading->result.is_elixir || c == '~' || c == ':';
	if (c == ':' && next == '"') {
		reading->at++;
		return read_string(reading, VALUE_ATOM);
	}
	if (c == ':' && is_word(next)) {
		reading->at++;
		return read_word(reading);
	}
	if (isdigit(c) || (c == '-' && isdigit(next))) {
		return read_number(reading);
	}
	if (c == '<' || c == '#') {
		while (c == '#' && peek(reading, 0) != '<' && !isspace(peek(reading, 0)) &&
				peek(reading, 0) >= 0) {
			reading->at++;
		}
		return read_angle(reading);
	}
	return isalpha(c) || c == '_' ? read_word(reading) : NULL;
}

/* "...", or the one character for it, leaves something out. */
static bool skip_ellipsis(struct reading *reading)
{
	static const char *const marks[] = { "...", "\xe2\x80\xa6" };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		struct text rest = { reading->at, (size_t)(reading->end - reading->at) };

		if (text_begins(rest, marks[i])) {
			reading->at += 3;
			for (size_t k = 0; k < reading->depth; k++) {
				reading->open[k].value->is_cut = true;
			}
			return true;
		}
	}
	return false;
}

/* Behind a word or a string: it was the key of "key: value". */
static bool begin_pair(struct reading *reading, struct value *key)
{
	struct value *around = reading->open[reading->depth - 1].value;
	bool is_string = key->kind == VALUE_STRING;
	size_t blanks = 0;

	while (is_string && peek(reading, blanks) == ' ') {
		blanks++;
	}
	if (peek(reading, blanks) == ':') {
		reading->at += blanks;
	}
	if (peek(reading, 0) != ':' || peek(reading, 1) == ':' ||
			(!is_string && !isspace(peek(reading, 1)) && peek(reading, 1) >= 0)) {
		return false;
	}

	reading->at++;
	if (is_string) {
		reading->result.is_json = true;
		if (around->kind == VALUE_TUPLE && around->count == 0) {
			around->kind = VALUE_MAP;
		}
	}

	key->kind = VALUE_ATOM;
	if (around->kind == VALUE_MAP) {
		value_add(around, key);
		return true;
	}
	reading->result.is_elixir = true;
	if (push(reading, VALUE_TUPLE, true)) {
		value_add(reading->open[reading->depth - 1].value, key);
	}
	return true;
}

/* '[', '{', "%{", "#{", "%Name{"; false: none of them. */
static bool open_container(struct reading *reading, bool *ret_is_read)
{
	enum value_kind kind = VALUE_TUPLE;
	size_t length = 1;
	int c = peek(reading, 0);

	*ret_is_read = true;
	if (c == '%' || (c == '#' && peek(reading, 1) == '{')) {
		while (is_word(peek(reading, length)) || peek(reading, length) == '.') {
			length++;
		}
		if (peek(reading, length) != '{') {
			return false;
		}
		length++;
		kind = VALUE_MAP;
		reading->result.is_elixir = reading->result.is_elixir || c == '%';
	} else if (c == '[') {
		kind = VALUE_LIST;
	} else if (c != '{') {
		return false;
	}

	*ret_is_read = push(reading, kind, false);
	reading->at += length;
	return true;
}

/* ']' or '}': closes what is open; false: it is the wrong one. */
static bool close_container(struct reading *reading, int c)
{
	struct value *value;

	/* A pair without its value. */
	while (reading->depth > 1 && reading->open[reading->depth - 1].is_implied) {
		reading->open[reading->depth - 1].value->is_cut = true;
		reading->depth--;
	}

	value = reading->open[reading->depth - 1].value;
	if ((value->kind == VALUE_LIST) != (c == ']')) {
		return false;
	}

	reading->at++;
	reading->depth--;
	reading->is_behind_value = true;
	end_pairs(reading);
	return true;
}

/* One step: a value, a sign between them, an end.  False: neither. */
static bool read_step(struct reading *reading)
{
	int c = peek(reading, 0);
	struct value *value;
	bool is_read;

	if (c == ',' || c == '|') {
		reading->at++;
		reading->is_behind_value = false;
		return true;
	}
	if (c == '=' && peek(reading, 1) == '>') {
		reading->at += 2;
		reading->is_behind_value = false;
		return true;
	}
	if (c == ']' || c == '}') {
		return close_container(reading, c);
	}
	if (skip_ellipsis(reading)) {
		return true;
	}
	if (reading->is_behind_value) {
		return false;
	}
	if (open_container(reading, &is_read)) {
		return is_read;
	}

	value = read_scalar(reading);
	if (!value) {
		return false;
	}
	if ((value->kind == VALUE_ATOM || value->kind == VALUE_STRING) &&
			begin_pair(reading, value)) {
		return !reading->result.is_too_deep && !reading->result.has_failed;
	}
	add(reading, value);
	return true;
}

/* Takes the last child out. */
static void drop_last(struct value *value)
{
	struct value *before = NULL;

	for (struct value *child = value->first; child && child != value->last;
			child = child->next) {
		before = child;
	}
	if (value->last) {
		value->last = before;
		value->count--;
		if (before) {
			before->next = NULL;
		} else {
			value->first = NULL;
		}
	}
}

/* Where the text breaks off a tuple lacks something, and its last number may lack digits. */
static void drop_unfinished(struct reading *reading)
{
	while (reading->depth > 1 && reading->open[reading->depth - 1].value->kind == VALUE_TUPLE) {
		reading->depth--;
		drop_last(reading->open[reading->depth - 1].value);
		reading->is_behind_value = false;
	}
	if (reading->depth > 0) {
		struct value *value = reading->open[reading->depth - 1].value;

		if (value->last && value->last->kind < VALUE_TUPLE &&
				(value->kind != VALUE_MAP || value->count % 2 == 0)) {
			drop_last(value);
		}
		if (value->kind == VALUE_MAP && value->count % 2 == 1) {
			drop_last(value);
		}
	}
}

struct value_result value_read(struct value_arena *arena, struct text text)
{
	struct reading reading = {
		.arena = arena,
		.begin = text.at,
		.at = text.at,
		.end = text.at + text.length,
	};
	bool is_read;

	if (!open_container(&reading, &is_read) || !is_read) {
		reading.result.value = NULL;
		return reading.result;
	}

	while (reading.depth > 0) {
		skip_blanks(&reading);
		if (reading.at == reading.end) {
			reading.result.is_at_end = true;
			break;
		}
		if (!read_step(&reading)) {
			reading.result.is_broken = true;
			break;
		}
	}

	drop_unfinished(&reading);
	for (size_t i = 0; i < reading.depth; i++) {
		reading.open[i].value->is_cut = true;
	}
	reading.result.used = (size_t)(reading.at - reading.begin);
	reading.result.lines = reading.line;
	return reading.result;
}
