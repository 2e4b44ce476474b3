/*
 * SPDX-License-Identifier: MIT
 */
#include "paste_text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { FORMAT_BYTES = 512 };

void paste_text_add(struct paste_text *text, struct text added)
{
	if (text->length + added.length + 1 > text->room) {
		size_t room = 2 * text->room + added.length + 256;
		char *grown = realloc(text->bytes, room);

		if (!grown) {
			text->has_failed = true;
			return;
		}
		text->bytes = grown;
		text->room = room;
	}

	if (added.length > 0) {
		memcpy(text->bytes + text->length, added.at, added.length);
	}
	for (size_t i = 0; i < added.length; i++) {
		text->lines += added.at[i] == '\n';
	}
	text->length += added.length;
	text->bytes[text->length] = '\0';
}

void paste_text_words(struct paste_text *text, const char *words)
{
	paste_text_add(text, (struct text){ words, strlen(words) });
}

void paste_text_format(struct paste_text *text, const char *format, ...)
{
	char bytes[FORMAT_BYTES];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(bytes, sizeof(bytes), format, arguments);
	va_end(arguments);
	if (length > 0) {
		paste_text_add(text,
				(struct text){ bytes,
						(size_t)length < sizeof(bytes)
								? (size_t)length
								: sizeof(bytes) - 1 });
	}
}

void paste_text_finish(struct paste_text *text)
{
	free(text->bytes);
	*text = (struct paste_text){ 0 };
}

void paste_text_go_to(struct paste_text *text, uint64_t lines)
{
	while (text->lines < lines && !text->has_failed) {
		paste_text_words(text, "\n");
	}
}

static void add_atom(struct paste_text *text, struct text atom)
{
	bool is_plain = atom.length > 0 && islower((unsigned char)atom.at[0]);

	for (size_t i = 0; i < atom.length; i++) {
		is_plain = is_plain &&
				(isalnum((unsigned char)atom.at[i]) || atom.at[i] == '_' ||
						atom.at[i] == '@');
	}
	if (is_plain) {
		paste_text_add(text, atom);
		return;
	}

	paste_text_words(text, "'");
	for (size_t i = 0; i < atom.length; i++) {
		if (atom.at[i] == '\'') {
			paste_text_words(text, "\\");
		}
		paste_text_add(text, (struct text){ atom.at + i, 1 });
	}
	paste_text_words(text, "'");
}

static void add_scalar(struct paste_text *text, const struct value *value)
{
	static const char pid[] = "#PID<";

	switch (value->kind) {
	case VALUE_ATOM:
		add_atom(text, value->text);
		break;
	case VALUE_STRING:
		paste_text_words(text, "\"");
		paste_text_add(text, value->text);
		paste_text_words(text, "\"");
		break;
	case VALUE_INTEGER:
	case VALUE_FLOAT:
		/* Without what groups digits. */
		for (size_t i = 0; i < value->text.length; i++) {
			if (value->text.at[i] != '_' && value->text.at[i] != ' ') {
				paste_text_add(text, (struct text){ value->text.at + i, 1 });
			}
		}
		break;
	default:
		paste_text_add(text,
				text_begins(value->text, pid)
						? text_from(value->text, sizeof(pid) - 2)
						: value->text);
	}
}

/* A container that is being written: the child that comes next, and how many came before it. */
struct written {
	const struct value *value;
	const struct value *next;
	size_t place;
};

static bool is_pairs(const struct written *written, bool has_maps)
{
	return written->value->kind == VALUE_MAP && !has_maps;
}

static void open_one(struct paste_text *text, const struct value *value, bool has_maps)
{
	paste_text_words(text,
			value->kind == VALUE_TUPLE		    ? "{"
					: value->kind == VALUE_LIST ? "["
					: has_maps		    ? "#{"
								    : "[");
}

static void close_one(struct paste_text *text, const struct written *written, bool has_maps)
{
	paste_text_words(text,
			written->value->kind == VALUE_LIST || is_pairs(written, has_maps) ? "]"
											  : "}");
}

/* Behind a child: it was the value of a pair. */
static void end_child(struct paste_text *text, const struct written *around, bool has_maps)
{
	if (is_pairs(around, has_maps) && (around->place % 2 == 0 || !around->next)) {
		paste_text_words(text, "}");
	}
}

static void begin_child(struct paste_text *text, const struct written *around, bool has_maps)
{
	bool is_value = around->value->kind == VALUE_MAP && around->place % 2 == 1;

	if (around->place > 0) {
		paste_text_words(text, is_value && has_maps ? " => " : ",");
	}
	if (is_pairs(around, has_maps) && !is_value) {
		paste_text_words(text, "{");
	}
}

void paste_text_value(
		struct paste_text *text, const struct value *value, uint64_t line, bool has_maps)
{
	struct written stack[VALUE_DEPTH + 1];
	size_t depth = 0;
	uint64_t first = line - value->line;

	paste_text_go_to(text, line);
	if (value->kind < VALUE_TUPLE) {
		add_scalar(text, value);
		return;
	}

	open_one(text, value, has_maps);
	stack[depth++] = (struct written){ value, value->first, 0 };
	while (depth > 0) {
		struct written *top = &stack[depth - 1];
		const struct value *child = top->next;

		if (!child) {
			close_one(text, top, has_maps);
			depth--;
			if (depth > 0) {
				end_child(text, &stack[depth - 1], has_maps);
			}
			continue;
		}

		begin_child(text, top, has_maps);
		paste_text_go_to(text, first + child->line);
		top->next = child->next;
		top->place++;
		if (child->kind < VALUE_TUPLE) {
			add_scalar(text, child);
			end_child(text, top, has_maps);
		} else {
			open_one(text, child, has_maps);
			stack[depth++] = (struct written){ child, child->first, 0 };
		}
	}
}
