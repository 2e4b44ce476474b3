/* SPDX-License-Identifier: MIT */
/*
 * Logs of boards: what is whole is found, whatever stands around it, and nothing else.
 *
 *	log_test [SEED]     the log of a real board, with its eleven reports
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "board_text.h"

#define SKIPPED 77
#define FOUND_MAX 64

static const char *seed_path;

/* What was found in one text. */
struct found {
	struct board_heap heaps[FOUND_MAX];
	size_t heap_count;
	struct board_memory memories[FOUND_MAX];
	size_t memory_count;
	struct board_cpu cpus[FOUND_MAX];
	size_t cpu_count;
	size_t task_count;
	struct board_failure failures[FOUND_MAX];
	char types[FOUND_MAX][32];
	char allocators[FOUND_MAX][32];
	size_t failure_count;
	size_t boot_count;
	size_t flag_count;
	size_t behind_count;
	size_t problem_count;
	int64_t problem_line;
	char sentence[256];
};

static void note_heap(void *context, const struct board_heap *heap)
{
	struct found *found = context;

	assert_in_range(found->heap_count, 0, FOUND_MAX - 1);
	found->heaps[found->heap_count++] = *heap;
}

static void note_memory(void *context, const struct board_memory *memory)
{
	struct found *found = context;

	assert_in_range(found->memory_count, 0, FOUND_MAX - 1);
	found->memories[found->memory_count++] = *memory;
}

static void note_cpu(void *context, const struct board_cpu *cpu)
{
	struct found *found = context;

	assert_in_range(found->cpu_count, 0, FOUND_MAX - 1);
	found->cpus[found->cpu_count++] = *cpu;
	found->task_count += (size_t)cpu->tasks;
}

static void note_failure(void *context, const struct board_failure *failure)
{
	struct found *found = context;
	size_t at = found->failure_count++;

	assert_in_range(at, 0, FOUND_MAX - 1);
	found->failures[at] = *failure;
	snprintf(found->types[at], sizeof(found->types[at]), "%.*s", (int)failure->type.length,
			failure->type.at);
	snprintf(found->allocators[at], sizeof(found->allocators[at]), "%.*s",
			(int)failure->allocator.length, failure->allocator.at);
}

static void note_boot(void *context, int64_t line)
{
	struct found *found = context;

	assert_true(line > 0);
	found->boot_count++;
}

static void note_flag(void *context, const struct board_flag *flag)
{
	struct found *found = context;

	found->flag_count++;
	found->behind_count += flag->is_behind;
}

static void note_problem(void *context, const char *kind, int64_t line, const char *sentence)
{
	struct found *found = context;

	assert_non_null(kind);
	found->problem_count++;
	found->problem_line = line;
	snprintf(found->sentence, sizeof(found->sentence), "%s", sentence);
}

/* Reads a text; its last line need not end. */
static void look(const char *text, size_t length, struct found *ret_found)
{
	struct board_sink sink = { ret_found, note_heap, note_memory, note_cpu, note_failure,
		note_boot, note_flag, note_problem };
	struct board_text *board = board_text_create(&sink);
	const char *end = text + length;
	int64_t number = 0;

	*ret_found = (struct found){ 0 };
	assert_non_null(board);
	while (text < end) {
		const char *feed = memchr(text, '\n', (size_t)(end - text));
		size_t bytes = (size_t)((feed ? feed : end) - text);

		assert_true(board_text_line(
				board, (struct text){ text, bytes }, ++number, feed != NULL));
		text += bytes + 1;
	}
	board_text_finish(board);
	board_text_destroy(board);
}

static void look_at(const char *text, struct found *ret_found)
{
	look(text, strlen(text), ret_found);
}

#define HEAD "SHLL [/] # malloc\nC Program Heap and RTEMS Workspace are the same.\n"

static const char *const names[] = { "Number of free blocks:", "Largest free block:",
	"Total bytes free:", "Number of used blocks:", "Largest used block:", "Total bytes used:",
	"Size of the allocatable area in bytes:", "Minimum free size ever in bytes:",
	"Maximum number of free blocks ever:", "Maximum number of blocks searched ever:",
	"Lifetime number of bytes allocated:", "Lifetime number of bytes freed:",
	"Total number of searches:", "Total number of successful allocations:",
	"Total number of failed allocations:", "Total number of successful frees:",
	"Total number of successful resizes:" };

