/*
 * SPDX-License-Identifier: MIT
 *
 * The store without Babeltrace: rows of every kind, files, failures.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "store.h"
#include "store_fixture.h"

static int open_fixture(void **state)
{
	return store_fixture_open(state, "store");
}

static void open_store(struct fixture *fixture)
{
	assert_int_equal(store_open(&fixture->options, &fixture->store, &fixture->diag), CSC_OK);
}

static enum csc_status close_store(struct fixture *fixture)
{
	struct store *store = fixture->store;

	fixture->store = NULL;
	return store_close(store, true, &fixture->diag);
}

static int64_t ask(struct fixture *fixture, const char *sql)
{
	sqlite3_stmt *rows = NULL;
	int64_t value = INT64_MIN;

	if (!fixture->db) {
		assert_int_equal(sqlite3_open(fixture->scratch.path, &fixture->db), SQLITE_OK);
	}

	if (sqlite3_prepare_v2(fixture->db, sql, -1, &rows, NULL) == SQLITE_OK &&
			sqlite3_step(rows) == SQLITE_ROW) {
		value = sqlite3_column_int64(rows, 0);
	}

	(void)sqlite3_finalize(rows);
	return value;
}

/* A put of one instance, the way the intake fills it. */
static void put(struct fixture *fixture, int64_t ts_ns)
{
	struct catalog *catalog = store_catalog(fixture->store);
	int32_t runtime = catalog_runtime(catalog, "node", 7);
	int32_t allocator = catalog_allocator(catalog, "eheap_alloc");
	int32_t thread = catalog_thread(catalog, runtime, 8, "one");
	struct carrier_row *row;

	assert_int_equal(store_begin_event(fixture->store, &fixture->diag), CSC_OK);
	row = store_carrier_row(fixture->store);
	row->ts_ns = ts_ns;
	row->kind = CARRIER_EVENT_carrier_pool_put;
	row->size = 100;
	row->runtime = runtime;
	row->allocator = allocator;
	row->thread = thread;
	row->instance = catalog_instance(catalog, runtime, allocator, 3);
	row->instance_number = 3;
	for (int i = 0; i < CARRIER_COUNTERS; i++) {
		row->counter[i] = ROW_NULL;
	}
}

static void test_rows_of_every_kind_arrive(void **state)
{
	struct fixture *fixture = *state;
	struct block_row *block;
	struct otp_row *otp;
	struct extra_row *extra;
	struct lost_row *lost;

	open_store(fixture);
	put(fixture, 10);
	block = store_block_row(fixture->store);
	*block = (struct block_row){ .id = block->id,
		.ts_ns = 20,
		.address = 4096,
		.size = 7,
		.type_id = ROW_NULL,
		.allocator_id = ROW_NULL,
		.instance = ROW_NULL,
		.thread = -1,
		.is_libc = true };
	otp = store_otp_row(fixture->store);
	otp->ts_ns = 30;
	assert_true(store_text(fixture->store, "event", &otp->event));
	assert_true(store_text(fixture->store, "", &otp->provider));
	extra = store_extra_row(fixture->store);
	assert_non_null(extra);
	extra->event_id = otp->id;
	extra->value.kind = ANY_REAL;
	extra->value.as.real = 0.5;
	assert_true(store_text(fixture->store, "otp_event", &extra->event_table));
	assert_true(store_text(fixture->store, "f", &extra->field));
	lost = store_lost_row(fixture->store, -1);
	assert_true(store_text(fixture->store, "why", &lost->cause));
	assert_int_equal(close_store(fixture), CSC_OK);
	assert_int_equal(ask(fixture,
					 "SELECT count(*) FROM carrier_event WHERE id = 1 AND "
					 "instance_id = 1 AND thread_id = 1 AND class IS NULL AND "
					 "mbc_carriers IS NULL AND footprint_bytes = 0"),
			1);
	assert_int_equal(
			ask(fixture,
					"SELECT count(*) FROM block_event WHERE id = 1 AND address = "
					"4096 AND thread_id IS NULL AND type_id IS NULL"),
			1);
	assert_int_equal(ask(fixture,
					 "SELECT count(*) FROM otp_event WHERE id = 1 AND event = "
					 "'event' AND provider = '' AND driver IS NULL"),
			1);
	assert_int_equal(ask(fixture, "SELECT count(*) FROM extra_field WHERE value = 0.5"), 1);
	assert_int_equal(
			ask(fixture,
					"SELECT count(*) FROM lost_interval WHERE cause = 'why' AND "
					"stream_id IS NULL AND events IS NULL"),
			1);
	assert_int_equal(ask(fixture, "PRAGMA application_id"), STORE_APPLICATION_ID);
	assert_int_equal(ask(fixture, "PRAGMA user_version"), STORE_SCHEMA_VERSION);
}

