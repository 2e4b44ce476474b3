/*
 * SPDX-License-Identifier: MIT
 *
 * What erlang:memory() yields, printed by a shell: "[{total,11141760}," and eight
 * pairs more, on one line or on several.
 */
#include "board_parts.h"

#include <ctype.h>

#include "board_line.h"

const char *const board_memory_keys[BOARD_MEMORY_KEYS] = { "total", "processes", "processes_used",
	"system", "atom", "atom_used", "binary", "code", "ets" };

/* In the list of keys: the first opens a list, and the sum is of these. */
enum { KEY_TOTAL = 0, KEY_PROCESSES = 1, KEY_SYSTEM = 3 };

static void end_list(struct board_text *board, bool is_closed)
{
	struct board_memory_state *state = &board->memory;
	const int64_t *bytes = state->memory.bytes;
	uint32_t all = (1U << BOARD_MEMORY_KEYS) - 1;

	if (!state->is_open) {
		return;
	}

	state->is_open = false;
	if (state->is_woven) {
		board_complain(board, "memory_list", state->memory.line,
				"a list of erlang:memory() has a key twice");
	} else if (!is_closed || state->seen != all) {
		board_complain(board, "memory_list", state->memory.line,
				"a list of erlang:memory() has %d of its %d keys%s",
				__builtin_popcount(state->seen), BOARD_MEMORY_KEYS,
				is_closed ? "" : " and no end");
	} else if (bytes[KEY_PROCESSES] > INT64_MAX - bytes[KEY_SYSTEM] ||
			bytes[KEY_TOTAL] != bytes[KEY_PROCESSES] + bytes[KEY_SYSTEM]) {
		board_complain(board, "memory_list", state->memory.line,
				"the total of erlang:memory() is not that of processes and system");
	} else {
		board->sink.memory(board->sink.context, &state->memory);
	}
}

static int find_key(struct text word)
{
	for (int i = 0; i < BOARD_MEMORY_KEYS; i++) {
		if (text_is(word, board_memory_keys[i])) {
			return i;
		}
	}

	return -1;
}

/* "{key,digits}" at the front: its key, or -1; `*ret_length` is how long it is. */
static int take_pair(struct text text, int64_t *ret_bytes, size_t *ret_length)
{
	struct text key = text_cut(text_from(text, 1), ',', &text);
	const char *end = text.length > 0 ? memchr(text.at, '}', text.length) : NULL;
	struct text digits = { text.at, end ? (size_t)(end - text.at) : 0 };
	bool is_huge = false;

	if (!end || !text_number(text_trim(digits), ret_bytes, &is_huge) || is_huge) {
		return -1;
	}

	*ret_length = (size_t)(end - key.at) + 2;
	return find_key(text_trim(key));
}

static void take_key(
		struct board_text *board, int key, int64_t bytes, bool is_first, int64_t number)
{
	struct board_memory_state *state = &board->memory;

	if (key == KEY_TOTAL && is_first) {
		end_list(board, false);
		*state = (struct board_memory_state){ .is_open = true,
			.memory = { .line = number } };
	}

	if (!state->is_open) {
		return;
	}

	if (state->seen & (1U << key)) {
		state->is_woven = true;
	}

	state->seen |= 1U << key;
	state->memory.bytes[key] = bytes;
	state->last_line = number;
}

void board_memory_line(struct board_text *board, struct text line, int64_t number)
{
	bool is_bracket = false;
	bool is_behind_pair = false;

	if (board->memory.is_open && number - board->memory.last_line > BOARD_PATIENCE) {
		end_list(board, false);
	}

	for (size_t i = 0; i < line.length; i++) {
		int64_t bytes = 0;
		size_t length = 0;
		int key = -1;
		char c = line.at[i];

		if (c == ' ' || c == '\t') {
			continue;
		}

		if (c == '{') {
			key = take_pair(text_from(line, i), &bytes, &length);
		}

		if (key >= 0) {
			take_key(board, key, bytes, is_bracket, number);
			i += length - 1;
		} else if (c == ']' && is_behind_pair) {
			end_list(board, true);
		}

		is_behind_pair = key >= 0;
		is_bracket = c == '[';
	}
}

void board_memory_finish(struct board_text *board)
{
	end_list(board, false);
}
