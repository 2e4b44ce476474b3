/*
 * SPDX-License-Identifier: MIT
 *
 * Each allocation of ours fails in turn while inputs of every kind are read into one
 * database.  Each time the load ends in an error with a sentence and without a file, or
 * with a file that has it all, or says what it lacks.
 *
 *	reader_failure_test DATA_DIR
 *
 * With CSC_FAILURE_QUICK=1 not each one: all of the first sixteen, then ever fewer.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "failing_memory.h"
#include "reader.h"

static const char *data_dir;
static char database[] = "/tmp/csc_reader_failure_XXXXXX";

static enum csc_status read_one(const char *name, struct store *store, struct diag *diag)
{
	struct reader_input *input = NULL;
	const struct reader *reader;
	enum csc_status status;
	char path[4096];

	(void)snprintf(path, sizeof(path), "%s/%s", data_dir, name);
	status = reader_input_open(path, &input, diag);
	if (status != CSC_OK) {
		return status;
	}

	reader = readers_recognise(input);
	status = reader ? readers_read(reader, input, store, diag)
			: DIAG_FAIL(diag, "'%s' is nothing", name);
	reader_input_close(input);
	return status;
}

static enum csc_status load(struct diag *diag)
{
	static const char *const names[] = { "otp25-cut.dump", "shell.txt", "vm.args",
		"compressed.etf", "board.log" };
	const struct store_options options = { .path = database, .loader_name = "test" };
	struct store *store = NULL;
	enum csc_status status = store_open(&options, &store, diag);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && status == CSC_OK; i++) {
		if (i > 0) {
			status = store_next_source(store, true, diag);
		}
		if (status == CSC_OK) {
			status = read_one(names[i], store, diag);
		}
	}

	if (status != CSC_OK) {
		store_destroy(store);
		return status;
	}

	return store_close(store, true, diag);
}

static int64_t ask(const char *sql)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *statement = NULL;
	int64_t answer;

	assert_int_equal(sqlite3_open(database, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	answer = sqlite3_column_int64(statement, 0);
	(void)sqlite3_finalize(statement);
	(void)sqlite3_close(db);
	return answer;
}

static void test_every_allocation_fails_in_turn(void **state)
{
	static const char rows[] = "SELECT (SELECT count(*) FROM instance_stat) + "
				   "(SELECT count(*) FROM allocator_option) + "
				   "(SELECT count(*) FROM emulator_flag)";
	struct diag diag = { 0 };
	int64_t whole_rows;
	int64_t whole_problems;
	const char *quick = getenv("CSC_FAILURE_QUICK");
	/* With sanitizers a load takes its time: the build without tries all. */
	const long dense = quick && strcmp(quick, "0") != 0 ? 16 : LONG_MAX;
	long tried = 0;
	long turn = 0;
	(void)state;

	assert_int_equal(load(&diag), CSC_OK);
	whole_rows = ask(rows);
	whole_problems = ask("SELECT count(*) FROM load_problem");
	assert_true(whole_rows > 20);
	do {
		enum csc_status status;

		(void)unlink(database);
		diag = (struct diag){ 0 };
		turn += 1 + turn / dense;
		tried++;
		failing_memory_arm(FAILING_OURS, turn);
		status = load(&diag);
		failing_memory_disarm();
		if (status != CSC_OK) {
			assert_true(failing_memory_has_struck(FAILING_OURS));
			assert_non_null(diag.file);
			assert_int_not_equal(access(database, F_OK), 0);
		} else {
			assert_true(ask(rows) == whole_rows ||
					ask("SELECT count(*) FROM load_problem") > whole_problems);
		}
	} while (failing_memory_has_struck(FAILING_OURS));

	print_message("%ld of about %ld allocations failed in turn\n", tried - 1, turn - 1);
	assert_true(turn > 100);
}

static int remove_database(void **state)
{
	(void)state;
	(void)unlink(database);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_every_allocation_fails_in_turn) };
	int fd = mkstemp(database);

	if (argc != 2 || fd < 0) {
		fprintf(stderr, "usage: reader_failure_test DATA_DIR\n");
		return 2;
	}

	(void)close(fd);
	(void)unlink(database);
	data_dir = argv[1];
	return cmocka_run_group_tests(tests, NULL, remove_database);
}
