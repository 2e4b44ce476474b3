/*
 * SPDX-License-Identifier: MIT
 *
 * The end of a board's runtime, found in a log.
 */
#include "board_case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board_text.h"
#include "input.h"

/* A log with more of these is none of a board's console. */
enum { MARKS_MAX = 100000 };

enum mark_kind { MARK_HEAP, MARK_MEMORY, MARK_FAILURE, MARK_BOOT, MARK_FLAG };

/* A thing that was found, in the order of the log. */
struct mark {
	enum mark_kind kind;
	int64_t line;
	union {
		struct board_heap heap;
		struct board_memory memory;
		struct {
			int64_t bytes;
			bool is_realloc;
			char allocator[BOARD_CASE_WORD_BYTES];
			char type[BOARD_CASE_WORD_BYTES];
		} failure;
		struct {
			char flag[BOARD_CASE_WORD_BYTES];
			char value[BOARD_CASE_WORD_BYTES];
			bool is_behind;
		} flag;
	} as;
};

struct marks {
	struct mark *items;
	size_t count;
	size_t room;
	bool is_full;
};

static struct mark *add(struct marks *marks, enum mark_kind kind, int64_t line)
{
	if (marks->count == marks->room) {
		size_t room = marks->room ? 2 * marks->room : 64;
		struct mark *items = room / 2 <= MARKS_MAX
				? realloc(marks->items, room * sizeof(*items))
				: NULL;

		if (!items) {
			marks->is_full = true;
			return NULL;
		}
		marks->items = items;
		marks->room = room;
	}
	memset(&marks->items[marks->count], 0, sizeof(marks->items[0]));
	marks->items[marks->count].kind = kind;
	marks->items[marks->count].line = line;
	return &marks->items[marks->count++];
}

static void copy(struct text text, char ret_word[BOARD_CASE_WORD_BYTES])
{
	(void)snprintf(ret_word, BOARD_CASE_WORD_BYTES, "%.*s",
			text.length < BOARD_CASE_WORD_BYTES ? (int)text.length
							    : BOARD_CASE_WORD_BYTES - 1,
			text.at ? text.at : "");
}

static void take_heap(void *context, const struct board_heap *heap)
{
	struct mark *mark = add(context, MARK_HEAP, heap->line);

	if (mark) {
		mark->as.heap = *heap;
	}
}

static void take_memory(void *context, const struct board_memory *memory)
{
	struct mark *mark = add(context, MARK_MEMORY, memory->line);

	if (mark) {
		mark->as.memory = *memory;
	}
}

static void take_cpu(void *context, const struct board_cpu *cpu)
{
	(void)context;
	(void)cpu;
}

static void take_failure(void *context, const struct board_failure *failure)
{
	struct mark *mark = add(context, MARK_FAILURE, failure->line);

	if (mark) {
		mark->as.failure.bytes = failure->bytes;
		mark->as.failure.is_realloc = failure->is_realloc;
		copy(failure->allocator, mark->as.failure.allocator);
		copy(failure->type, mark->as.failure.type);
	}
}

static void take_boot(void *context, int64_t line)
{
	(void)add(context, MARK_BOOT, line);
}

static void take_flag(void *context, const struct board_flag *flag)
{
	struct mark *mark = add(context, MARK_FLAG, flag->line);

	if (mark) {
		mark->as.flag.is_behind = flag->is_behind;
		copy(flag->flag, mark->as.flag.flag);
		copy(flag->value, mark->as.flag.value);
	}
}

static void take_problem(void *context, const char *kind, int64_t line, const char *sentence)
{
	(void)context;
	(void)kind;
	(void)line;
	(void)sentence;
}

static enum csc_status read_marks(
		struct reader_input *input, struct marks *marks, struct diag *diag)
{
	const struct board_sink sink = { marks, take_heap, take_memory, take_cpu, take_failure,
		take_boot, take_flag, take_problem };
	struct board_text *board = board_text_create(&sink);
	struct input_line line;
	bool is_good = board != NULL;