/* One line of a report whose figures are `base` + 10 * line. */
static void put_line(FILE *out, int line, int64_t base)
{
	fprintf(out, "%s%*" PRId64 "\n", names[line], 54 - (int)strlen(names[line]),
			base + 10 * line);
}

static void put_report(FILE *out, int64_t base, int first, int last)
{
	fputs(HEAD, out);
	for (int i = first; i <= last; i++) {
		put_line(out, i, base);
	}
}

static void expect_report(const struct board_heap *heap, int64_t base)
{
	for (int i = 0; i < BOARD_FIGURES; i++) {
		assert_int_equal(heap->figures[i], base + 10 * i);
	}
}

/* A text being made; freed by the function that reads it. */
struct draft {
	char *text;
	size_t length;
	FILE *out;
};

static void draft_open(struct draft *draft)
{
	draft->out = open_memstream(&draft->text, &draft->length);
	assert_non_null(draft->out);
}

static void draft_look(struct draft *draft, struct found *ret_found)
{
	fclose(draft->out);
	look(draft->text, draft->length, ret_found);
	free(draft->text);
}

/* The text has no report, and something that looks like one. */
static void draft_look_in_vain(struct draft *draft, struct found *ret_found)
{
	draft_look(draft, ret_found);
	assert_int_equal(ret_found->heap_count, 0);
	assert_true(ret_found->problem_count > 0);
}

/* The head of a report, and its lines but one (-1: all). */
static void put_lines_but(FILE *out, int missing, int64_t base)
{
	fputs(HEAD, out);
	for (int i = 0; i < BOARD_FIGURES; i++) {
		if (i != missing) {
			put_line(out, i, base);
		}
	}
}

static void test_a_report_is_found_between_other_lines(void **state)
{
	struct draft draft;
	struct found found;

	(void)state;
	draft_open(&draft);
	fputs(HEAD, draft.out);
	for (int i = 0; i < BOARD_FIGURES; i++) {
		fprintf(draft.out, "00:0%d:36.883 [info] Connection cache miss: 17\n", i % 10);
		fputs(i % 3 ? "\x1b[32m[2020-04-07 10:11:12] " : "", draft.out);
		fprintf(draft.out, "%s  %d <--------%s\r\n", names[i], 1000 + 10 * i,
				i % 3 ? "\x1b[0m" : "");
	}
	draft_look(&draft, &found);
	assert_int_equal(found.heap_count, 1);
	expect_report(&found.heaps[0], 1000);
	assert_int_equal(found.heaps[0].line, 4);
	assert_int_equal(found.problem_count, 0);
}

static void test_a_report_that_is_cut_is_none_and_the_next_is_one(void **state)
{
	(void)state;
	for (int last = 0; last < BOARD_FIGURES; last++) {
		struct draft draft;
		struct found found;

		draft_open(&draft);
		put_report(draft.out, 5000, 0, last);
		put_report(draft.out, 7000, 0, BOARD_FIGURES - 1);
		draft_look(&draft, &found);
		if (last == BOARD_FIGURES - 1) {
			assert_int_equal(found.heap_count, 2);
			continue;
		}
		assert_int_equal(found.heap_count, 1);
		expect_report(&found.heaps[0], 7000);
		assert_int_equal(found.problem_count, 1);
		assert_int_equal(found.problem_line, 3);
	}
}

static void test_a_report_without_a_line_is_none(void **state)
{
	(void)state;
	for (int missing = 0; missing < BOARD_FIGURES; missing++) {
		struct draft draft;
		struct found found;

		draft_open(&draft);
		put_lines_but(draft.out, missing, 300);
		draft_look_in_vain(&draft, &found);
		assert_int_equal(found.problem_count, 1);
	}
}

