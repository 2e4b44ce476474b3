/*
 * SPDX-License-Identifier: MIT
 *
 * The spool of a keeper: in order, bounded, and what is in the folder besides.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "keep_spool.h"
#include "scratch.h"

enum { PUSH_BYTES = 1000 };

/* A push with a letter in it; yields how many were dropped. */
static unsigned int add(const struct keep_spool *spool, char letter)
{
	char path[SPOOL_PATH_BYTES];
	struct diag diag = { 0 };
	unsigned int dropped = 77;
	FILE *file;

	keep_spool_path(spool, ".new", path);
	file = fopen(path, "w");
	assert_non_null(file);
	for (int i = 0; i < PUSH_BYTES; i++) {
		(void)fputc(letter, file);
	}
	(void)fclose(file);
	assert_int_equal(keep_spool_add(spool, path, &dropped, &diag), CSC_OK);
	return dropped;
}

/* The letter of the oldest, which is removed; 0: there is none. */
static char take(const struct keep_spool *spool)
{
	char path[SPOOL_PATH_BYTES];
	FILE *file;
	int letter;

	if (!keep_spool_oldest(spool, path)) {
		return 0;
	}
	file = fopen(path, "r");
	assert_non_null(file);
	letter = fgetc(file);
	(void)fclose(file);
	assert_int_equal(unlink(path), 0);
	return (char)letter;
}

static void pushes_are_in_order_and_bounded(void **state)
{
	struct scratch scratch;
	struct keep_spool spool;
	struct diag diag = { 0 };
	char path[SPOOL_PATH_BYTES];
	char paths[4][SPOOL_PATH_BYTES];

	(void)state;
	assert_true(scratch_open(&scratch, "spool"));
	assert_int_equal(keep_spool_open(&spool, scratch.folder, 3 * PUSH_BYTES, &diag), CSC_OK);
	assert_false(keep_spool_oldest(&spool, path));
	for (char letter = 'a'; letter <= 'c'; letter++) {
		assert_int_equal(add(&spool, letter), 0);
	}
	/* One more than there is room for. */
	assert_int_equal(add(&spool, 'd'), 1);
	assert_int_equal(keep_spool_size(&spool).count, 3);
	assert_int_equal(keep_spool_size(&spool).bytes, 3 * PUSH_BYTES);
	assert_int_equal(take(&spool), 'b');
	/* Some at once: the oldest first. */
	assert_int_equal(keep_spool_first(&spool, 2, paths), 2);
	assert_true(keep_spool_oldest(&spool, path));
	assert_string_equal(paths[0], path);
	assert_true(strcmp(paths[0], paths[1]) < 0);
	assert_int_equal(keep_spool_first(&spool, 4, paths), 2);
	/* The next keeper has the same, and goes on behind it. */
	assert_int_equal(keep_spool_open(&spool, scratch.folder, 3 * PUSH_BYTES, &diag), CSC_OK);
	assert_int_equal(add(&spool, 'e'), 0);
	assert_int_equal(take(&spool), 'c');
	assert_int_equal(take(&spool), 'd');
	assert_int_equal(take(&spool), 'e');
	assert_int_equal(take(&spool), 0);
	/* One that is too large goes itself. */
	spool.most_bytes = PUSH_BYTES - 1;
	assert_int_equal(add(&spool, 'f'), 1);
	assert_int_equal(take(&spool), 0);
	assert_int_equal(rmdir(spool.folder), 0);
	assert_int_equal(keep_spool_open(&spool, "/dev/null", 1, &diag), CSC_ERROR);
	scratch_close(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pushes_are_in_order_and_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
