/*
 * SPDX-License-Identifier: MIT
 *
 * What is known of a log after a line of it: each part of the parser looks at every line
 * on its own, and keeps its state here.
 */
#ifndef CSC_READERS_BOARD_LINE_H
#define CSC_READERS_BOARD_LINE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "board_sink.h"

enum {
	/* Other lines that may stand between two of one report. */
	BOARD_PATIENCE = 500,

	/* Figures of a report that end in one column make it a column that all end in. */
	BOARD_ALIGNED = 12,

	/* Tasks that a system may have. */
	BOARD_TASKS_MAX = 4096,
};

/* A report that is being read. */
struct board_heap_state {
	bool is_open;
	struct board_heap heap;
	/* Bits of the figures that were seen, and the figure behind the last of them. */
	uint32_t seen;
	int next;
	int64_t last_line;
	/* Where something was printed that stands before a report. */
	int64_t head_line;
	/* Two readings are woven into one. */
	bool is_woven;
	/* A figure was not readable, on this line; 0: none. */
	int64_t bad_line;
	/* Where each figure ends, from the beginning of its name, and its line. */
	size_t columns[BOARD_FIGURES];
	int64_t lines[BOARD_FIGURES];
};

struct board_memory_state {
	bool is_open;
	struct board_memory memory;
	uint32_t seen;
	bool is_woven;
	int64_t last_line;
};

struct board_cpu_state {
	bool is_open;
	struct board_cpu cpu;
	bool has_tasks;
	struct board_task *rows;
	size_t row_count;
	size_t row_room;
	int64_t bad_line;
	int64_t last_line;
};

struct board_text {
	struct board_sink sink;
	/* The line without escape sequences, and the one before it. */
	char *clean;
	char *before;
	size_t before_length;
	size_t clean_room;
	struct board_heap_state heap;
	struct board_memory_state memory;
	struct board_cpu_state cpu;
};

/* Says what is wrong with something that began on a line. */
void board_complain(struct board_text *board, const char *kind, int64_t line, const char *format,
		...) __attribute__((format(printf, 4, 5)));

/*
 * A whole number at the front of a text, blanks before it left out: digits that are followed by
 * the end, or by blanks and no further number; up to 2^62.  `*ret_end`: where it ends.
 */
bool board_number(struct text text, int64_t *ret_number, size_t *ret_end);

#endif
