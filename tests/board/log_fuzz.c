/* SPDX-License-Identifier: MIT */
/* Logs from nowhere: whatever is handed out is whole and adds up. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "board_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int is_true)
{
	if (!is_true) {
		abort();
	}
}

static void take_heap(void *context, const struct board_heap *heap)
{
	(void)context;
	require(heap->line > 0);
	for (int i = 0; i < BOARD_FIGURES; i++) {
		require(heap->figures[i] >= 0 && heap->figures[i] <= INT64_MAX / 2);
	}
}

static void take_memory(void *context, const struct board_memory *memory)
{
	(void)context;
	require(memory->line > 0 && memory->bytes[0] == memory->bytes[1] + memory->bytes[3]);
}

static void take_cpu(void *context, const struct board_cpu *cpu)
{
	(void)context;
	for (int64_t i = 0; i < cpu->tasks; i++) {
		require(cpu->rows[i].time_ns >= 0 && cpu->rows[i].id >= 0);
		require(strlen(cpu->rows[i].name) < sizeof(cpu->rows[i].name));
	}
}

static void take_failure(void *context, const struct board_failure *failure)
{
	(void)context;
	require(failure->allocator.length > 0 && failure->type.length > 0 && failure->bytes >= 0);
}

static void take_boot(void *context, int64_t line)
{
	(void)context;
	require(line > 0);
}

static void take_flag(void *context, const struct board_flag *flag)
{
	(void)context;
	require(flag->flag.length > 2);
}

static void take_problem(void *context, const char *kind, int64_t line, const char *sentence)
{
	(void)context;
	require(kind[0] && line > 0 && sentence[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct board_sink sink = { NULL, take_heap, take_memory, take_cpu, take_failure, take_boot,
		take_flag, take_problem };
	struct board_text *board = board_text_create(&sink);
	const char *text = (const char *)data;
	int64_t number = 0;

	require(board != NULL);
	(void)board_text_recognise((struct text){ text, size });
	while (size > 0) {
		const char *feed = memchr(text, '\n', size);
		size_t bytes = feed ? (size_t)(feed - text) : size;

		require(board_text_line(
				board, (struct text){ text, bytes }, ++number, feed != NULL));
		text += bytes + (feed ? 1 : 0);
		size -= bytes + (feed ? 1 : 0);
	}
	board_text_finish(board);
	board_text_destroy(board);
	return 0;
}
