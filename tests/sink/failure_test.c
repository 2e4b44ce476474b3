/*
 * SPDX-License-Identifier: MIT
 *
 * Everything that can fail fails in turn, over a small load: our allocations,
 * SQLite's allocations, and the operations of its files.  Each time the load
 * ends in an error with a sentence, or with the right result; never with a file
 * under the final name that is neither.
 *
 * SQLite allocates tens of thousands of times a load, so a sample is tried,
 * from CSC_FAILURE_FROM on.  CSC_FAILURE_STRIDE=1 tries them all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "failing_memory.h"
#include "failure_load.h"
#include "fault_vfs.h"
#include "scratch.h"

struct fixture {
	struct scratch scratch;
	char reason[DIAG_TEXT_BYTES];
	sqlite3 *db;

	/* The file that is there beforehand. */
	char *old;
	size_t old_size;
};

static int open_fixture(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct diag diag = { 0 };
	struct stat status;
	FILE *file;

	if (!fixture) {
		return -1;
	}

	*state = fixture;
	if (!scratch_open(&fixture->scratch, "failure")) {
		return -1;
	}

	if (failure_load(fixture->scratch.path, SITUATION_NEW, &diag) != CSC_OK ||
			stat(fixture->scratch.path, &status) != 0) {
		print_error("%s\n", diag.text);
		return -1;
	}

	fixture->old_size = (size_t)status.st_size;
	fixture->old = malloc(fixture->old_size);
	file = fopen(fixture->scratch.path, "r");
	if (!file || fread(fixture->old, 1, fixture->old_size, file) != fixture->old_size) {
		return -1;
	}

	(void)fclose(file);
	return 0;
}

static int close_fixture(void **state)
{
	struct fixture *fixture = *state;

	(void)sqlite3_close(fixture->db);
	scratch_close(&fixture->scratch);
	free(fixture->old);
	free(fixture);
	return 0;
}

static void put_old_file(const struct fixture *fixture)
{
	FILE *file = fopen(fixture->scratch.path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(fixture->old, 1, fixture->old_size, file), fixture->old_size);
	(void)fclose(file);
}

static bool is_old_file(const struct fixture *fixture)
{
	char *now = malloc(fixture->old_size + 1);
	FILE *file = fopen(fixture->scratch.path, "r");
	bool is_same = file && fread(now, 1, fixture->old_size + 1, file) == fixture->old_size &&
			memcmp(now, fixture->old, fixture->old_size) == 0;

	if (file) {
		(void)fclose(file);
	}

	free(now);
	return is_same;
}

static int64_t query(struct fixture *fixture, const char *sql)
{
	sqlite3_stmt *rows = NULL;
	int64_t value = -1;

	if (sqlite3_prepare_v2(fixture->db, sql, -1, &rows, NULL) == SQLITE_OK &&
			sqlite3_step(rows) == SQLITE_ROW) {
		value = sqlite3_column_int64(rows, 0);
	}

	(void)sqlite3_finalize(rows);
	return value;
}

/* Whether the file is sound and holds `sources`, all of them whole. */
static bool is_sound(struct fixture *fixture, int64_t sources, bool is_complete)
{
	bool is_right = sqlite3_open(fixture->scratch.path, &fixture->db) == SQLITE_OK &&
			query(fixture,
					"SELECT count(*) FROM pragma_integrity_check WHERE "
					"integrity_check = 'ok'") == 1 &&
			query(fixture, "SELECT count(*) FROM source") == sources;

	if (is_complete) {
		is_right = is_right &&
				query(fixture, "SELECT sum(complete) FROM source") == sources &&
				query(fixture, "SELECT sum(events) FROM source") == 17 * sources &&
				query(fixture, "SELECT count(*) FROM carrier_event") ==
						6 * sources &&
				query(fixture, "SELECT count(*) FROM block_event") == 5 * sources &&
				query(fixture, "SELECT count(*) FROM otp_event") == 2 * sources &&
				query(fixture, "SELECT count(*) FROM extra_field") == 6 * sources &&
				query(fixture, "SELECT count(*) FROM lost_interval") ==
						6 * sources &&
				query(fixture, "SELECT count(*) FROM footprint_sample") ==
						100 * sources &&
				query(fixture, "SELECT count(*) FROM load_problem") == 13 * sources;
	}

	(void)sqlite3_close(fixture->db);
	fixture->db = NULL;
	return is_right;
}

