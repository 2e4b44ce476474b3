/*
 * SPDX-License-Identifier: MIT
 *
 * holder_change_test NAMES: what is the same of a holder in each run.  A line of NAMES is a name
 * and that, with a tab between them; the page's test reads them, too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "holder_change.h"

static const char *names_path;

static void test_names(void **state)
{
	FILE *names = fopen(names_path, "r");
	char *line = NULL;
	size_t room = 0;
	int lines = 0;

	(void)state;
	assert_non_null(names);
	while (getline(&line, &room, names) > 0) {
		char *name = strtok(line, "\t");
		char *wanted = strtok(NULL, "\n");
		char *found = holder_identity(name);

		assert_non_null(wanted);
		assert_non_null(found);
		assert_string_equal(found, wanted);
		free(found);
		lines++;
	}
	assert_true(lines > 10);
	free(line);
	(void)fclose(names);
}

/* Two databases that have only what is read of them. */
static sqlite3 *make_database(const char *rows)
{
	sqlite3 *db = NULL;
	char *sql = sqlite3_mprintf(
			"CREATE TABLE page_holder (source_id, runtime_id, snapshot_id, allocator, type, kind, process, bytes);"
			"CREATE TABLE growth (runtime_id, allocator, kind, who, bytes_per_s);%s",
			rows);

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_free(sql);
	return db;
}

/* The pid and the size of a group differ: what they hold is compared. */
static void test_pairs(void **state)
{
	sqlite3 *old_db = make_database(
			"INSERT INTO page_holder VALUES (1, 1, NULL, 'binary_alloc', 'binary', 'process', '<0.5.0> cache', 4194304),"
			"(1, 1, NULL, 'eheap_alloc', 'heap', 'processes', '118 processes worker:init/1', 2097152),"
			"(1, 1, NULL, 'eheap_alloc', 'heap', 'process', '<0.9.0> same', 9000000);"
			"INSERT INTO growth VALUES (1, 'binary_alloc', 'process', '<0.5.0> cache', 1048576)");
	sqlite3 *new_db = make_database(
			"INSERT INTO page_holder VALUES (1, 1, NULL, 'binary_alloc', 'binary', 'process', '<0.77.0> cache', 12582912),"
			"(1, 1, NULL, 'eheap_alloc', 'heap', 'processes', '121 processes worker:init/1', 8388608),"
			"(1, 1, NULL, 'eheap_alloc', 'heap', 'process', '<0.99.0> same', 9000001);"
			"INSERT INTO growth VALUES (1, 'binary_alloc', 'process', '<0.77.0> cache', 3145728)");
	struct holder_changes changes = { 0 };
	struct diag diag = { 0 };
	char *text = NULL;
	size_t length;
	FILE *memory = open_memstream(&text, &length);

	(void)state;
	assert_non_null(memory);
	assert_int_equal(holder_changes_read(old_db, new_db, 0.05, 1048576, &changes, &diag),
			CSC_OK);
	assert_int_equal(changes.count, 2);
	holder_changes_print(memory, &changes, true);
	assert_int_equal(fclose(memory), 0);
	assert_string_equal(text,
			"         old          new       change  grew before    grows now  who holds it\n"
			"    4.00 MiB    12.00 MiB    +8.00 MiB  +1.00 MiB/s  +3.00 MiB/s  cache, binary\n"
			"    2.00 MiB     8.00 MiB    +6.00 MiB            -            -  worker, heap\n");
	free(text);
	holder_changes_finish(&changes);
	(void)sqlite3_close(old_db);
	(void)sqlite3_close(new_db);
}

static void assert_printed(const char *old_rows, const char *new_rows, const char *wanted)
{
	sqlite3 *old_db = make_database(old_rows);
	sqlite3 *new_db = make_database(new_rows);
	struct holder_changes changes = { 0 };
	struct diag diag = { 0 };
	char *text = NULL;
	size_t length;
	FILE *memory = open_memstream(&text, &length);

	assert_non_null(memory);
	assert_int_equal(holder_changes_read(old_db, new_db, 0.05, 1048576, &changes, &diag),
			CSC_OK);
	holder_changes_print(memory, &changes, false);
	assert_int_equal(fclose(memory), 0);
	assert_string_equal(text, wanted);
	free(text);
	holder_changes_finish(&changes);
	(void)sqlite3_close(old_db);
	(void)sqlite3_close(new_db);
}

/* A list has those that have most: another one is not known to have nothing. */
static void test_unlisted(void **state)
{
	static const char one[] =
			"INSERT INTO page_holder VALUES (1, 1, NULL, 'eheap_alloc', 'heap', 'process', '<0.5.0> one', 4194304)";
	static const char other[] =
			"INSERT INTO page_holder VALUES (1, 1, NULL, 'eheap_alloc', 'heap', 'process', '<0.5.0> other', 8388608)";

	(void)state;
	assert_printed(one, other,
			"         old          new       change  who holds it\n"
			"           -     8.00 MiB            -  other, heap\n"
			"    4.00 MiB            -            -  one, heap\n");
	assert_printed("", other, "Who holds memory is known of one recording alone.\n");
	assert_printed(one, "", "Who holds memory is known of one recording alone.\n");
	assert_printed("", "", "");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_unlisted),
	};

	if (argc != 2) {
		return 2;
	}
	names_path = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
