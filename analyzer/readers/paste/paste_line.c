/*
 * SPDX-License-Identifier: MIT
 *
 * Lines of a paste: what stands before them, and prompts.
 */
#include <ctype.h>

#include "paste_scan.h"

/* Digits and the signs of a date or a time, at least `least` of them; their number. */
static size_t time_length(struct text text)
{
	size_t length = 0;
	size_t digits = 0;
	size_t signs = 0;

	while (length < text.length) {
		char c = text.at[length];

		if (isdigit((unsigned char)c)) {
			digits++;
		} else if (c == ':' || (c == '-' && digits >= 4) || c == '/') {
			signs++;
		} else if (c != '.' && c != ',' && c != 'T' && c != 'Z' && c != '+') {
			break;
		}
		length++;
	}

	return digits >= 4 && signs >= 2 && (length == text.length || text.at[length] == ' ')
			? length
			: 0;
}

/* "Feb  8 13:28:05 host program[123]: " */
static size_t journal_length(struct text text)
{
	struct text rest = text;
	struct text word = text_word(&rest);

	if (word.length != 3 || !isupper((unsigned char)word.at[0])) {
		return 0;
	}
	word = text_word(&rest);
	if (word.length == 0 || word.length > 2 || !isdigit((unsigned char)word.at[0])) {
		return 0;
	}
	word = text_word(&rest);
	if (word.length == 0 || time_length(word) != word.length) {
		return 0;
	}
	(void)text_word(&rest);
	word = text_word(&rest);
	return word.length > 1 && word.at[word.length - 1] == ':'
			? (size_t)(rest.at - text.at) + (rest.length > 0)
			: 0;
}

/* "app_1  | " of docker compose. */
static size_t service_length(struct text text)
{
	size_t length = 0;

	while (length < text.length && length < 40 &&
			(isalnum((unsigned char)text.at[length]) || text.at[length] == '_' ||
					text.at[length] == '-' || text.at[length] == '.')) {
		length++;
	}
	if (length == 0 || length == text.length) {
		return 0;
	}
	while (length < text.length && text.at[length] == ' ') {
		length++;
	}
	/* A number behind it: it is a row of a table. */
	return length + 2 < text.length && text.at[length] == '|' && text.at[length + 1] == ' ' &&
					!isdigit((unsigned char)text.at[length + 2])
			? length + 2
			: 0;
}

/* Quotation marks, blanks and what logs put before a line. */
static size_t margin_length(struct text text)
{
	size_t length = 0;

	for (int i = 0; i < 8; i++) {
		struct text rest = text_from(text, length);
		size_t more = 0;

		if (rest.length == 0) {
			break;
		}
		if (rest.at[0] == ' ' || rest.at[0] == '\t') {
			more = 1;
			i--;
		} else if (text_begins(rest, "> ") || text_begins(rest, "| ") ||
				text_is(rest, ">")) {
			more = rest.length > 1 ? 2 : 1;
		} else {
			more = time_length(rest);
			more = more > 0 ? more : journal_length(rest);
			more = more > 0 ? more : service_length(rest);
		}
		if (more == 0) {
			break;
		}
		length += more;
	}
	return length;
}

/* "...>" or "...(3)>", of iex, where a term goes on. */
static size_t continuation_length(struct text text)
{
	size_t length = 3;

	if (!text_begins(text, "...")) {
		return 0;
	}
	if (length < text.length && text.at[length] == '(') {
		while (length < text.length && text.at[length] != ')') {
			length++;
		}
		length++;
	}
	return length < text.length && text.at[length] == '>' ? length + 1 : 0;
}

size_t paste_line_clean(struct text line, char *bytes, size_t *ret_margin)
{
	size_t length = 0;
	size_t margin;
	struct text kept;

	for (size_t i = 0; i < line.length; i++) {
		unsigned char c = (unsigned char)line.at[i];

		if (c == 0x1b && i + 1 < line.length && line.at[i + 1] == '[') {
			i += 2;
			while (i < line.length && !isalpha((unsigned char)line.at[i])) {
				i++;
			}
		} else if (c == 0xc2 && i + 1 < line.length &&
				(unsigned char)line.at[i + 1] == 0xa0) {
			/* A blank that does not break, of pages. */
			bytes[length++] = ' ';
			i++;
		} else if (c == '\t' || c >= ' ') {
			bytes[length++] = (char)c;
		} else if (c != '\r') {
			/* Damaged: part of nothing. */
			bytes[length++] = '\1';
		}
	}

	kept = (struct text){ bytes, length };
	margin = margin_length(kept);
	margin += continuation_length(text_from(kept, margin));
	memmove(bytes, bytes + margin, length - margin);
	*ret_margin = margin;
	return length - margin;
}