static void test_the_writer_keeps_up_over_many_batches(void **state)
{
	enum { ROWS = 200000 };
	struct fixture *fixture = *state;

	open_store(fixture);
	for (int i = 0; i < ROWS; i++) {
		put(fixture, i);
	}

	assert_int_equal(close_store(fixture), CSC_OK);
	assert_int_equal(ask(fixture, "SELECT count(*) FROM carrier_event WHERE id = ts_ns + 1"),
			ROWS);
	assert_int_equal(scratch_count(&fixture->scratch), 1);
}

static void test_a_problem_keeps_its_first_sentence_and_counts(void **state)
{
	struct fixture *fixture = *state;

	open_store(fixture);
	for (int i = 1; i <= 3; i++) {
		assert_int_equal(store_problem(fixture->store, "p", SEVERITY_ERROR, i,
						 &fixture->diag, "number %d", i),
				CSC_OK);
	}

	assert_int_equal(close_store(fixture), CSC_OK);
	assert_int_equal(
			ask(fixture,
					"SELECT count FROM load_problem WHERE severity = 'error' AND "
					"sentence = 'number 1'"),
			6);
}

static void test_a_store_given_up_leaves_nothing(void **state)
{
	struct fixture *fixture = *state;

	open_store(fixture);
	put(fixture, 1);
	assert_int_equal(scratch_count(&fixture->scratch), 1);
	assert_int_equal(access(fixture->scratch.path, F_OK), -1);
	store_destroy(fixture->store);
	fixture->store = NULL;
	assert_int_equal(scratch_count(&fixture->scratch), 0);
}

static void test_targets_that_cannot_be_written_are_refused(void **state)
{
	static const char *const paths[][2] = {
		{ "/dev/full", "not a regular file" },
		{ "/tmp", "not a regular file" },
		{ "/no/such/folder/x.db", "cannot write '/no/such/folder/x.db'" },
		{ "/proc/x.db", "/proc/x.db" },
		{ "/dev/null/x.db", "Not a directory" },
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		fixture->diag = (struct diag){ 0 };
		fixture->options.path = paths[i][0];
		assert_int_equal(store_open(&fixture->options, &fixture->store, &fixture->diag),
				CSC_ERROR);
		assert_non_null(strstr(fixture->diag.text, paths[i][1]));
	}
}

static void test_a_file_that_appears_meanwhile_is_not_replaced(void **state)
{
	struct fixture *fixture = *state;
	FILE *file;

	open_store(fixture);
	put(fixture, 1);
	file = fopen(fixture->scratch.path, "w");
	assert_non_null(file);
	(void)fputs("precious", file);
	(void)fclose(file);
	assert_int_equal(close_store(fixture), CSC_ERROR);
	assert_non_null(strstr(fixture->diag.text, "File exists"));
	assert_int_equal(scratch_count(&fixture->scratch), 1);
}

static void touch(const struct fixture *fixture, const char *suffix, long pid)
{
	char path[160];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s%s%ld", fixture->scratch.path, suffix, pid);
	file = fopen(path, "w");
	assert_non_null(file);
	(void)fclose(file);
}

