/* SPDX-License-Identifier: MIT */
/*
 * Rows that go into a file as pages: SQLite finds the same as what it inserts itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "feed_pages.h"
#include "rows.h"

struct row {
	int64_t id;
	int64_t wide;
	int32_t small;
	int32_t reference;
	int64_t last;
};

static const struct feed_column columns[] = {
	{ "id", FEED_INT64, offsetof(struct row, id) },
	{ "wide", FEED_INT64, offsetof(struct row, wide) },
	{ "small", FEED_INT32, offsetof(struct row, small) },
	{ "reference", FEED_ID, offsetof(struct row, reference) },
	{ "last", FEED_INT64, offsetof(struct row, last) },
};

static const struct feed_shape shape = {
	.table = "t",
	.row_size = sizeof(struct row),
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.columns = columns,
};

struct fixture {
	char path[64];
	sqlite3 *db;
	int pending_byte;
};

static void execute(struct fixture *fixture, const char *sql)
{
	assert_int_equal(sqlite3_exec(fixture->db, sql, NULL, NULL, NULL), SQLITE_OK);
}

static int64_t ask(struct fixture *fixture, const char *sql)
{
	sqlite3_stmt *statement;
	int64_t value;

	assert_int_equal(sqlite3_prepare_v2(fixture->db, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	value = sqlite3_column_int64(statement, 0);
	assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
	return value;
}

static void open_file(struct fixture *fixture, int page_size)
{
	char sql[512];

	(void)snprintf(fixture->path, sizeof(fixture->path), "feed_pages_test.%d.db",
			(int)getpid());
	(void)unlink(fixture->path);
	assert_int_equal(sqlite3_open(fixture->path, &fixture->db), SQLITE_OK);
	(void)snprintf(sql, sizeof(sql),
			"PRAGMA page_size = %d; PRAGMA journal_mode = OFF; BEGIN;"
			"CREATE TABLE before(x);"
			"CREATE TABLE t(id INTEGER PRIMARY KEY, wide INTEGER, small INTEGER,"
			"  reference INTEGER, last INTEGER) STRICT;"
			"CREATE TABLE twin(id INTEGER PRIMARY KEY, wide INTEGER, small INTEGER,"
			"  reference INTEGER, last INTEGER) STRICT",
			page_size);
	execute(fixture, sql);
}

static void close_file(struct fixture *fixture)
{
	assert_int_equal(sqlite3_close(fixture->db), SQLITE_OK);
	fixture->db = NULL;
	assert_int_equal(unlink(fixture->path), 0);
}

/* All lengths of integers, with both signs, and NULLs at the end and within. */
static struct row make_row(int64_t number, int64_t gap)
{
	unsigned int bits = (unsigned int)(number * 7 % 63);
	int64_t wide = (INT64_C(1) << bits) - number % 3;

	return (struct row){
		.id = number * gap + 1,
		.wide = number % 11 == 0     ? ROW_NULL
				: number % 2 ? wide
					     : -wide,
		.small = (int32_t)(number % 5 == 0 ? INT32_MIN : number - 3),
		.reference = (int32_t)(number % 4),
		.last = number % 3 == 0		   ? ROW_NULL
				: number % 13 == 0 ? INT64_MAX
						   : number,
	};
}

static void bind(sqlite3_stmt *statement, int at, int64_t value)
{
	assert_int_equal(value == ROW_NULL ? sqlite3_bind_null(statement, at)
					   : sqlite3_bind_int64(statement, at, value),
			SQLITE_OK);
}

static void insert_twin(struct fixture *fixture, int64_t first, int64_t count, int64_t gap)
{
	sqlite3_stmt *statement;

	assert_int_equal(sqlite3_prepare_v2(fixture->db,
					 "INSERT INTO twin VALUES (?, ?, ?, nullif(?, 0), ?)", -1,
					 &statement, NULL),
			SQLITE_OK);
	for (int64_t i = first; i < first + count; i++) {
		struct row row = make_row(i, gap);

		bind(statement, 1, row.id);
		bind(statement, 2, row.wide);
		bind(statement, 3, row.small);
		bind(statement, 4, row.reference);
		bind(statement, 5, row.last);
		assert_int_equal(sqlite3_step(statement), SQLITE_DONE);
		assert_int_equal(sqlite3_reset(statement), SQLITE_OK);
	}

	assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
}

static void assert_same(struct fixture *fixture, int64_t count)
{
	sqlite3_stmt *statement;

	assert_int_equal(ask(fixture, "SELECT count(*) FROM t"), count);
	assert_int_equal(ask(fixture,
					 "SELECT count(*) FROM t JOIN twin ON t.id = twin.id "
					 "WHERE t.wide IS twin.wide AND t.small IS twin.small AND "
					 "t.reference IS twin.reference AND t.last IS twin.last"),
			count);
	assert_int_equal(sqlite3_prepare_v2(fixture->db, "PRAGMA integrity_check", -1, &statement,
					 NULL),
			SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(statement, 0), "ok");
	assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
}