	while (is_good && !marks->is_full && reader_input_line(input, &line)) {
		is_good = board_text_line(board, (struct text){ line.text, line.length },
				(int64_t)line.number, line.is_ended && !line.is_cut);
	}
	if (is_good) {
		board_text_finish(board);
	}
	board_text_destroy(board);
	if (reader_input_failure(input)) {
		return DIAG_FAIL(diag, "cannot read '%s': %s", reader_input_path(input),
				reader_input_failure(input));
	}
	return is_good && !marks->is_full
			? CSC_OK
			: DIAG_FAIL(diag, "'%s' has too many readings", reader_input_path(input));
}

/* A counter is smaller than before: the board was started again in between. */
static bool is_restarted(const struct board_heap *before, const struct board_heap *after)
{
	return after->figures[BOARD_allocs] < before->figures[BOARD_allocs] ||
			after->figures[BOARD_frees] < before->figures[BOARD_frees] ||
			after->figures[BOARD_failed_allocs] < before->figures[BOARD_failed_allocs];
}

/* The report of `malloc` that shows a failure: the next one with failures, else the one before. */
static const struct mark *reading_of(const struct marks *marks, size_t failure)
{
	for (size_t i = failure + 1; i < marks->count; i++) {
		const struct mark *mark = &marks->items[i];

		if (mark->kind == MARK_FAILURE || mark->kind == MARK_BOOT) {
			break;
		}
		if (mark->kind == MARK_HEAP && mark->as.heap.figures[BOARD_failed_allocs] > 0) {
			return mark;
		}
	}
	for (size_t i = failure; i-- > 0;) {
		const struct mark *mark = &marks->items[i];

		if (mark->kind == MARK_FAILURE || mark->kind == MARK_BOOT) {
			break;
		}
		if (mark->kind == MARK_HEAP) {
			return mark;
		}
	}
	return NULL;
}

static void take_reading(
		const struct marks *marks, const struct mark *reading, struct board_case *found)
{
	const int64_t *figures = reading->as.heap.figures;

	found->reading_line = reading->line;
	found->size_bytes = figures[BOARD_size_bytes];
	found->used_bytes = figures[BOARD_used_bytes];
	found->free_bytes = figures[BOARD_free_bytes];
	found->free_largest = figures[BOARD_free_largest];
	for (const struct mark *mark = reading; mark-- > marks->items;) {
		if (mark->kind == MARK_BOOT) {
			break;
		}
		if (mark->kind != MARK_HEAP) {
			continue;
		}
		if (is_restarted(&mark->as.heap, &reading->as.heap)) {
			break;
		}
		if (mark->as.heap.figures[BOARD_failed_allocs] == 0) {
			found->earlier_used_bytes = mark->as.heap.figures[BOARD_used_bytes];
			break;
		}
	}
}

static const struct mark *nearest(const struct marks *marks, enum mark_kind kind, int64_t line)
{
	const struct mark *best = NULL;

	for (size_t i = 0; i < marks->count; i++) {
		const struct mark *mark = &marks->items[i];

		if (mark->kind == kind &&
				(!best || llabs(mark->line - line) < llabs(best->line - line))) {
			best = mark;
		}
	}
	return best;
}

/* The bytes of a key of erlang:memory(). */
static int64_t memory_of(const struct mark *memory, const char *key)
{
	for (int i = 0; i < BOARD_MEMORY_KEYS; i++) {
		if (strcmp(board_memory_keys[i], key) == 0) {
			return memory->as.memory.bytes[i];
		}
	}
	return 0;
}

static void take_list(
		const struct marks *marks, const struct mark *memory, struct board_case *found)
{
	const struct mark *reading = nearest(marks, MARK_HEAP, memory->line);

	found->memory_line = memory->line;
	found->memory_used_bytes = reading->as.heap.figures[BOARD_used_bytes];
	found->total = memory_of(memory, "total");
	found->processes = memory_of(memory, "processes");
	found->atom = memory_of(memory, "atom");
	found->binary = memory_of(memory, "binary");
	found->code = memory_of(memory, "code");
	found->ets = memory_of(memory, "ets");
	found->other = found->total - found->processes - found->atom - found->binary - found->code -
			found->ets;
}