static void test_reports_that_are_woven_are_none(void **state)
{
	(void)state;
	/* Lines of two shells in turns of 1 to 16 lines. */
	for (int turn = 1; turn < BOARD_FIGURES; turn++) {
		struct draft draft;
		struct found found;

		draft_open(&draft);
		fputs(HEAD HEAD, draft.out);
		for (int i = 0; i < BOARD_FIGURES; i += turn) {
			int end = i + turn < BOARD_FIGURES ? i + turn : BOARD_FIGURES;

			for (int base = 4000; base <= 9000; base += 5000) {
				for (int k = i; k < end; k++) {
					put_line(draft.out, k, base);
				}
			}
		}
		draft_look_in_vain(&draft, &found);
	}
}

static void test_doubled_lines_are_one_report_and_doubled_reports_are_two(void **state)
{
	struct draft draft;
	struct found found;

	(void)state;
	draft_open(&draft);
	fputs(HEAD HEAD, draft.out);
	for (int i = 0; i < BOARD_FIGURES; i++) {
		put_line(draft.out, i, 800);
		put_line(draft.out, i, 800);
	}
	draft_look(&draft, &found);
	assert_int_equal(found.heap_count, 1);
	expect_report(&found.heaps[0], 800);
	assert_int_equal(found.problem_count, 0);

	draft_open(&draft);
	put_report(draft.out, 800, 0, BOARD_FIGURES - 1);
	put_report(draft.out, 800, 0, BOARD_FIGURES - 1);
	draft_look(&draft, &found);
	assert_int_equal(found.heap_count, 2);
	assert_int_equal(found.problem_count, 0);
}

static void test_figures_that_cannot_be_read_are_none(void **state)
{
	static const char *const figures[] = { "1 572 856", "15728eheap_alloc:", "", "-5", "12.5",
		"0x12", "99999999999999999999", "1572 856 [info]", "1,572,856" };

	(void)state;
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		struct draft draft;
		struct found found;

		draft_open(&draft);
		put_report(draft.out, 60, 0, 0);
		fprintf(draft.out, "%s    %s\n", names[1], figures[i]);
		for (int k = 2; k < BOARD_FIGURES; k++) {
			put_line(draft.out, k, 60);
		}
		draft_look_in_vain(&draft, &found);
		assert_int_equal(found.problem_count, 1);
		assert_non_null(strstr(found.sentence, "line 4"));
	}
}

/* A number torn apart by another line is shorter than the column says. */
static void test_figures_that_have_lost_digits_are_none(void **state)
{
	(void)state;
	for (int torn = 0; torn < BOARD_FIGURES; torn++) {
		struct draft draft;
		struct found found;

		draft_open(&draft);
		fputs(HEAD, draft.out);
		for (int i = 0; i < BOARD_FIGURES; i++) {
			if (i == torn) {
				fprintf(draft.out, "%s%*d\n00:04 [info] x\n56\n", names[i],
						52 - (int)strlen(names[i]), 1234);
			} else {
				put_line(draft.out, i, 70000);
			}
		}
		draft_look_in_vain(&draft, &found);
		assert_int_equal(found.problem_count, 1);
	}
}

static void test_something_behind_a_figure_is_no_part_of_it(void **state)
{
	struct draft draft;
	struct found found;

	(void)state;
	draft_open(&draft);
	fputs(HEAD, draft.out);
	for (int i = 0; i < BOARD_FIGURES; i++) {
		fprintf(draft.out, "%s%*d 00:04:36.883 [info] Connection cache miss\n", names[i],
				54 - (int)strlen(names[i]), 900 + 10 * i);
	}
	draft_look(&draft, &found);
	assert_int_equal(found.heap_count, 1);
	expect_report(&found.heaps[0], 900);
}

static const char memory[] = "1> erlang:memory().\n"
			     "[{total,11141760},\n {processes,2994236},\n"
			     " {processes_used,2993488},\n {system,8147524},\n {atom,292645},\n"
			     " {atom_used,267856},\n {binary,18992},\n {code,4404734},\n"
			     " {ets,194488}]\n";