/* Fills the table by pages, and its twin by statements in between, and compares. */
static void fill_and_compare(struct fixture *fixture, int64_t count, int64_t gap)
{
	enum { AT_ONCE = 777 };
	struct row *rows = calloc(AT_ONCE, sizeof(*rows));
	struct feed_pages *pages = NULL;
	struct diag diag = { 0 };

	assert_non_null(rows);
	assert_int_equal(feed_pages_begin(fixture->db, fixture->path, &shape, &pages, &diag),
			CSC_OK);
	assert_non_null(pages);
	for (int64_t at = 0; at < count; at += AT_ONCE) {
		int64_t part = count - at < AT_ONCE ? count - at : AT_ONCE;

		for (int64_t i = 0; i < part; i++) {
			rows[i] = make_row(at + i, gap);
		}
		assert_int_equal(feed_pages_add(pages, rows, (size_t)part, &diag), CSC_OK);
		insert_twin(fixture, at, part, gap);
	}

	assert_int_equal(feed_pages_end(pages, &diag), CSC_OK);
	free(rows);
	assert_same(fixture, count);
	execute(fixture, "COMMIT");
	assert_same(fixture, count);

	/* An ordinary table: rows are added at its end, found and taken out. */
	execute(fixture, "INSERT INTO t(wide) SELECT 5 FROM twin LIMIT 300");
	assert_int_equal(ask(fixture, "SELECT max(id) FROM t"),
			(count > 0 ? (count - 1) * gap + 1 : 0) + (count < 300 ? count : 300));
	execute(fixture,
			"DELETE FROM t WHERE id % 2 = 0; DELETE FROM twin WHERE id % 2 = 0;"
			"DELETE FROM t WHERE wide = 5 AND id NOT IN (SELECT id FROM twin)");
	assert_same(fixture, ask(fixture, "SELECT count(*) FROM twin"));
}

/* Around one leaf, one run of leaves, one page above the leaves, two levels of these. */
static void test_every_depth_of_tree(void **state)
{
	static const int64_t counts[] = { 0, 1, 2, 40, 60, 100, 2500, 2600, 2700, 9000, 30000 };
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		open_file(fixture, 1024);
		fill_and_compare(fixture, counts[i], 1);
		close_file(fixture);
	}

	open_file(fixture, 4096);
	fill_and_compare(fixture, 70000, INT64_C(1) << 44);
	close_file(fixture);
	open_file(fixture, 65536);
	fill_and_compare(fixture, 9000, 100);
	close_file(fixture);
}

/* Each count once, where pages come to be full. */
static void test_every_count_around_a_page(void **state)
{
	struct fixture *fixture = *state;

	for (int64_t count = 30; count < 110; count++) {
		open_file(fixture, 1024);
		fill_and_compare(fixture, count, 1);
		close_file(fixture);
	}
}

/* The page that SQLite locks is never one of the tree, wherever in a run it lies. */
static void test_the_locked_page_is_passed_over(void **state)
{
	struct fixture *fixture = *state;

	for (int page = 60; page < 200; page += 13) {
		(void)sqlite3_test_control(SQLITE_TESTCTRL_PENDING_BYTE, page * 4096);
		open_file(fixture, 4096);
		fill_and_compare(fixture, 25000, 3);
		close_file(fixture);
	}
}

/* What has rows, or is of a kind that is not known, is left to statements. */
static void test_what_is_not_known_is_left_alone(void **state)
{
	struct fixture *fixture = *state;
	struct feed_pages *pages = NULL;
	struct diag diag = { 0 };

	open_file(fixture, 4096);
	execute(fixture, "INSERT INTO t(wide) VALUES (1)");
	assert_int_equal(feed_pages_begin(fixture->db, fixture->path, &shape, &pages, &diag),
			CSC_OK);
	assert_null(pages);
	execute(fixture, "COMMIT");
	close_file(fixture);

	assert_int_equal(sqlite3_open(fixture->path, &fixture->db), SQLITE_OK);
	execute(fixture,
			"PRAGMA auto_vacuum = FULL; CREATE TABLE t(id INTEGER PRIMARY KEY); BEGIN");
	assert_int_equal(feed_pages_begin(fixture->db, fixture->path, &shape, &pages, &diag),
			CSC_OK);
	assert_null(pages);
	execute(fixture, "COMMIT");
	close_file(fixture);
}

static int set_up(void **state)
{
	static struct fixture fixture;

	fixture.pending_byte = sqlite3_test_control(SQLITE_TESTCTRL_PENDING_BYTE, 0);
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	(void)sqlite3_test_control(SQLITE_TESTCTRL_PENDING_BYTE, fixture->pending_byte);
	if (fixture->db) {
		(void)sqlite3_close(fixture->db);
		fixture->db = NULL;
		(void)unlink(fixture->path);
	}

	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_every_depth_of_tree, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_every_count_around_a_page, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
				test_the_locked_page_is_passed_over, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
				test_what_is_not_known_is_left_alone, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("feed_pages", tests, NULL, NULL);
}
