/*
 * SPDX-License-Identifier: MIT
 *
 * Lines of a board's console: cleaned, and shown to each part.  Here are the parts
 * that need but one line: a dying runtime, and one that starts.
 */
#include "board_text.h"

#include <ctype.h>
#include <stdlib.h>

#include "board_line.h"
#include "board_parts.h"
#include "growing.h"

/* Starts the runtime on a board. */
static const char boot_program[] = "erl.rtems";

/* Copies a line without escape sequences and other control characters. */
static struct text clean(struct board_text *board, struct text line)
{
	size_t length = 0;

	for (size_t i = 0; i < line.length; i++) {
		unsigned char c = (unsigned char)line.at[i];

		if (c == 0x1b && i + 1 < line.length && line.at[i + 1] == '[') {
			i += 2;
			while (i < line.length && !isalpha((unsigned char)line.at[i])) {
				i++;
			}
		} else if (c == '\t' || c >= ' ') {
			board->clean[length++] = (char)c;
		}
	}

	return (struct text){ board->clean, length };
}

static struct text text_till(struct text text, size_t count)
{
	return (struct text){ text.at, count };
}

/* Letters, digits and underscores at the end of a text. */
static struct text name_at_end(struct text text)
{
	size_t begin = text.length;

	while (begin > 0 &&
			(isalnum((unsigned char)text.at[begin - 1]) || text.at[begin - 1] == '_')) {
		begin--;
	}

	return text_from(text, begin);
}

static void failure_line(struct board_text *board, struct text line, int64_t number)
{
	static const char *const verbs[] = { ": Cannot allocate ", ": Cannot reallocate " };
	static const char middle[] = " bytes of memory (of type \"";

	for (int i = 0; i < 2; i++) {
		size_t at = text_find(line, verbs[i]);
		struct board_failure failure = { .line = number, .is_realloc = i == 1 };
		struct text rest;
		bool is_huge = false;
		size_t digits;
		size_t end;

		if (at == line.length) {
			continue;
		}

		failure.allocator = name_at_end(text_till(line, at));
		rest = text_from(line, at + strlen(verbs[i]));
		digits = text_find(rest, middle);
		if (failure.allocator.length == 0 || digits == rest.length ||
				!text_number(text_till(rest, digits), &failure.bytes, &is_huge) ||
				is_huge) {
			board_complain(board, "failure", number,
					"a failed allocation that cannot be read");
			return;
		}

		rest = text_from(rest, digits + strlen(middle));
		end = text_find(rest, "\"");
		if (end == rest.length || end == 0) {
			board_complain(board, "failure", number,
					"a failed allocation without the type of its block");
			return;
		}

		failure.type = text_till(rest, end);
		board->sink.failure(board->sink.context, &failure);
		return;
	}
}

static bool is_allocator_flag(struct text word)
{
	return word.length > 2 && (word.at[0] == '-' || word.at[0] == '+') && word.at[1] == 'M' &&
			isalpha((unsigned char)word.at[2]);
}

/* "erl.rtems [flags] -- [flags]": of the words only those of allocators are looked at. */
static void boot_line(struct board_text *board, struct text line, int64_t number)
{
	size_t at = text_find(line, boot_program);
	struct text rest;
	struct text word;
	bool is_behind = false;

	if (at == line.length) {
		return;
	}

	rest = text_from(line, at + strlen(boot_program));
	if (rest.length > 0 && rest.at[0] != ' ' && rest.at[0] != '\t') {
		return;
	}

	board->sink.boot(board->sink.context, number);
	for (word = text_word(&rest); word.length > 0; word = text_word(&rest)) {
		if (text_is(word, "--")) {
			is_behind = true;
		} else if (is_allocator_flag(word)) {
			struct text behind = rest;
			struct text value = text_word(&behind);
			struct board_flag flag = {
				.line = number,
				.flag = word,
				.is_behind = is_behind,
			};

			if (value.length > 0 && value.at[0] != '-' && value.at[0] != '+') {
				flag.value = value;
				rest = behind;
			}

			board->sink.flag(board->sink.context, &flag);
		}
	}
}

struct board_text *board_text_create(const struct board_sink *sink)
{
	struct board_text *board = calloc(1, sizeof(*board));

	if (board) {
		board->sink = *sink;
	}

	return board;
}

static bool make_room(struct board_text *board, size_t bytes)
{
	size_t clean_room = board->clean_room;
	size_t before_room = board->clean_room;

	if (!csc_grow(&board->clean, &clean_room, bytes, 1) ||
			!csc_grow(&board->before, &before_room, bytes, 1)) {
		return false;
	}

	board->clean_room = clean_room;
	return true;
}

/* Two captures of one console may give each line twice; of neighbours that are equal one counts. */
static bool is_doubled(struct board_text *board, struct text line)
{
	bool is_equal = line.length > 0 && line.length == board->before_length &&
			memcmp(line.at, board->before, line.length) == 0;

	if (line.length > 0 && !is_equal) {
		memcpy(board->before, line.at, line.length);
	}

	/* Of three only the middle one is dropped: the third may be meant. */
	board->before_length = is_equal ? 0 : line.length;
	return is_equal;
}

bool board_text_line(struct board_text *board, struct text line, int64_t number, bool is_ended)
{
	while (!is_ended && line.length > 0 && isdigit((unsigned char)line.at[line.length - 1])) {
		line.length--;
	}

	if (line.length > board->clean_room && !make_room(board, line.length)) {
		return false;
	}

	line = clean(board, line);
	if (is_doubled(board, line)) {
		return true;
	}

	boot_line(board, line, number);
	board_heap_line(board, line, number);
	board_memory_line(board, line, number);
	failure_line(board, line, number);
	return board_cpu_line(board, line, number);
}

void board_text_finish(struct board_text *board)
{
	board_heap_finish(board);
	board_memory_finish(board);
	board_cpu_finish(board);
}

void board_text_destroy(struct board_text *board)
{
	if (board) {
		free(board->cpu.rows);
		free(board->before);
		free(board->clean);
		free(board);
	}
}

bool board_text_recognise(struct text text)
{
	static const char *const marks[] = { "Number of free blocks:", "C Program Heap and RTEMS",
		"RTEMS Shell on ", "SHLL [", "erl.rtems ", "starting erlang runtime" };

	if (text.length == 0 || memchr(text.at, '\0', text.length)) {
		return false;
	}

	/* A dump or a term may have these in its texts. */
	if (text.at[0] == '=' || text.at[0] == '{' || text_begins(text, "[{") ||
			text_begins(text, "[[") || text.at[0] == '<') {
		return text_find(text, marks[0]) < text.length;
	}

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (text_find(text, marks[i]) < text.length) {
			return true;
		}
	}

	return text_find(text, "Uptime: ") < text.length &&
			text_find(text, "Load Average: ") < text.length;
}