static void test_lists_of_memory(void **state)
{
	static const char one_line[] =
			"ok [[{total,30},{processes,10},{processes_used,9},{system,20},{atom,1},"
			"{atom_used,1},{binary,2},{code,3},{ets,4}],\n"
			" [{total,30},{processes,11},{processes_used,9},{system,20},{atom,1},"
			"{atom_used,1},{binary,2},{code,3},{ets,4}],[{total,1}]]\n";
	struct found found;

	(void)state;
	look_at(memory, &found);
	assert_int_equal(found.memory_count, 1);
	assert_int_equal(found.memories[0].line, 2);
	assert_int_equal(found.memories[0].bytes[0], 11141760);
	assert_int_equal(found.memories[0].bytes[8], 194488);
	assert_int_equal(found.problem_count, 0);

	/* The second does not add up, the third is short. */
	look_at(one_line, &found);
	assert_int_equal(found.memory_count, 1);
	assert_int_equal(found.memories[0].bytes[1], 10);
	assert_int_equal(found.problem_count, 2);
}

static void test_failures(void **state)
{
	struct found found;

	(void)state;
	look_at("SHLL [/] # eheap_alloc: Cannot allocate 3332104 bytes of memory (of type "
		"\"old_heap\").\n"
		"binary_alloc: Cannot reallocate 5 bytes of memory (of type \"binary\").\n"
		"eheap_alloc: Cannot allocate 2 059 352 bytes of memory (of type \"heap\").\n"
		"eheap_alloc: Cannot allocate 2059\n"
		"eheap_alloc: Cannot allocate 20 00:18 [info] 59352 bytes of memory (of type "
		"\"heap\").\n",
			&found);
	assert_int_equal(found.failure_count, 2);
	assert_int_equal(found.failures[0].bytes, 3332104);
	assert_string_equal(found.types[0], "old_heap");
	assert_string_equal(found.allocators[0], "eheap_alloc");
	assert_false(found.failures[0].is_realloc);
	assert_true(found.failures[1].is_realloc);
	assert_int_equal(found.failures[1].line, 2);
	assert_int_equal(found.problem_count, 3);
}

static void test_flags_of_a_start(void **state)
{
	struct found found;

	(void)state;
	look_at("args = erl.rtems -Mea min +MHas aobf -S 1:1 -- -mode embedded -setcookie secret "
		"+MMmcs 10 +MMamcbf 1024 -boot x\n"
		"my_erl.rtems_thing -Mea min\n",
			&found);
	assert_int_equal(found.boot_count, 1);
	assert_int_equal(found.flag_count, 4);
	assert_int_equal(found.behind_count, 2);
}

static const char table[] =
		"Uptime: 8hr6m44.887188       Period: 3.373991\n"
		"Tasks:    2  Load Average:   33.858%  Load:   42.113%  Idle:   57.886%\n"
		"Mem:   27M free  30M used   4M stack\n"
		"\n"
		" ID         | NAME                | RPRI | CPRI   | TIME   | TOTAL   | CURRENT\n"
		"------------+---------------------+---------------+--------+---------+--^^----\n"
		" 0x09010001 | IDLE                |  510 |  510   | 5hr21m56.675340     |  66.141 |  "
		"57.886\n"
		" 0x0b010004 | (0x70356d91         |  508 |  508   | 1.116552            |  14.411 |  "
		"13.781\n"
		"load monitoring stopped.\n";

static void test_tables_of_tasks(void **state)
{
	struct found found;
	char *torn = strdup(table);

	(void)state;
	look_at(table, &found);
	assert_int_equal(found.cpu_count, 1);
	assert_int_equal(found.cpus[0].uptime_ns, INT64_C(29204887188000));
	assert_int_equal(found.cpus[0].tasks, 2);
	assert_int_equal(found.cpus[0].stack, 4);
	assert_true(found.cpus[0].load_percent > 42.1129 && found.cpus[0].load_percent < 42.1131);
	assert_int_equal(found.problem_count, 0);

	assert_non_null(torn);
	/* The last row has lost its last cell. */
	*strrchr(torn, '|') = '\n';
	look_at(torn, &found);
	assert_int_equal(found.cpu_count, 0);
	assert_int_equal(found.problem_count, 1);
	free(torn);
}

