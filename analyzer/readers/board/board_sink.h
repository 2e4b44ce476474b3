/*
 * SPDX-License-Identifier: MIT
 *
 * What is found in the log of a board, and who gets it.
 */
#ifndef CSC_READERS_BOARD_SINK_H
#define CSC_READERS_BOARD_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "heap_figures.h"
#include "text.h"

/* The figures of `malloc`, in the order of its lines: BOARD_free_blocks and so on. */
#define BOARD_FIGURE(name, line, unit, meaning) BOARD_##name,
enum { HEAP_PRINTED(BOARD_FIGURE) BOARD_FIGURES };
#undef BOARD_FIGURE

struct board_heap {
	/* Of its first figure. */
	int64_t line;
	int64_t figures[BOARD_FIGURES];
};

/* The keys of erlang:memory(), in its order. */
enum { BOARD_MEMORY_KEYS = 9 };
extern const char *const board_memory_keys[BOARD_MEMORY_KEYS];

struct board_memory {
	int64_t line;
	int64_t bytes[BOARD_MEMORY_KEYS];
};

/* One row of `top`; shares are of all processor time, in percent. */
struct board_task {
	int64_t id;
	/* Cut to what there is room for; ends with 0. */
	char name[64];
	int64_t real_priority;
	int64_t current_priority;
	int64_t time_ns;
	double total_percent;
	double current_percent;
};

struct board_cpu {
	/* Of "Uptime:". */
	int64_t line;
	int64_t uptime_ns;
	int64_t period_ns;
	int64_t tasks;
	double load_average_percent;
	double load_percent;
	double idle_percent;

	/* In the unit in which it was printed, 'K' or 'M'; -1: not recorded. */
	int64_t free;
	int64_t used;
	int64_t stack;
	char unit;

	/* `tasks` of them. */
	const struct board_task *rows;
};

/* "eheap_alloc: Cannot allocate N bytes of memory (of type "heap")." */
struct board_failure {
	int64_t line;
	struct text allocator;
	bool is_realloc;
	int64_t bytes;
	struct text type;
};

/* A flag of the allocators in a line that starts the runtime: "erl.rtems -Mea min -- ...". */
struct board_flag {
	int64_t line;
	struct text flag;
	/* `at` NULL: there is none. */
	struct text value;
	/* It stands behind "--". */
	bool is_behind;
};

/* What is found, in the order of where it ends; pieces of text are valid during the call only. */
struct board_sink {
	void *context;
	void (*heap)(void *context, const struct board_heap *heap);
	void (*memory)(void *context, const struct board_memory *memory);
	void (*cpu)(void *context, const struct board_cpu *cpu);
	void (*failure)(void *context, const struct board_failure *failure);
	/* A line that starts the runtime; its flags follow. */
	void (*boot)(void *context, int64_t line);
	void (*flag)(void *context, const struct board_flag *flag);
	/* Something began on that line and is not whole. `kind`: static, one word. */
	void (*problem)(void *context, const char *kind, int64_t line, const char *sentence);
};

#endif