/* What is wrong with the outcome of a load in which something failed; NULL: nothing. */
static const char *find_fault(struct fixture *fixture, enum situation situation,
		enum csc_status status, const struct diag *diag)
{
	int files = scratch_count(&fixture->scratch);

	if (status == CSC_OK) {
		return is_sound(fixture, situation == SITUATION_APPEND ? 2 : 1, true)
				? NULL
				: "it went well, but the file is not right";
	}

	if (!diag->file || !*diag->text) {
		return "it failed without a sentence";
	}

	switch (situation) {
	case SITUATION_NEW:
		return files == 0 ? NULL : "it failed and left a file";
	case SITUATION_FORCE:
		return files == 1 && is_old_file(fixture) ? NULL
							  : "it failed and the old file is gone";
	case SITUATION_APPEND:
		/* A journal may be left: what is needed to undo. */
		return is_sound(fixture, 1, true) ? NULL : "it failed and the old file is spoilt";
	case SITUATION_LIVE:
		return files == 0 || is_sound(fixture, 1, false) || is_sound(fixture, 0, false)
				? NULL
				: "it failed and the live file is spoilt";
	case SITUATIONS:
		break;
	}

	return NULL;
}

static void disarm(void)
{
	failing_memory_disarm();
	fault_vfs_arm(FAULT_READ, 0, false, 0);
}

/* One load in a given situation, armed before by the caller. */
static void try_load(struct fixture *fixture, enum situation situation, const char *what, long n)
{
	struct diag diag = { 0 };
	enum csc_status status = failure_load(fixture->scratch.path, situation, &diag);
	const char *fault;

	disarm();
	fault = find_fault(fixture, situation, status, &diag);
	if (fault) {
		print_error("%s %ld, situation %d: %s ('%s')\n", what, n, (int)situation, fault,
				diag.text);
	}

	assert_null(fault);
}

static void prepare(struct fixture *fixture, enum situation situation)
{
	scratch_empty(&fixture->scratch);
	if (situation == SITUATION_FORCE || situation == SITUATION_APPEND) {
		put_old_file(fixture);
	}
}

static long from_environment(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text ? strtol(text, NULL, 10) : otherwise;
}

/*
 * The next to be tried after `n`, denser at the beginning, where they differ most.  A
 * load takes its time: with CSC_FAILURE_QUICK=1 fewer are tried, with 2, for sanitizers, fewer
 * still.
 */
static long after(long n, long all, long quick, long quickest)
{
	const long rates[] = { all, quick, quickest };
	long level = from_environment("CSC_FAILURE_QUICK", 0);
	long rate = rates[level < 0 || level > 2 ? 2 : level];

	return n + 1 + (rate > 0 ? n / rate : 0);
}

/* Each other one where fewest allocations are tried. */
static enum situation after_situation(enum situation situation)
{
	return situation + (from_environment("CSC_FAILURE_QUICK", 0) > 1 ? 2 : 1);
}

static void test_each_of_our_allocations_fails(void **state)
{
	struct fixture *fixture = *state;

	for (enum situation situation = 0; situation < SITUATIONS;
			situation = after_situation(situation)) {
		long n = 0;

		do {
			n = after(n, 0, 8, 2);
			prepare(fixture, situation);
			failing_memory_arm(FAILING_OURS, n);
			try_load(fixture, situation, "allocation", n);
		} while (failing_memory_has_struck(FAILING_OURS));

		print_message("situation %d: %ld allocations\n", (int)situation, n - 1);
		assert_true(n > 50);
	}
}

static void test_allocations_of_sqlite_fail(void **state)
{
	struct fixture *fixture = *state;
	long stride = from_environment("CSC_FAILURE_STRIDE", 0);
	long from = from_environment("CSC_FAILURE_FROM", 1);

	for (enum situation situation = 0; situation < SITUATIONS;
			situation = after_situation(situation)) {
		long n = from - 1;

		do {
			/* Denser at the beginning, where they differ most. */
			n = stride > 0 ? n + stride : after(n, 5, 2, 1);
			prepare(fixture, situation);
			failing_memory_arm(FAILING_SQLITE, n);
			try_load(fixture, situation, "allocation of SQLite", n);
		} while (failing_memory_has_struck(FAILING_SQLITE));

		print_message("situation %d: about %ld allocations\n", (int)situation, n);
		assert_true(n > 1000);
	}
}

