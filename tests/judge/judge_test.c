/*
 * SPDX-License-Identifier: MIT
 *
 * What is stored is read if it holds, and is computed anew if not: whoever changed, dropped or made
 *it.
 *
 *	judge_test tests/views
 *
 * The file is that of the worked example tests/views/verdict: fragmentation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "judge.h"
#include "judge_steps.h"
#include "schema_sql.h"
#include "scratch.h"
#include "text_file.h"

static const char *views_dir;

struct fixture {
	struct scratch scratch;
	sqlite3 *db;
	char text[512];
};

static void run(sqlite3 *db, const char *sql)
{
	int result = sqlite3_exec(db, sql, NULL, NULL, NULL);

	if (result != SQLITE_OK) {
		print_error("%s: %s\n", sql, sqlite3_errmsg(db));
	}
	assert_int_equal(result, SQLITE_OK);
}

static void run_file(sqlite3 *db, const char *name)
{
	char path[4096];
	char *sql;
	char *expected;

	(void)snprintf(path, sizeof(path), "%s/%s", views_dir, name);
	sql = text_file_read(path);
	assert_non_null(sql);
	/* Of a worked example the rows that are given. */
	expected = strstr(sql, "\n-- expect\n");
	if (expected) {
		*expected = '\0';
	}
	run(db, sql);
	free(sql);
}

/* The first column of the first row; "" for none. */
static const char *text_of(struct fixture *fixture, sqlite3 *db, const char *sql)
{
	sqlite3_stmt *row = NULL;

	fixture->text[0] = '\0';
	if (sqlite3_prepare_v2(db, sql, -1, &row, NULL) != SQLITE_OK) {
		print_error("%s: %s\n", sql, sqlite3_errmsg(db));
		fail();
	}
	if (sqlite3_step(row) == SQLITE_ROW && sqlite3_column_text(row, 0)) {
		(void)snprintf(fixture->text, sizeof(fixture->text), "%s",
				sqlite3_column_text(row, 0));
	}
	sqlite3_finalize(row);
	return fixture->text;
}

static const char verdict[] = "SELECT verdict FROM verdict WHERE level = 'runtime'";

/* Prepares and asks: the verdict is right, and stands in a table of this connection, or of the
 * file. */
static void assert_verdict(struct fixture *fixture, sqlite3 *db, bool is_anew)
{
	struct diag diag = { 0 };

	if (judge_prepare(db, "report_verdict", &diag) != CSC_OK) {
		print_error("%s\n", diag.text);
		fail();
	}
	assert_string_equal(text_of(fixture, db, verdict), "fragmentation");
	assert_string_equal(text_of(fixture, db, "SELECT verdict FROM report_verdict"),
			"fragmentation");
	assert_string_equal(
			text_of(fixture, db,
					"SELECT count(*) > 0 FROM sqlite_temp_schema WHERE name = 'verdict'"),
			is_anew ? "1" : "0");
}

static void assert_refused(struct fixture *fixture, const char *sentence)
{
	struct diag diag = { 0 };

	assert_int_equal(judge_prepare(fixture->db, "verdict", &diag), CSC_ERROR);
	if (!strstr(diag.text, sentence)) {
		print_error("%s\n", diag.text);
	}
	assert_non_null(strstr(diag.text, sentence));
	assert_null(strchr(diag.text, '\n'));
}

static int open_judged(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct diag diag = { 0 };

	if (!fixture || !scratch_open(&fixture->scratch, "judge") ||
			sqlite3_open(fixture->scratch.path, &fixture->db) != SQLITE_OK) {
		return -1;
	}

	*state = fixture;
	run(fixture->db, "BEGIN");
	run(fixture->db, schema_sql);
	run_file(fixture->db, "fixture.sql");
	run_file(fixture->db, "verdict.example");
	/* The example gives its figures. */
	run(fixture->db,
			"CREATE TABLE kept_figure AS SELECT * FROM figure; "
			"CREATE TEMP TABLE figure AS SELECT * FROM main.figure");
	assert_int_equal(judge_store(fixture->db, true, &diag), CSC_OK);
	run(fixture->db, "COMMIT");
	return 0;
}

static int close_judged(void **state)
{
	struct fixture *fixture = *state;

	(void)sqlite3_close(fixture->db);
	scratch_close(&fixture->scratch);
	free(fixture);
	return 0;
}

/* The figures were given, so that they are not computed. */
static void keep_figures(sqlite3 *db)
{
	run(db, "CREATE TEMP TABLE figure AS SELECT * FROM kept_figure");
}