/* Every prefix of a log: what is found is in the log, figure for figure. */
static void test_no_prefix_has_a_figure_of_its_own(void **state)
{
	struct draft draft;
	struct found whole;
	struct found part;

	(void)state;
	draft_open(&draft);
	put_report(draft.out, 123456, 0, BOARD_FIGURES - 1);
	fputs(memory, draft.out);
	fputs(table, draft.out);
	put_report(draft.out, 654321, 0, BOARD_FIGURES - 1);
	fclose(draft.out);
	look(draft.text, draft.length, &whole);
	assert_int_equal(whole.heap_count, 2);
	for (size_t length = 0; length < draft.length; length++) {
		look(draft.text, length, &part);
		for (size_t i = 0; i < part.heap_count; i++) {
			assert_memory_equal(&part.heaps[i], &whole.heaps[i], sizeof(part.heaps[i]));
		}
		for (size_t i = 0; i < part.memory_count; i++) {
			assert_memory_equal(&part.memories[i], &whole.memories[i],
					sizeof(part.memories[i]));
		}
	}
	free(draft.text);
}

/* Reads the file named on the command line. */
static char *read_seed(size_t *ret_length)
{
	FILE *file = fopen(seed_path, "rb");
	char *text = NULL;
	FILE *copy = open_memstream(&text, ret_length);
	int c;

	while (file && copy && (c = fgetc(file)) != EOF) {
		fputc(c, copy);
	}
	if (copy) {
		fclose(copy);
	}
	if (file) {
		fclose(file);
	}
	return text;
}

static void test_the_seed_is_read_whole(void **state)
{
	size_t length = 0;
	char *text = read_seed(&length);
	struct found found;

	(void)state;
	assert_non_null(text);
	look(text, length, &found);
	assert_int_equal(found.heap_count, 11);
	assert_int_equal(found.memory_count, 10);
	assert_int_equal(found.cpu_count, 6);
	assert_int_equal(found.task_count, 228);
	assert_int_equal(found.failure_count, 2);
	assert_int_equal(found.boot_count, 1);
	assert_int_equal(found.heaps[8].figures[BOARD_free_largest], 1572856);
	assert_int_equal(found.heaps[8].line, 1111);
	for (size_t i = 0; i < found.heap_count; i++) {
		const int64_t *figures = found.heaps[i].figures;

		assert_int_equal(figures[BOARD_free_bytes] + figures[BOARD_used_bytes],
				figures[BOARD_size_bytes]);
		assert_int_equal(figures[BOARD_allocs] - figures[BOARD_frees],
				figures[BOARD_used_blocks]);
	}
	/* The quotation in its analysis is none of them. */
	assert_int_equal(found.problem_count, 2);
	free(text);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_report_is_found_between_other_lines),
		cmocka_unit_test(test_a_report_that_is_cut_is_none_and_the_next_is_one),
		cmocka_unit_test(test_a_report_without_a_line_is_none),
		cmocka_unit_test(test_reports_that_are_woven_are_none),
		cmocka_unit_test(test_doubled_lines_are_one_report_and_doubled_reports_are_two),
		cmocka_unit_test(test_figures_that_cannot_be_read_are_none),
		cmocka_unit_test(test_figures_that_have_lost_digits_are_none),
		cmocka_unit_test(test_something_behind_a_figure_is_no_part_of_it),
		cmocka_unit_test(test_lists_of_memory),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_flags_of_a_start),
		cmocka_unit_test(test_tables_of_tasks),
		cmocka_unit_test(test_no_prefix_has_a_figure_of_its_own),
	};
	const struct CMUnitTest seed_tests[] = {
		cmocka_unit_test(test_the_seed_is_read_whole),
	};
	FILE *seed;

	if (argc == 1) {
		return cmocka_run_group_tests(tests, NULL, NULL);
	}
	seed_path = argv[1];
	seed = fopen(seed_path, "rb");
	if (!seed) {
		printf("SKIPPED: no log '%s'\n", seed_path);
		return SKIPPED;
	}
	fclose(seed);
	return cmocka_run_group_tests(seed_tests, NULL, NULL);
}
