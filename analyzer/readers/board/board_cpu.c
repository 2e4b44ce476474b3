/*
 * SPDX-License-Identifier: MIT
 *
 * What `top` prints: three lines of sums and a row for each task.  A table is whole
 * when it has as many rows as tasks in its head.
 */
#include "board_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "board_line.h"
#include "growing.h"

#define NS_PER_S INT64_C(1000000000)

/* Decimal places of seconds that are taken. */
enum { PLACES = 9 };

/* The number of digits at the front. */
static size_t digits_of(struct text text)
{
	size_t count = 0;

	while (count < text.length && isdigit((unsigned char)text.at[count])) {
		count++;
	}

	return count;
}

/* Whole units of time at the front, "8hr": takes them off; 0 when there are none. */
static int64_t take_unit(struct text *text, const char *unit, int64_t unit_seconds)
{
	size_t count = digits_of(*text);
	struct text rest = text_from(*text, count);
	int64_t number = 0;
	bool is_huge = false;

	if (count == 0 || count > 6 || !text_begins(rest, unit) ||
			!text_number((struct text){ text->at, count }, &number, &is_huge)) {
		return 0;
	}

	*text = text_from(rest, strlen(unit));
	return number * unit_seconds;
}

/* "8hr6m44.887188", "33.849247": in nanoseconds. */
static bool take_time(struct text text, int64_t *ret_ns)
{
	int64_t seconds = take_unit(&text, "d", 86400);
	struct text whole;
	int64_t number = 0;
	int64_t fraction = 0;
	bool is_huge = false;

	seconds += take_unit(&text, "hr", 3600);
	seconds += take_unit(&text, "m", 60);
	whole = text_cut(text, '.', &text);
	if (whole.length > 9 || !text_number(whole, &number, &is_huge) || text.length == 0 ||
			text.length > PLACES || !text_number(text, &fraction, &is_huge)) {
		return false;
	}

	for (size_t i = text.length; i < PLACES; i++) {
		fraction *= 10;
	}

	*ret_ns = (seconds + number) * NS_PER_S + fraction;
	return true;
}

/* "77.343" or "77.343%". */
static bool take_percent(struct text text, double *ret_percent)
{
	struct text whole;
	int64_t number = 0;
	int64_t fraction = 0;
	double scale = 1;
	bool is_huge = false;

	if (text.length > 0 && text.at[text.length - 1] == '%') {
		text.length--;
	}

	whole = text_cut(text, '.', &text);
	if (whole.length > 9 || !text_number(whole, &number, &is_huge) || text.length == 0 ||
			text.length > PLACES || !text_number(text, &fraction, &is_huge)) {
		return false;
	}

	for (size_t i = 0; i < text.length; i++) {
		scale *= 10;
	}

	*ret_percent = (double)number + (double)fraction / scale;
	return true;
}

static void end_table(struct board_text *board)
{
	struct board_cpu_state *state = &board->cpu;

	if (!state->is_open) {
		return;
	}

	state->is_open = false;
	if (state->bad_line) {
		board_complain(board, "cpu_table", state->cpu.line,
				"a table of tasks has something that cannot be read, on line %lld",
				(long long)state->bad_line);
	} else if (!state->has_tasks) {
		board_complain(board, "cpu_table", state->cpu.line,
				"a table of tasks lacks the number of tasks");
	} else if ((int64_t)state->row_count != state->cpu.tasks) {
		board_complain(board, "cpu_table", state->cpu.line,
				"a table of tasks has %zu rows for %lld tasks", state->row_count,
				(long long)state->cpu.tasks);
	} else {
		state->cpu.rows = state->rows;
		board->sink.cpu(board->sink.context, &state->cpu);
	}
}

/* The word behind a name; empty: the name is not in the line. */
static struct text word_behind(struct text line, const char *name)
{
	size_t at = text_find(line, name);
	struct text rest;

	if (at == line.length) {
		return (struct text){ line.at, 0 };
	}

	rest = text_from(line, at + strlen(name));
	return text_word(&rest);
}

static void note_bad(struct board_text *board, bool is_good, int64_t number)
{
	if (!is_good && !board->cpu.bad_line) {
		board->cpu.bad_line = number;
	}
}

/* "Uptime: 2m20.139095          Period: 3.371018" */
static bool head_line(struct board_text *board, struct text line, int64_t number)
{
	struct board_cpu_state *state = &board->cpu;
	struct text uptime = word_behind(line, "Uptime: ");
	struct text period = word_behind(line, "Period: ");

	if (uptime.length == 0 || period.length == 0) {
		return false;
	}

	end_table(board);
	state->is_open = true;
	state->has_tasks = false;
	state->row_count = 0;
	state->bad_line = 0;
	state->last_line = number;
	state->cpu = (struct board_cpu){ .line = number, .free = -1, .used = -1, .stack = -1 };
	note_bad(board,
			take_time(uptime, &state->cpu.uptime_ns) &&
					take_time(period, &state->cpu.period_ns),
			number);
	return true;
}