/* On a board only a flag that begins with '-' and stands before "--" has an effect. */
static void take_flags(const struct marks *marks, int64_t until, struct board_case *found)
{
	for (size_t i = 0; i < marks->count && marks->items[i].line < until; i++) {
		const struct mark *mark = &marks->items[i];

		if (mark->kind == MARK_BOOT) {
			found->has_boot = true;
			found->word_count = 0;
		}
		if (mark->kind != MARK_FLAG || mark->as.flag.is_behind ||
				mark->as.flag.flag[0] != '-' ||
				found->word_count + 2 > BOARD_CASE_WORDS) {
			continue;
		}
		memcpy(found->words[found->word_count], mark->as.flag.flag, BOARD_CASE_WORD_BYTES);
		found->words[found->word_count++][0] = '+';
		if (mark->as.flag.value[0]) {
			memcpy(found->words[found->word_count++], mark->as.flag.value,
					BOARD_CASE_WORD_BYTES);
		}
	}
}

static void take_end(const struct mark *failure, struct board_case *found)
{
	found->failure_line = failure->line;
	found->asked_bytes = failure->as.failure.bytes;
	found->is_realloc = failure->as.failure.is_realloc;
	memcpy(found->allocator, failure->as.failure.allocator, BOARD_CASE_WORD_BYTES);
	memcpy(found->type, failure->as.failure.type, BOARD_CASE_WORD_BYTES);
}

static enum csc_status find(const struct marks *marks, const char *path,
		struct board_case *ret_case, struct diag *diag)
{
	struct board_case found = { 0 };
	const struct mark *reading = NULL;
	const struct mark *memory;

	for (size_t i = marks->count; i-- > 0 && !reading;) {
		if (marks->items[i].kind == MARK_FAILURE) {
			take_end(&marks->items[i], &found);
			reading = reading_of(marks, i);
		}
	}
	if (!found.failure_line) {
		return DIAG_REFUSE(diag,
				"'%s' has no failed allocation (\"... Cannot allocate ... bytes of "
				"memory\"), so there is nothing to survive: record the console until the "
				"runtime ends",
				path);
	}
	if (!reading) {
		return DIAG_REFUSE(diag,
				"'%s' has no whole report of malloc for the failure on line %" PRId64
				": enter malloc in the board's shell after it, or regularly before",
				path, found.failure_line);
	}
	memory = nearest(marks, MARK_MEMORY, reading->line);
	if (!memory) {
		return DIAG_REFUSE(diag,
				"'%s' has no list of erlang:memory(), so what the blocks were is not known: "
				"enter erlang:memory(). in the Erlang shell before the runtime ends",
				path);
	}
	take_reading(marks, reading, &found);
	take_list(marks, memory, &found);
	take_flags(marks, found.failure_line, &found);
	*ret_case = found;
	return found.total > 0 && found.other >= 0 && found.used_bytes > 0
			? CSC_OK
			: DIAG_REFUSE(diag,
					  "the figures of erlang:memory() on line %" PRId64
					  " of '%s' do not add up: record the list again",
					  found.memory_line, path);
}

enum csc_status board_case_read(const char *path, struct board_case *ret_case, struct diag *diag)
{
	struct reader_input *input = NULL;
	struct marks marks = { 0 };
	enum csc_status status = reader_input_open(path, &input, diag);
	size_t length = 0;
	const char *head = status == CSC_OK ? reader_input_head(input, &length) : NULL;

	if (status == CSC_OK && !board_text_recognise((struct text){ head, length })) {
		status = DIAG_FAIL(diag,
				"'%s' is not the log of a board: --board takes what its console printed",
				path);
	}
	if (status == CSC_OK) {
		status = read_marks(input, &marks, diag);
	}
	reader_input_close(input);
	if (status == CSC_OK) {
		status = find(&marks, path, ret_case, diag);
	}
	free(marks.items);
	return status;
}

bool board_case_recognise(const char *path)
{
	struct reader_input *input = NULL;
	struct diag diag = { 0 };
	bool is_log = false;

	if (reader_input_open(path, &input, &diag) == CSC_OK) {
		size_t length = 0;
		const char *head = reader_input_head(input, &length);

		is_log = board_text_recognise((struct text){ head, length });
	}
	reader_input_close(input);
	return is_log;
}
