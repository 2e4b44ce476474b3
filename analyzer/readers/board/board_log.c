/*
 * SPDX-License-Identifier: MIT
 *
 * What was found in the log of a board, as rows: each reading is a snapshot with the
 * line that it begins on.
 */
#include "board_log.h"

#include <stdio.h>

#include "board_text.h"
#include "snapshot_rows.h"

/* Problems that are reported one by one, each with its line; those beyond are counted. */
enum { PROBLEMS_MAX = 200 };

struct board_log {
	struct store *store;
	struct diag *diag;
	enum csc_status status;
	int64_t boot;
	int64_t problems;
	int64_t heaps;
	int64_t memories;
	int64_t cpus;
	int64_t failures;
};

bool board_log_recognise(const char *head, size_t length)
{
	return board_text_recognise((struct text){ head, length });
}

static void take_problem(void *context, const char *kind, int64_t line, const char *sentence)
{
	struct board_log *log = context;
	char name[64];

	if (log->status != CSC_OK) {
		return;
	}

	if (log->problems++ < PROBLEMS_MAX) {
		(void)snprintf(name, sizeof(name), "%s_line_%lld", kind, (long long)line);
	} else {
		(void)snprintf(name, sizeof(name), "%s_and_more", kind);
	}

	log->status = store_problem(log->store, name, SEVERITY_NOTICE, 1, log->diag,
			"line %lld: %s", (long long)line, sentence);
}

static void take_heap(void *context, const struct board_heap *heap)
{
	struct board_log *log = context;
	/* Not beyond 2^62, so that sums are none beyond 2^63. */
	const int64_t *figure = heap->figures;
	int64_t snapshot = snapshot_add(log->store, "malloc", ROW_NULL, heap->line);
	struct insert *rows = store_rows(log->store, "heap_sample",
			"snapshot_id, free_blocks, free_largest, free_bytes, "
			"used_blocks, used_largest, used_bytes, size_bytes, "
			"min_free_bytes, max_free_blocks, max_searched, "
			"allocated_bytes, freed_bytes, searches, allocs, "
			"failed_allocs, frees, resizes");

	insert_integer(rows, snapshot);
	for (int i = 0; i < BOARD_FIGURES; i++) {
		insert_integer(rows, heap->figures[i]);
	}

	insert_row(rows);
	log->heaps++;
	if (figure[BOARD_free_bytes] + figure[BOARD_used_bytes] != figure[BOARD_size_bytes] ||
			figure[BOARD_allocs] - figure[BOARD_frees] != figure[BOARD_used_blocks]) {
		take_problem(log, "heap_sums", heap->line,
				"the figures of a report of 'malloc' do not add up; it is loaded");
	}
}

static void take_memory(void *context, const struct board_memory *memory)
{
	struct board_log *log = context;
	int64_t snapshot = snapshot_add(log->store, "memory", ROW_NULL, memory->line);

	for (size_t i = 0; i < BOARD_MEMORY_KEYS; i++) {
		struct text key = { board_memory_keys[i], strlen(board_memory_keys[i]) };

		snapshot_memory(log->store, snapshot, key, memory->bytes[i]);
	}

	log->memories++;
}

static void take_task(struct board_log *log, int64_t snapshot, const struct board_task *task)
{
	READER_ROW(log->store, "cpu_task",
			"snapshot_id, task, name, real_priority, current_priority, "
			"time_ns, total_percent, current_percent",
			row_integer(snapshot), row_integer(task->id),
			row_text((struct text){ task->name, strlen(task->name) }),
			row_integer(task->real_priority), row_integer(task->current_priority),
			row_integer(task->time_ns), row_real(task->total_percent),
			row_real(task->current_percent));
}

/* A size in KiB or MiB as printed; -1: not recorded. */
static void put_size(struct insert *rows, const struct board_cpu *cpu, int64_t size)
{
	int64_t unit = cpu->unit == 'M' ? INT64_C(1048576) : 1024;

	insert_integer(rows, size < 0 || size > INT64_MAX / unit ? ROW_NULL : size * unit);
}

