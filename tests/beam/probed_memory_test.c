/* SPDX-License-Identifier: MIT */
/* Memory that is there and memory that is not, by several threads, and in a child. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <pthread.h>

#include "probed_memory.h"

#define PAGE ((size_t)4096)

/* A page with bytes, and behind it one that is not there. */
static char *page_and_hole(void)
{
	char *page = mmap(
			NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(page, MAP_FAILED);
	assert_int_equal(munmap(page + PAGE, PAGE), 0);
	for (size_t i = 0; i < PAGE; i++) {
		page[i] = (char)(i * 7);
	}
	return page;
}

static void pieces_are_read_one_behind_the_other(void **state)
{
	char *page = page_and_hole();
	char bytes[PROBED_MOST_BYTES];
	struct probed_piece pieces[PROBED_MOST_PIECES + 1];

	(void)state;
	assert_true(probed_memory_open());
	for (size_t i = 0; i < PROBED_MOST_PIECES; i++) {
		pieces[i] = (struct probed_piece){ (uintptr_t)page + 61 * i, i % 3 * 8 };
	}
	assert_true(probed_memory_read(pieces, PROBED_MOST_PIECES, bytes));
	for (size_t i = 0, at = 0; i < PROBED_MOST_PIECES; i++) {
		assert_memory_equal(bytes + at, page + 61 * i, pieces[i].bytes);
		at += pieces[i].bytes;
	}
	pieces[PROBED_MOST_PIECES] = pieces[0];
	assert_false(probed_memory_read(pieces, PROBED_MOST_PIECES + 1, bytes));
	pieces[0] = (struct probed_piece){ (uintptr_t)page, PAGE };
	pieces[1] = (struct probed_piece){ (uintptr_t)page, PAGE };
	assert_true(probed_memory_read(pieces, 2, bytes));
	assert_memory_equal(bytes + PAGE, page, PAGE);
	pieces[2] = (struct probed_piece){ (uintptr_t)page, 1 };
	assert_false(probed_memory_read(pieces, 3, bytes));
	(void)munmap(page, PAGE);
}

static void what_is_not_there_is_no_fault(void **state)
{
	char *page = page_and_hole();
	char bytes[64] = "";
	const struct probed_piece good = { (uintptr_t)page, 24 };
	const struct probed_piece bad[] = {
		{ 8, 24 },
		{ (uintptr_t)page + PAGE - 8, 24 },
		{ (uintptr_t)page + PAGE, 24 },
		{ UINTPTR_MAX - 8, 24 },
		{ (uintptr_t)1 << 63, 24 },
	};

	(void)state;
	assert_true(probed_memory_open());
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const struct probed_piece first[] = { bad[i], good };
		const struct probed_piece last[] = { good, bad[i] };

		assert_false(probed_memory_read(first, 2, bytes));
		assert_false(probed_memory_read(last, 2, bytes));
		/* Nothing of it is left over. */
		assert_true(probed_memory_read(&good, 1, bytes));
		assert_memory_equal(bytes, page, 24);
	}
	(void)munmap(page, PAGE);
}

static void *reads_often(void *argument)
{
	char own[256];
	char bytes[sizeof(own)];
	uintptr_t wrong = 0;
	const struct probed_piece piece = { (uintptr_t)own, sizeof(own) };

	memset(own, *(const int *)argument, sizeof(own));
	for (int i = 0; i < 20000; i++) {
		memset(bytes, 0, sizeof(bytes));
		wrong += probed_memory_read(&piece, 1, bytes) &&
				memcmp(bytes, own, sizeof(own)) != 0;
	}
	return (void *)wrong;
}

static void threads_read_each_their_own(void **state)
{
	pthread_t threads[8];
	int numbers[8];

	(void)state;
	assert_true(probed_memory_open());
	for (int i = 0; i < 8; i++) {
		numbers[i] = i + 1;
		assert_int_equal(pthread_create(&threads[i], NULL, reads_often, &numbers[i]), 0);
	}
	for (int i = 0; i < 8; i++) {
		void *wrong;

		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
	}
}

static void a_child_reads_nothing(void **state)
{
	char byte = 0;
	const char seven = 7;
	const struct probed_piece piece = { (uintptr_t)&seven, 1 };
	int status;
	pid_t child;

	(void)state;
	assert_true(probed_memory_open());
	child = fork();
	if (child == 0) {
		_exit(probed_memory_read(&piece, 1, &byte) ? 1 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_true(probed_memory_read(&piece, 1, &byte));
	assert_int_equal(byte, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_read_one_behind_the_other),
		cmocka_unit_test(what_is_not_there_is_no_fault),
		cmocka_unit_test(threads_read_each_their_own),
		cmocka_unit_test(a_child_reads_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