static void test_what_is_stored_is_read(void **state)
{
	struct fixture *fixture = *state;

	assert_verdict(fixture, fixture->db, false);
	assert_string_equal(
			text_of(fixture, fixture->db,
					"SELECT count(*) FROM sqlite_temp_schema WHERE name LIKE '\\_%' ESCAPE '\\' OR name IN ('figure', 'verdict', 'report_verdict')"),
			"0");
}

static void test_what_was_changed_is_judged_anew(void **state)
{
	struct fixture *fixture = *state;

	run(fixture->db, "UPDATE verdict SET verdict = 'normal'");
	keep_figures(fixture->db);
	assert_verdict(fixture, fixture->db, true);
	assert_string_equal(text_of(fixture, fixture->db, "SELECT verdict FROM main.verdict"),
			"normal");
}

static void test_rows_that_were_put_in_are_not_believed(void **state)
{
	struct fixture *fixture = *state;

	run(fixture->db,
			"DELETE FROM verdict; INSERT INTO verdict (level, verdict) VALUES ('runtime', 'normal')");
	keep_figures(fixture->db);
	assert_verdict(fixture, fixture->db, true);
}

static void test_what_was_dropped_is_judged_anew(void **state)
{
	struct fixture *fixture = *state;

	run(fixture->db, "DROP TABLE verdict; DROP TABLE holder");
	keep_figures(fixture->db);
	assert_verdict(fixture, fixture->db, true);
}

static void test_without_a_judgement_it_is_judged_anew(void **state)
{
	struct fixture *fixture = *state;

	run(fixture->db, "DROP TABLE judgement");
	keep_figures(fixture->db);
	assert_verdict(fixture, fixture->db, true);
}

static void test_what_another_program_judged_is_judged_anew(void **state)
{
	struct fixture *fixture = *state;

	run(fixture->db, "UPDATE judgement SET rules = '0123456789abcdef'");
	keep_figures(fixture->db);
	assert_verdict(fixture, fixture->db, true);
}

static void test_new_results_of_replays_are_read(void **state)
{
	struct fixture *fixture = *state;

	run(fixture->db,
			"INSERT INTO sweep_advice SELECT id, 'peak', NULL, 'nothing is saved', 'B', 1, 0, 1, 1, 0, 0, 1, 0 FROM runtime");
	keep_figures(fixture->db);
	assert_verdict(fixture, fixture->db, true);
}

static void test_other_thresholds_judge_otherwise(void **state)
{
	struct fixture *fixture = *state;
	struct diag diag = { 0 };

	run(fixture->db, "UPDATE finding_threshold SET value = 1e15 WHERE name = 'matter_bytes'");
	keep_figures(fixture->db);
	assert_int_equal(judge_prepare(fixture->db, "verdict", &diag), CSC_OK);
	assert_string_equal(text_of(fixture, fixture->db, verdict), "normal");
}

static void test_thresholds_that_are_none_are_refused(void **state)
{
	struct fixture *fixture = *state;

	run(fixture->db, "UPDATE finding_threshold SET value = -1 WHERE name = 'matter_bytes'");
	assert_refused(fixture, "threshold 'matter_bytes' of table finding_threshold is negative");
	run(fixture->db, "DELETE FROM finding_threshold WHERE name = 'matter_bytes'");
	assert_refused(fixture, "threshold 'matter_bytes' of table finding_threshold is missing");
	/* One that takes anything. */
	run(fixture->db,
			"CREATE TABLE other AS SELECT * FROM finding_threshold; DROP TABLE finding_threshold; "
			"CREATE TABLE finding_threshold AS SELECT * FROM other; "
			"INSERT INTO finding_threshold(name, value) VALUES ('matter_bytes', 'much')");
	assert_refused(fixture, "threshold 'matter_bytes' of table finding_threshold is no number");
	run(fixture->db, "UPDATE finding_threshold SET value = NULL WHERE name = 'matter_bytes'");
	assert_refused(fixture,
			"is no number; INSERT OR REPLACE INTO finding_threshold SELECT * FROM threshold_default puts all back");
	run(fixture->db, "DROP TABLE finding_threshold");
	assert_refused(fixture, "no such table: main.finding_threshold");
}

static void test_the_sentence_says_what_helps(void **state)
{
	struct fixture *fixture = *state;

	run(fixture->db,
			"DELETE FROM finding_threshold; "
			"INSERT OR REPLACE INTO finding_threshold SELECT * FROM threshold_default");
	assert_verdict(fixture, fixture->db, false);
}