static void take_cpu(void *context, const struct board_cpu *cpu)
{
	struct board_log *log = context;
	int64_t snapshot = snapshot_add(log->store, "cpu", ROW_NULL, cpu->line);
	struct insert *rows = store_rows(log->store, "cpu_sample",
			"snapshot_id, uptime_ns, period_ns, tasks, "
			"load_average_percent, load_percent, idle_percent, free_bytes, "
			"used_bytes, stack_bytes");

	insert_integer(rows, snapshot);
	insert_integer(rows, cpu->uptime_ns);
	insert_integer(rows, cpu->period_ns);
	insert_integer(rows, cpu->tasks);
	insert_real(rows, cpu->load_average_percent);
	insert_real(rows, cpu->load_percent);
	insert_real(rows, cpu->idle_percent);
	put_size(rows, cpu, cpu->free);
	put_size(rows, cpu, cpu->used);
	put_size(rows, cpu, cpu->stack);
	insert_row(rows);
	for (int64_t i = 0; i < cpu->tasks; i++) {
		take_task(log, snapshot, &cpu->rows[i]);
	}

	log->cpus++;
}

static void take_failure(void *context, const struct board_failure *failure)
{
	struct board_log *log = context;
	int64_t snapshot = snapshot_add(log->store, "failure", ROW_NULL, failure->line);

	READER_ROW(log->store, "logged_failure",
			"snapshot_id, allocator, operation, size_bytes, type",
			row_integer(snapshot), row_text(failure->allocator),
			row_words(failure->is_realloc ? "reallocate" : "allocate"),
			row_integer(failure->bytes), row_text(failure->type));
	log->failures++;
}

static void take_boot(void *context, int64_t line)
{
	struct board_log *log = context;

	log->boot = snapshot_add(log->store, "boot", ROW_NULL, line);
}

static void take_flag(void *context, const struct board_flag *flag)
{
	struct board_log *log = context;

	READER_ROW(log->store, "boot_flag", "snapshot_id, flag, value, is_behind",
			row_integer(log->boot), row_text(flag->flag), row_text(flag->value),
			row_integer(flag->is_behind));
}

static void note_capabilities(const struct board_log *log)
{
	struct catalog *catalog = store_catalog(log->store);

	catalog_capability(catalog, "heap", log->heaps > 0,
			log->heaps > 0 ? "the log has reports of 'malloc'"
				       : "the log has no whole report of 'malloc'");
	catalog_capability(catalog, "memory", log->memories > 0,
			log->memories > 0 ? "the log has lists of erlang:memory()"
					  : "the log has no whole list of erlang:memory()");
	catalog_capability(catalog, "cpu", log->cpus > 0,
			log->cpus > 0 ? "the log has tables of tasks"
				      : "the log has no whole table of tasks");
	catalog_capability(catalog, "failures", true,
			log->failures > 0 ? "the log has failed allocations"
					  : "the log would show a failed allocation, and has none");
}

enum csc_status board_log_read(struct reader_input *input, struct store *store, struct diag *diag)
{
	struct board_log log = { .store = store, .diag = diag };
	struct board_sink sink = {
		.context = &log,
		.heap = take_heap,
		.memory = take_memory,
		.cpu = take_cpu,
		.failure = take_failure,
		.boot = take_boot,
		.flag = take_flag,
		.problem = take_problem,
	};
	struct board_text *board = board_text_create(&sink);
	struct input_line line;

	if (!board) {
		return DIAG_NO_MEMORY(diag);
	}

	while (log.status == CSC_OK && reader_input_line(input, &line)) {
		if (!board_text_line(board, (struct text){ line.text, line.length },
				    (int64_t)line.number, line.is_ended && !line.is_cut)) {
			log.status = DIAG_NO_MEMORY(diag);
		} else {
			log.status = store_rows_check(store, diag);
		}
	}

	board_text_finish(board);
	board_text_destroy(board);
	note_capabilities(&log);
	return log.status == CSC_OK ? store_rows_check(store, diag) : log.status;
}
