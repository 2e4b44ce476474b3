/* SPDX-License-Identifier: MIT */
/* Board files: what they may say, what is refused, and the system that comes up. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "board.h"

static struct board *parse(const char *text, struct diag *diag)
{
	char *copy = strdup(text);
	struct board *board;

	assert_non_null(copy);
	*diag = (struct diag){ 0 };
	board = board_parse(copy, "b", diag);
	free(copy);
	return board;
}

static void test_says_everything(void **state)
{
	struct diag diag;
	struct board *board =
			parse("board small # comment\n\notp 25\nword 8\npage 16\nmmap absent\n"
			      "memory 0x10000 2m\nregion code 0x10000 64k\n"
			      "region frame 0x20000 0x10000\nheap 0x30000 1m\n"
			      "take a 100 count 10\ntake b 4k align 4096\ngive a 2\ntrim 12\n",
					&diag);

	(void)state;
	assert_non_null(board);
	assert_string_equal(board->name, "small");
	assert_string_equal(board->generation->name, "25");
	assert_int_equal(board->word_bytes, 8);
	assert_int_equal(board->page_bytes, 16);
	assert_false(board->has_mseg);
	assert_int_equal(board->heap.bytes, 1 << 20);
	assert_int_equal(board->region_count, 2);
	assert_int_equal(board->take_count, 3);
	assert_int_equal(board->trim_bytes, 12);
	board_destroy(board);
}

static void test_refuses_with_the_line(void **state)
{
	static const struct {
		const char *text;
		const char *sentence;
	} cases[] = {
		{ "", "b:0: the file says no heap" },
		{ "heap 0x1000 64k\nfoo 1\n", "b:2: no such line: 'foo'" },
		{ "heap 0x1000 64k\nheap 0x1000 64k\n", "b:2: a second line 'heap'" },
		{ "heap 0x1000 64q\n", "b:1: '64q' is not a number" },
		{ "heap 0x1000 0\n", "b:1: '0' is not a number" },
		{ "heap 0x1000 -5\n", "b:1: '-5' is not a number" },
		{ "heap 0 64k\n", "b:1: '0' is not a number" },
		{ "heap 0x1000\n", "b:1: expected 'heap ADDRESS BYTES'" },
		{ "heap 0x1000 16\n", "b:1: no heap can be made of 16 bytes" },
		{ "heap 0xffff0000 1m\n", "b:1: the heap ends beyond addresses of 32 bits" },
		{ "word 8\nheap 0x10000 5000m\npage 8\n", "b:2: a heap of more than 4 GiB" },
		{ "heap 0xffffffffffffff00 1k\n", "b:1: the address space ends before that" },
		{ "word 2\n", "b:1: '2' is not a number from 4 to 8" },
		{ "word 6\n", "b:1: 6 is not a power of two" },
		{ "page 12\n", "b:1: 12 is not a power of two" },
		{ "word 8\npage 4\nheap 0x1000 64k\n", "b:3: no heap can be made" },
		{ "otp 17\n", "b:1: '17' is none of" },
		{ "mmap no\n", "b:1: 'no' is neither failing nor absent" },
		{ "memory 0x1000 64k\nheap 0x1000 128k\n", "b:2: the heap lies outside" },
		{ "memory 0x1000 64k\nheap 0x1000 4k\nregion r 0x100 16\n",
				"b:3: region 'r' lies outside" },
		{ "heap 0x10000 64k\nregion r 0x1fff0 64k\n",
				"b:2: region 'r' and the heap overlap" },
		{ "region r 0x1fff0 64k\nheap 0x10000 64k\n",
				"b:2: region 'r' and the heap overlap" },
		{ "heap 0x10000 64k\nregion r 0x100000 64k\nregion s 0x10ffff 1\n",
				"b:3: regions 's' and 'r' overlap" },
		{ "heap 0x10000 64k\ntake a 65k\n", "b:2: there is no room for 'a'" },
		{ "heap 0x10000 64k\ntake a 1k count 60\ntake b 8k\n",
				"b:3: there is no room for 'b'" },
		{ "heap 0x10000 64k\ntake a 1k align 3\n", "b:2: '3' is not a number from 4" },
		{ "heap 0x10000 64k\ntake a 1k align 24\n", "b:2: 24 is not a power of two" },
		{ "heap 0x10000 64k\ntake a 1k count\n", "b:2: expected 'take" },
		{ "heap 0x10000 64k\ngive a 2\n", "b:2: nothing of that name was taken: 'a'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct diag diag;
		struct board *board = parse(cases[i].text, &diag);

		assert_null(board);
		if (strncmp(diag.text, cases[i].sentence, strlen(cases[i].sentence)) != 0) {
			fail_msg("'%s' instead of '%s'", diag.text, cases[i].sentence);
		}
	}
}

static void test_takes_and_gives(void **state)
{
	struct diag diag;
	struct board *board = parse("heap 0x10000 64k\ntake a 100 count 10\ntake b 4k align 4096\n"
				    "give a 2\ngive b 1\n",
			&diag);
	struct rtems_options options;
	struct rtems_target *target;
	struct rtems_heap *heap;
	struct rtems_walk walk;

	(void)state;
	assert_non_null(board);
	board_target(board, 4096, &options);
	target = rtems_target_create(&options);
	assert_non_null(target);
	heap = rtems_target_heap(target);
	assert_int_equal(heap->first, 0x10000);
	assert_int_equal(board_start(board, heap, &diag), CSC_OK);
	rtems_heap_walk(heap, &walk);
	assert_int_equal(walk.used_blocks, 5);
	assert_int_equal(heap->counters.allocs, 11);
	assert_int_equal(heap->counters.frees, 6);
	assert_null(rtems_heap_problem(heap));
	rtems_target_destroy(target);
	board_destroy(board);
}

static void keep_figures(void *context, const struct heap_figures *figures)
{
	*(struct heap_figures *)context = *figures;
}

static void test_asks_twice_where_mmap_fails(void **state)
{
	struct rtems_options options = {
		.area = { .base = 0x70646000,
				.size_bytes = 60530688,
				.word_bytes = 4,
				.page_bytes = 8 },
		.unit_bytes = 262144,
		.has_mseg = true,
	};

	(void)state;
	for (uint64_t tries = 2; tries >= 1; tries--) {
		struct rtems_target *target;
		const struct csc_memory *memory;
		struct heap_figures figures = { 0 };
		struct csc_extent extent;

		options.has_mseg = tries == 2;
		target = rtems_target_create(&options);
		assert_non_null(target);
		memory = rtems_target_memory(target);
		assert_int_equal(memory->has_mseg, options.has_mseg);
		extent = memory->sys_alloc(memory->context, 1, 1 << 20, 262144);
		assert_int_equal(extent.address % 262144, 0);
		assert_int_equal(memory->sys_alloc(memory->context, 1, 60000000, 0).address, 0);
		assert_int_equal(memory->sys_realloc(memory->context, 1, extent, 60000000).address,
				0);
		memory->heap_state(memory->context, keep_figures, &figures);
		assert_int_equal(figures.failed_allocs, 2 * tries);
		assert_int_equal(figures.allocs, 1);
		assert_int_equal(figures.size_bytes, 60530680);
		rtems_target_destroy(target);
	}
}

static void test_the_examples_are_boards(void **state)
{
	DIR *folder = opendir(CSC_BOARDS_DIR);
	struct dirent *entry;
	size_t count = 0;

	(void)state;
	assert_non_null(folder);
	while ((entry = readdir(folder))) {
		char path[1024];
		struct diag diag = { 0 };
		struct board *board;

		if (!strstr(entry->d_name, ".board")) {
			continue;
		}
		snprintf(path, sizeof(path), "%s/%s", CSC_BOARDS_DIR, entry->d_name);
		board = board_read(path, &diag);
		if (!board) {
			fail_msg("%s", diag.text);
		}
		board_destroy(board);
		count++;
	}
	closedir(folder);
	assert_int_equal(count, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_says_everything),
		cmocka_unit_test(test_refuses_with_the_line),
		cmocka_unit_test(test_takes_and_gives),
		cmocka_unit_test(test_asks_twice_where_mmap_fails),
		cmocka_unit_test(test_the_examples_are_boards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
