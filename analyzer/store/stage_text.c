/*
 * SPDX-License-Identifier: MIT
 *
 * As much of SQL as is needed to find names and brackets.
 */
#include "stage_text.h"

#include <ctype.h>
#include <string.h>

/* Behind the quoted text that begins here; a quote in it is there twice, which makes two of them.
 */
static const char *skip_quoted(const char *at)
{
	const char *end = strchr(at + 1, *at);

	return end ? end + 1 : at + strlen(at);
}

/* Behind a comment or a string that begins here; else `at` itself. */
static const char *skip_silent(const char *at)
{
	const char *end;

	if (at[0] == '\'') {
		return skip_quoted(at);
	}
	if (at[0] == '-' && at[1] == '-') {
		return at + strcspn(at, "\n");
	}
	if (at[0] == '/' && at[1] == '*') {
		end = strstr(at + 2, "*/");
		return end ? end + 2 : at + strlen(at);
	}

	return at;
}

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Passes over blanks and comments. */
static const char *skip_blank(const char *at)
{
	for (;;) {
		const char *behind = at + strspn(at, " \t\r\n");

		if (*behind == '-' || *behind == '/') {
			behind = skip_silent(behind);
		}
		if (behind == at) {
			return at;
		}
		at = behind;
	}
}

bool stage_text_next(const char **text, struct stage_word *ret_word)
{
	const char *at = *text;

	while (*at) {
		const char *begin = at;

		if (*at == '"') {
			at = skip_quoted(at);
			*ret_word = (struct stage_word){ begin + 1,
				at - begin > 2 ? (size_t)(at - begin) - 2 : 0 };
		} else if (is_letter(*at)) {
			while (is_letter(*at)) {
				at++;
			}
			*ret_word = (struct stage_word){ begin, (size_t)(at - begin) };
		} else {
			at = skip_silent(at);
			at += at == begin;
			continue;
		}

		*text = at;
		if (!isdigit((unsigned char)*begin)) {
			return true;
		}
	}

	return false;
}

bool stage_text_is(struct stage_word word, const char *name)
{
	return strlen(name) == word.length && memcmp(word.at, name, word.length) == 0;
}

bool stage_text_read(const char **text, struct stage_word *ret_word)
{
	struct stage_word word;

	while (stage_text_next(text, &word)) {
		if (!stage_text_is(word, "FROM") && !stage_text_is(word, "JOIN")) {
			continue;
		}
		if (!stage_text_next(text, ret_word)) {
			return false;
		}
		return **text != '.' || stage_text_next(text, ret_word);
	}

	return false;
}

const char *stage_text_query(const char *sql, const char *view)
{
	static const char create[] = "CREATE VIEW ";
	size_t length = strlen(view);

	if (!sql || strncmp(sql, create, sizeof(create) - 1) != 0) {
		return NULL;
	}

	sql += sizeof(create) - 1;
	return strncmp(sql, view, length) == 0 && strncmp(sql + length, " AS", 3) == 0
			? sql + length + 3
			: NULL;
}

/* Reads what stands in brackets, with them. */
static bool read_brackets(const char **at, struct stage_word *ret_inside)
{
	const char *begin = skip_blank(*at);
	const char *end = begin;
	int depth = 0;

	if (*begin != '(') {
		return false;
	}

	do {
		const char *behind = *end == '"' ? skip_quoted(end) : skip_silent(end);

		depth += (*end == '(') - (*end == ')');
		end = behind > end ? behind : end + 1;
	} while (depth > 0 && *end);

	*at = end;
	*ret_inside = (struct stage_word){ begin, (size_t)(end - begin) };
	return depth == 0;
}

/* Reads a name or keyword that stands just here. */
static bool read_word(const char **at, struct stage_word *ret_word)
{
	const char *begin = skip_blank(*at);
	const char *behind = begin;

	if (!is_letter(*begin) || !stage_text_next(&behind, ret_word) || ret_word->at != begin) {
		return false;
	}

	*at = behind;
	return true;
}

/* Reads a keyword, if it is the next. */
static bool read_keyword(const char **at, const char *keyword)
{
	const char *behind = *at;
	struct stage_word word;

	if (!read_word(&behind, &word) || !stage_text_is(word, keyword)) {
		return false;
	}

	*at = behind;
	return true;
}

static int count_name(const char *text, const char *end, struct stage_word name)
{
	struct stage_word word;
	int count = 0;

	while (stage_text_next(&text, &word) && word.at < end) {
		count += word.length == name.length && memcmp(word.at, name.at, name.length) == 0;
	}

	return count;
}

bool stage_text_part(const char **at, struct stage_part *ret_part)
{
	const char *next = skip_blank(*at);
	struct stage_part part = { 0 };
	const char *end;
	bool is_once;

	if (*next == ',') {
		next++;
	} else if (!read_keyword(&next, "WITH")) {
		return false;
	}

	(void)read_keyword(&next, "RECURSIVE");
	if (!read_word(&next, &part.name)) {
		return false;
	}

	(void)read_brackets(&next, &part.columns);
	if (!read_keyword(&next, "AS")) {
		return false;
	}

	is_once = read_keyword(&next, "MATERIALIZED");
	if (!read_brackets(&next, &part.body)) {
		return false;
	}

	end = part.body.at + part.body.length;
	part.is_shared = is_once && count_name(part.body.at, end, part.name) == 0 &&
			count_name(end, end + strlen(end), part.name) > 1;
	*ret_part = part;
	*at = next;
	return true;
}