static void test_files_of_dead_loaders_are_removed_and_of_living_ones_not(void **state)
{
	struct fixture *fixture = *state;
	pid_t dead = fork();

	if (dead == 0) {
		_exit(0);
	}

	assert_int_equal(waitpid(dead, NULL, 0), dead);
	touch(fixture, ".partial-", dead);
	touch(fixture, ".partial-", (long)getppid());
	touch(fixture, ".partial-x", dead);
	open_store(fixture);
	assert_int_equal(close_store(fixture), CSC_OK);
	assert_int_equal(scratch_count(&fixture->scratch), 3);
}

static void test_a_limit_of_file_size_is_an_error_and_not_the_end(void **state)
{
	struct fixture *fixture = *state;
	struct rlimit before;
	struct rlimit small;
	enum csc_status status;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = before;
	small.rlim_cur = 1 << 16;
	open_store(fixture);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	/* Fewer than a batch takes: what fails shows at the end. */
	for (int i = 0; i < 2000; i++) {
		put(fixture, i);
	}

	status = close_store(fixture);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(status, CSC_ERROR);
	assert_int_equal(scratch_count(&fixture->scratch), 0);
}

/* Makes block number `slot`, or frees it. */
static void put_block(struct fixture *fixture, enum block_op op, int64_t slot)
{
	struct catalog *catalog = store_catalog(fixture->store);
	int32_t runtime = catalog_runtime(catalog, "node", 7);
	int32_t thread = catalog_thread(catalog, runtime, 8, "one");
	struct block_row *row;

	assert_int_equal(store_begin_event(fixture->store, &fixture->diag), CSC_OK);
	row = store_block_row(fixture->store);
	*row = (struct block_row){ .id = row->id,
		.ts_ns = row->id,
		.op = (int32_t)op,
		.address = 16 * (slot + 1),
		.size = 100,
		.type_id = 3,
		.allocator_id = 4,
		.instance = 1,
		.thread = thread,
		.runtime = runtime };
}

static void test_live_blocks_are_known_while_the_file_grows(void **state)
{
	static const char live[] = "SELECT count(*) FROM block_live";
	static const char sum[] = "SELECT sum(live_blocks) FROM block_account "
				  "WHERE scope = 'runtime'";
	struct fixture *fixture = *state;

	open_store(fixture);
	for (int64_t i = 0; i < 50; i++) {
		put_block(fixture, BLOCK_ALLOC, i);
	}

	assert_int_equal(store_go_live(fixture->store, &fixture->diag), CSC_OK);
	assert_int_equal(ask(fixture, live), 50);
	assert_int_equal(ask(fixture, sum), 50);
	for (int64_t i = 0; i < 20; i++) {
		put_block(fixture, BLOCK_FREE, i);
	}

	(void)sleep(2);
	assert_int_equal(store_go_live(fixture->store, &fixture->diag), CSC_OK);
	assert_int_equal(ask(fixture, live), 30);
	assert_int_equal(ask(fixture, sum), 30);
	put_block(fixture, BLOCK_FREE, 20);
	/* Readers make way for the change of the journal. */
	(void)sqlite3_close(fixture->db);
	fixture->db = NULL;
	assert_int_equal(close_store(fixture), CSC_OK);
	assert_int_equal(ask(fixture, live), 29);
	assert_int_equal(ask(fixture, sum), 29);
	assert_int_equal(ask(fixture, "SELECT count(*) FROM live_block_keyframe"), 1);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, open_fixture, store_fixture_close)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(test_rows_of_every_kind_arrive),
		CASE(test_the_writer_keeps_up_over_many_batches),
		CASE(test_a_problem_keeps_its_first_sentence_and_counts),
		CASE(test_a_store_given_up_leaves_nothing),
		CASE(test_targets_that_cannot_be_written_are_refused),
		CASE(test_a_file_that_appears_meanwhile_is_not_replaced),
		CASE(test_files_of_dead_loaders_are_removed_and_of_living_ones_not),
		CASE(test_live_blocks_are_known_while_the_file_grows),
		CASE(test_a_limit_of_file_size_is_an_error_and_not_the_end),
	};

	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