static void fail_operations(struct fixture *fixture, enum fault_operation operation,
		const char *what, bool is_lasting, int result)
{
	bool is_each = from_environment("CSC_FAILURE_EACH", 0) != 0;
	long all = 0;

	for (enum situation situation = 0; situation < SITUATIONS; situation++) {
		long n = 0;

		do {
			/* Denser at the beginning; the many writes of the schema are alike. */
			n = is_each ? after(n, 0, 0, 1) : after(n, 24, 3, 1);
			prepare(fixture, situation);
			fault_vfs_arm(operation, n, is_lasting, result);
			try_load(fixture, situation, what, n);
			all++;
		} while (fault_vfs_has_struck());

		all--;
	}

	print_message("%s: %ld\n", what, all);
	assert_true(all > 0);
}

/* A test of its own for each kind of operation. */
#define FAIL_TEST(name, operation, what, is_lasting, result)                  \
	static void name(void **state)                                        \
	{                                                                     \
		fail_operations(*state, operation, what, is_lasting, result); \
	}

FAIL_TEST(test_each_write_fails_once, FAULT_WRITE, "write", false, SQLITE_IOERR_WRITE)
FAIL_TEST(test_the_disk_is_full_from_each_write_on, FAULT_WRITE, "write from", true, SQLITE_FULL)

/* Nothing stays of a load whose disk is full: no journal either, and each byte as it was. */
static void test_a_full_disk_is_undone(void **state)
{
	struct fixture *fixture = *state;
	long n = 0;

	for (;;) {
		struct diag diag = { 0 };
		enum csc_status status;

		n = after(n, 24, 3, 1);
		prepare(fixture, SITUATION_APPEND);
		fault_vfs_arm(FAULT_GROW, n, true, SQLITE_FULL);
		status = failure_load(fixture->scratch.path, SITUATION_APPEND, &diag);
		disarm();
		if (!fault_vfs_has_struck()) {
			assert_int_equal(status, CSC_OK);
			break;
		}

		if (status == CSC_OK || scratch_count(&fixture->scratch) != 1 ||
				!is_old_file(fixture)) {
			print_error("full from write %ld on: status %d, %d files, %s ('%s')\n", n,
					(int)status, scratch_count(&fixture->scratch),
					is_old_file(fixture) ? "the old file" : "another file",
					diag.text);
		}

		assert_int_not_equal(status, CSC_OK);
		assert_int_equal(scratch_count(&fixture->scratch), 1);
		assert_true(is_old_file(fixture));
	}

	print_message("writes that make a file longer: %ld\n", n - 1);
	assert_true(n > 3);
}

FAIL_TEST(test_each_read_fails_once, FAULT_READ, "read", false, SQLITE_IOERR_READ)
FAIL_TEST(test_each_sync_fails_once, FAULT_SYNC, "sync", false, SQLITE_IOERR_FSYNC)
FAIL_TEST(test_each_truncation_fails_once, FAULT_TRUNCATE, "truncation", false,
		SQLITE_IOERR_TRUNCATE)
FAIL_TEST(test_each_opening_fails_once, FAULT_OPEN, "opening", false, SQLITE_CANTOPEN)
FAIL_TEST(test_each_removal_fails_once, FAULT_DELETE, "removal", false, SQLITE_IOERR_DELETE)

#define CASE(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(test_each_of_our_allocations_fails),
		CASE(test_allocations_of_sqlite_fail),
		CASE(test_each_write_fails_once),
		CASE(test_the_disk_is_full_from_each_write_on),
		CASE(test_a_full_disk_is_undone),
		CASE(test_each_read_fails_once),
		CASE(test_each_sync_fails_once),
		CASE(test_each_truncation_fails_once),
		CASE(test_each_opening_fails_once),
		CASE(test_each_removal_fails_once),
	};

	if (!failing_memory_install()) {
		return 2;
	}

	return cmocka_run_group_tests_name("failure", tests, failure_load_begin, failure_load_end);
}
