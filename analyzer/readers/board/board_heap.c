/*
 * SPDX-License-Identifier: MIT
 *
 * What `malloc` prints: 17 lines, each with a name and a figure, in a fixed order.
 * Other lines may stand between them, and lines may be doubled; when two readings
 * are woven into each other, neither counts.
 */
#include "board_parts.h"

#include "board_line.h"

#define PRINTED_LINE(name, line, unit, meaning) line,
static const char *const names[BOARD_FIGURES] = { HEAP_PRINTED(PRINTED_LINE) };

/* Printed before each report, or the prompt that it was asked for at. */
static const char *const heads[] = { "C Program Heap", "SHLL [" };

static int figures_seen(const struct board_heap_state *state)
{
	return __builtin_popcount(state->seen);
}

/*
 * The figures are printed flush right.  One that ends before the others has lost digits, to a line
 * that came between; then `bad_line` is its line.
 */
static void check_columns(struct board_heap_state *state)
{
	for (int i = 0; i < BOARD_FIGURES; i++) {
		int like = 0;

		for (int k = 0; k < BOARD_FIGURES; k++) {
			like += state->columns[k] == state->columns[i];
		}

		for (int k = 0; like >= BOARD_ALIGNED && k < BOARD_FIGURES; k++) {
			if (state->columns[k] != state->columns[i] && !state->bad_line) {
				state->bad_line = state->lines[k];
			}
		}
	}
}

/* Ends the report: hands it out, or reports why not. */
static void end_report(struct board_text *board)
{
	struct board_heap_state *state = &board->heap;

	if (!state->is_open) {
		return;
	}

	state->is_open = false;
	if (figures_seen(state) == BOARD_FIGURES && !state->bad_line) {
		check_columns(state);
	}

	if (state->bad_line) {
		board_complain(board, "heap_report", state->heap.line,
				"a report of 'malloc' has a figure that cannot be read, on line "
				"%lld",
				(long long)state->bad_line);
	} else if (state->is_woven) {
		board_complain(board, "heap_report", state->heap.line,
				"two reports of 'malloc' are woven into each other");
	} else if (figures_seen(state) < BOARD_FIGURES) {
		board_complain(board, "heap_report", state->heap.line,
				"a report of 'malloc' has %d of its %d figures",
				figures_seen(state), BOARD_FIGURES);
	} else {
		board->sink.heap(board->sink.context, &state->heap);
	}
}

/*
 * Begins a report.  When another one is not at its end and nothing was printed that stands before
 * a report, nobody knows whose lines the next ones are.
 */
static void begin_report(struct board_text *board, int64_t line)
{
	struct board_heap_state *state = &board->heap;
	bool is_woven = state->is_open && state->next < BOARD_FIGURES &&
			state->head_line <= state->last_line;

	end_report(board);
	board->heap = (struct board_heap_state){
		.is_open = true,
		.heap = { .line = line },
		.head_line = state->head_line,
		.is_woven = is_woven,
	};
}

/* Whether a line that was there before is doubled, or belongs to another report. */
static bool is_known_before(struct board_heap_state *state, int index, int64_t figure, bool is_good)
{
	bool is_seen = state->seen & (1U << index);

	if (!state->is_open || index >= state->next || (index == 0 && state->next > 1)) {
		return false;
	}

	if (is_seen && is_good && state->heap.figures[index] == figure) {
		return true;
	}

	if (index > 0 && state->next < BOARD_FIGURES) {
		state->is_woven = true;
		return true;
	}

	return false;
}

/* A line of the report, with its figure or without one that can be read. */
static void take_figure(struct board_text *board, int index, int64_t figure, bool is_good,
		size_t column, int64_t line)
{
	struct board_heap_state *state = &board->heap;

	if (!is_known_before(state, index, figure, is_good)) {
		if (!state->is_open || index < state->next) {
			begin_report(board, line);
		}
		if (!is_good && !state->bad_line) {
			state->bad_line = line;
		}

		state->heap.figures[index] = figure;
		state->columns[index] = column;
		state->lines[index] = line;
		state->seen |= 1U << index;
		state->next = index + 1;
	}

	state->last_line = line;
}

void board_heap_line(struct board_text *board, struct text line, int64_t number)
{
	struct board_heap_state *state = &board->heap;

	if (state->is_open && number - state->last_line > BOARD_PATIENCE) {
		end_report(board);
	}

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		if (text_find(line, heads[i]) < line.length) {
			state->head_line = number;
		}
	}

	for (int i = 0; i < BOARD_FIGURES; i++) {
		size_t at = text_find(line, names[i]);
		int64_t figure = 0;
		size_t length = strlen(names[i]);
		size_t end = 0;
		bool is_good;

		if (at < line.length) {
			is_good = board_number(text_from(line, at + length), &figure, &end);
			take_figure(board, i, figure, is_good, length + end, number);
			return;
		}
	}
}

void board_heap_finish(struct board_text *board)
{
	end_report(board);
}