/* "Tasks:   38  Load Average:   77.343%  Load:   26.346%  Idle:   73.653%" */
static void tasks_line(struct board_text *board, struct text line, int64_t number)
{
	struct board_cpu_state *state = &board->cpu;
	struct text tasks = word_behind(line, "Tasks: ");
	struct board_cpu *cpu = &state->cpu;
	bool is_huge = false;

	if (tasks.length == 0 || word_behind(line, "Load Average: ").length == 0) {
		return;
	}

	note_bad(board,
			!state->has_tasks && text_number(tasks, &cpu->tasks, &is_huge) &&
					cpu->tasks <= BOARD_TASKS_MAX &&
					take_percent(word_behind(line, "Load Average: "),
							&cpu->load_average_percent) &&
					take_percent(word_behind(line, "Load: "),
							&cpu->load_percent) &&
					take_percent(word_behind(line, "Idle: "),
							&cpu->idle_percent),
			number);
	state->has_tasks = true;
	state->last_line = number;
}

/* "27M": the number, and its unit, which all of a line have in common. */
static bool take_size(struct text *rest, const char *name, char *unit, int64_t *ret_size)
{
	struct text word = text_word(rest);
	size_t digits = digits_of(word);
	bool is_huge = false;

	if (digits + 1 != word.length || !text_is(text_word(rest), name)) {
		return false;
	}

	if (*unit && *unit != word.at[digits]) {
		return false;
	}

	*unit = word.at[digits];
	return text_number((struct text){ word.at, digits }, ret_size, &is_huge) && !is_huge;
}

/* "Mem:   27M free  30M used   4M stack"; left out where it cannot be read. */
static void memory_line(struct board_text *board, struct text line, int64_t number)
{
	struct board_cpu *cpu = &board->cpu.cpu;
	size_t at = text_find(line, "Mem: ");
	struct text rest;
	int64_t sizes[3] = { 0 };
	char unit = 0;

	if (at == line.length) {
		return;
	}

	rest = text_from(line, at + strlen("Mem: "));
	if (take_size(&rest, "free", &unit, &sizes[0]) &&
			take_size(&rest, "used", &unit, &sizes[1]) &&
			take_size(&rest, "stack", &unit, &sizes[2]) &&
			(unit == 'M' || unit == 'K')) {
		cpu->free = sizes[0];
		cpu->used = sizes[1];
		cpu->stack = sizes[2];
		cpu->unit = unit;
		board->cpu.last_line = number;
	}
}

/* " 0x09010001 | IDLE | 510 |  510   | 31.750971   |  22.656 |  73.653": one row. */
static bool take_row(struct text line, struct board_task *ret_task)
{
	struct text cells[7];
	struct board_task task = { 0 };
	bool is_huge = false;
	char id[32];
	char *end = NULL;

	for (size_t i = 0; i < 7; i++) {
		cells[i] = text_trim(text_cut(line, '|', &line));
	}

	if (cells[0].length < 3 || cells[0].length >= sizeof(id) || line.length > 0) {
		return false;
	}

	memcpy(id, cells[0].at, cells[0].length);
	id[cells[0].length] = '\0';
	task.id = (int64_t)(strtoull(id, &end, 16) & INT64_MAX);
	(void)snprintf(task.name, sizeof(task.name), "%.*s", (int)cells[1].length, cells[1].at);
	if (*end != '\0' || !text_number(cells[2], &task.real_priority, &is_huge) ||
			!text_number(cells[3], &task.current_priority, &is_huge) || is_huge ||
			!take_time(cells[4], &task.time_ns) ||
			!take_percent(cells[5], &task.total_percent) ||
			!take_percent(cells[6], &task.current_percent)) {
		return false;
	}

	*ret_task = task;
	return true;
}

/* False: no memory. */
static bool row_line(struct board_text *board, struct text line, int64_t number)
{
	struct board_cpu_state *state = &board->cpu;
	size_t at = text_find(line, "0x");
	struct board_task task;
	struct text row;

	if (at == line.length || !memchr(line.at, '|', line.length)) {
		return true;
	}

	row = text_from(line, at);
	if (!take_row(row, &task)) {
		/* Cells, but not those of a task: torn, or another table. */
		note_bad(board, text_find(row, " | ") == row.length, number);
		return true;
	}

	if (!csc_grow(&state->rows, &state->row_room, state->row_count + 1, sizeof(*state->rows))) {
		return false;
	}

	state->last_line = number;
	if (state->row_count < BOARD_TASKS_MAX) {
		state->rows[state->row_count++] = task;
	} else {
		note_bad(board, false, number);
	}

	return true;
}

bool board_cpu_line(struct board_text *board, struct text line, int64_t number)
{
	struct board_cpu_state *state = &board->cpu;

	if (state->is_open && number - state->last_line > BOARD_PATIENCE) {
		end_table(board);
	}

	if (head_line(board, line, number) || !state->is_open) {
		return true;
	}

	tasks_line(board, line, number);
	memory_line(board, line, number);
	if (!row_line(board, line, number)) {
		return false;
	}

	if (text_find(line, "load monitoring stopped") < line.length) {
		end_table(board);
	}

	return true;
}

void board_cpu_finish(struct board_text *board)
{
	end_table(board);
}