void paste_line_look(struct text text, struct paste_line *line)
{
	size_t digits = 0;
	size_t most = 0;
	long depth = 0;

	line->letters = 0;
	for (size_t i = 0; i < text.length; i++) {
		char c = text.at[i];

		line->letters |= UINT64_C(1) << (c & 63);
		/* Groups of digits are joined by a sign. */
		digits = isdigit((unsigned char)c) ? digits + 1 : c == '_' || c == ' ' ? digits : 0;
		most = digits > most ? digits : most;
		depth += c == '[' || c == '{';
		depth -= c == ']' || c == '}';
	}
	line->may_be_term = most >= 4 || depth > 0 || text_find(text, "_alloc") < text.length ||
			text_find(text, "<0.") < text.length ||
			text_find(text, "{{") < text.length ||
			text_find(text, "{ok,{") < text.length;
}

/* Length of the prompt that a line begins with: "(app@node)1> ", "1> ", "iex(1)> ", "$ ". */
static size_t prompt_length(struct text line)
{
	size_t at = 0;

	if (text_begins(line, "$ ") || text_begins(line, "# ")) {
		return 2;
	}
	while (at < line.length && at < 96 && line.at[at] != '>' && line.at[at] != '$' &&
			line.at[at] != '#') {
		char c = line.at[at];

		if (!isalnum((unsigned char)c) && !strchr("()@.:~_-/ []", c)) {
			return 0;
		}
		at++;
	}
	if (at == line.length || at >= 96) {
		return 0;
	}
	if (line.at[at] == '>') {
		/* A number is before the sign of a shell. */
		bool has_number = at > 0 &&
				(isdigit((unsigned char)line.at[at - 1]) || line.at[at - 1] == ')');

		return has_number ? at + 1 : 0;
	}
	return at + 1 < line.length && line.at[at + 1] == ' ' && memchr(line.at, '@', at) != NULL
			? at + 2
			: 0;
}

bool paste_line_is_frame(struct text line)
{
	struct text rest = text_trim(line);
	static const char *const words[] = { "ok", "ok.", ":ok", "```", "end", "--", "..." };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (text_is(rest, words[i])) {
			return true;
		}
	}
	return rest.length == 0 || text_begins(rest, "```") || text_begins(rest, "~~~") ||
			prompt_length(rest) > 0;
}

bool paste_line_node(struct text line, char *bytes, size_t room)
{
	size_t prompt = prompt_length(line);
	const char *open = prompt > 0 ? memchr(line.at, '(', prompt) : NULL;
	size_t length = 0;
	bool has_at = false;

	if (!open) {
		return false;
	}

	open++;
	while (open + length < line.at + prompt && open[length] != ')') {
		has_at = has_at || open[length] == '@';
		length++;
	}
	if (!has_at || length >= room) {
		return false;
	}
	memcpy(bytes, open, length);
	bytes[length] = '\0';
	return true;
}

size_t paste_line_call(struct text line, char *bytes, size_t room)
{
	static const char *const modules[] = { "recon_alloc", "recon", "erlang", "instrument",
		"ets" };
	size_t length = 0;
	size_t at = line.length;

	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
		size_t name = strlen(modules[i]);
		size_t found = text_find(line, modules[i]);

		if (found + name < line.length && found < at &&
				(line.at[found + name] == ':' || line.at[found + name] == '.') &&
				(found == 0 ||
						(!isalnum((unsigned char)line.at[found - 1]) &&
								line.at[found - 1] != '_')) &&
				islower((unsigned char)line.at[found + name + 1])) {
			at = found;
		}
	}

	for (; at < line.length && length < room - 1; at++) {
		char c = line.at[at];
		bool is_atom = c == ':' &&
				(length == 0 ||
						!(isalnum((unsigned char)bytes[length - 1]) ||
								bytes[length - 1] == '_'));

		if (c == ' ' || c == '\t' || is_atom) {
			continue;
		}
		if (c == '.' && at + 1 < line.length && islower((unsigned char)line.at[at + 1])) {
			c = ':';
		}
		bytes[length++] = c;
	}
	bytes[length] = '\0';
	return length;
}