static void test_a_moment_is_judged_for_itself(void **state)
{
	struct fixture *fixture = *state;

	run(fixture->db, "CREATE TEMP TABLE question AS SELECT * FROM main.question");
	keep_figures(fixture->db);
	assert_verdict(fixture, fixture->db, true);
	assert_true(judge_is_of_moment("report_holders"));
	assert_true(judge_is_of_moment("report_figures"));
	assert_false(judge_is_of_moment("report_utilisation"));
}

static void test_a_file_that_nobody_may_write_is_judged(void **state)
{
	struct fixture *fixture = *state;
	sqlite3 *db = NULL;

	run(fixture->db, "DELETE FROM judgement");
	assert_int_equal(sqlite3_open_v2(fixture->scratch.path, &db, SQLITE_OPEN_READONLY, NULL),
			SQLITE_OK);
	keep_figures(db);
	assert_verdict(fixture, db, true);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void test_while_more_comes_nothing_is_stored(void **state)
{
	struct fixture *fixture = *state;
	struct diag diag = { 0 };

	assert_int_equal(judge_store(fixture->db, false, &diag), CSC_OK);
	for (size_t i = 0; i < judge_step_count; i++) {
		char *sql = sqlite3_mprintf(
				"SELECT count(*) FROM main.\"%w\"", judge_steps[i].name);

		if (judge_steps[i].kind == JUDGE_RESULT) {
			assert_string_equal(text_of(fixture, fixture->db, sql), "0");
		}
		sqlite3_free(sql);
	}
	keep_figures(fixture->db);
	assert_verdict(fixture, fixture->db, true);
}

/* A disk that is full while it is judged: what was there stays. */
static void test_without_room_nothing_is_lost(void **state)
{
	struct fixture *fixture = *state;
	struct diag diag = { 0 };

	/* So many that there is no room for them, instead of one. */
	run(fixture->db, "CREATE TABLE fill(x); INSERT INTO fill VALUES (zeroblob(100000)); BEGIN");
	run(fixture->db,
			"CREATE TEMP TABLE figure AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
			"SELECT f.subject_id + 1000 * n.i AS subject_id, f.source_id, f.runtime_id + 1000 * n.i AS runtime_id, f.snapshot_id, f.allocator, f.moment, "
			"f.quantity, f.low, f.likely, f.high, f.quality, f.ts_ns, f.basis FROM kept_figure AS f, n LIMIT 20000");
	run(fixture->db, "PRAGMA max_page_count = 1");
	assert_int_equal(judge_store(fixture->db, true, &diag), CSC_ERROR);
	assert_non_null(strstr(diag.text, "database or disk is full"));
	run(fixture->db, "ROLLBACK; PRAGMA max_page_count = 1000000");
	run(fixture->db, "DROP TABLE IF EXISTS temp.figure");
	assert_verdict(fixture, fixture->db, false);
}

static void test_two_judge_at_once(void **state)
{
	struct fixture *fixture = *state;
	struct diag diag = { 0 };
	sqlite3 *dbs[2] = { NULL, NULL };

	run(fixture->db, "DELETE FROM judgement");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(sqlite3_open(fixture->scratch.path, &dbs[i]), SQLITE_OK);
		keep_figures(dbs[i]);
	}
	/* One stores, and has not committed yet; another one asks. */
	run(dbs[0], "BEGIN IMMEDIATE");
	assert_int_equal(judge_store(dbs[0], true, &diag), CSC_OK);
	assert_verdict(fixture, dbs[1], true);
	/* A second one that would store waits, or is told. */
	assert_int_equal(judge_store(fixture->db, true, &diag), CSC_ERROR);
	assert_non_null(strstr(diag.text, "database is locked"));
	run(dbs[0], "COMMIT");
	assert_verdict(fixture, fixture->db, false);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(sqlite3_close(dbs[i]), SQLITE_OK);
	}
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, open_judged, close_judged)
	static const struct CMUnitTest tests[] = {
		TEST(what_is_stored_is_read),
		TEST(what_was_changed_is_judged_anew),
		TEST(rows_that_were_put_in_are_not_believed),
		TEST(what_was_dropped_is_judged_anew),
		TEST(without_a_judgement_it_is_judged_anew),
		TEST(what_another_program_judged_is_judged_anew),
		TEST(new_results_of_replays_are_read),
		TEST(other_thresholds_judge_otherwise),
		TEST(thresholds_that_are_none_are_refused),
		TEST(the_sentence_says_what_helps),
		TEST(a_moment_is_judged_for_itself),
		TEST(a_file_that_nobody_may_write_is_judged),
		TEST(while_more_comes_nothing_is_stored),
		TEST(without_room_nothing_is_lost),
		TEST(two_judge_at_once),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: judge_test VIEWS_DIR\n");
		return 2;
	}

	views_dir = argv[1];
	return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}
