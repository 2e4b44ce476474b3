/* SPDX-License-Identifier: MIT */
/*
 * Views that become tables: what their text names, which parts are computed once, who reads the
 * tables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "stage_text.h"
#include "store_stage.h"

static const char schema[] =
		"CREATE TABLE stage(\"set\", number, view);"
		"CREATE TABLE base(id, n); INSERT INTO base VALUES (1, 10), (2, 20);"
		"CREATE VIEW low AS SELECT id AS low_id, n FROM base;"
		"CREATE VIEW between_ AS SELECT low_id, n + 1 AS n FROM low;"
		"CREATE VIEW high AS WITH part(k, v) AS MATERIALIZED (SELECT low_id, n FROM between_) "
		"SELECT a.k, b.v FROM part AS a JOIN part AS b ON b.k = a.k -- part)\n ;"
		"CREATE VIEW apart AS SELECT count(*) AS rows FROM base;"
		"INSERT INTO stage VALUES ('s', 1, 'low'), ('s', 2, 'high'), ('s', 3, 'apart');";

static int open_database(void **state)
{
	sqlite3 *db = NULL;

	if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
			sqlite3_exec(db, schema, NULL, NULL, NULL) != SQLITE_OK) {
		return -1;
	}

	*state = db;
	return 0;
}

static int close_database(void **state)
{
	return sqlite3_close(*state) == SQLITE_OK ? 0 : -1;
}

static void assert_names(const char *text, const char *expected)
{
	char found[256] = "";
	struct stage_word word;

	while (stage_text_next(&text, &word)) {
		(void)snprintf(found + strlen(found), sizeof(found) - strlen(found), "%.*s ",
				(int)word.length, word.at);
	}

	assert_string_equal(found, expected);
}

static void test_names_are_found_between_what_is_silent(void **state)
{
	(void)state;
	assert_names("a.b, 'c d' -- e\n/* f */ \"g h\" 12 1e3 _i(j)", "a b g h _i j ");
	assert_names("'never ends", "");
	assert_names("\"", " ");
}

static void test_reads_stand_behind_from_and_join(void **state)
{
	const char *text =
			"SELECT a, f.b FROM c AS f -- FROM d\nLEFT JOIN main.\"e\" ON 'JOIN g' IN "
			"(SELECT h FROM (i CROSS JOIN j))";
	char found[64] = "";
	struct stage_word word;

	(void)state;
	while (stage_text_read(&text, &word)) {
		(void)snprintf(found + strlen(found), sizeof(found) - strlen(found), "%.*s ",
				(int)word.length, word.at);
	}

	assert_string_equal(found, "c e i j ");
}

static void test_parts_are_shared_if_read_twice(void **state)
{
	const char *at = " WITH RECURSIVE a(x, y) AS MATERIALIZED (SELECT ')' -- (\n), "
			 "b AS MATERIALIZED (SELECT 1 FROM a, a), c AS (SELECT 2) SELECT * FROM b";
	struct stage_part part;

	(void)state;
	assert_true(stage_text_part(&at, &part));
	assert_true(stage_text_is(part.name, "a"));
	assert_true(stage_text_is(part.columns, "(x, y)"));
	assert_true(stage_text_is(part.body, "(SELECT ')' -- (\n)"));
	assert_true(part.is_shared);
	assert_true(stage_text_part(&at, &part));
	assert_false(part.is_shared);
	assert_true(stage_text_part(&at, &part));
	assert_true(stage_text_is(part.name, "c"));
	assert_false(part.is_shared);
	assert_false(stage_text_part(&at, &part));
	assert_string_equal(at, " SELECT * FROM b");
}

/* What the connection has of its own, by name. */
static void assert_temporary(sqlite3 *db, const char *expected)
{
	sqlite3_stmt *rows = NULL;

	assert_int_equal(
			sqlite3_prepare_v2(db,
					"SELECT ifnull(group_concat(type || ' ' || name, ', '), '') FROM "
					"(SELECT * FROM sqlite_temp_schema ORDER BY name)",
					-1, &rows, NULL),
			SQLITE_OK);
	assert_int_equal(sqlite3_step(rows), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(rows, 0), expected);
	sqlite3_finalize(rows);
}

/* A view between two tables reads the table, so it shows what was there when that was made. */
static void test_views_between_read_the_tables(void **state)
{
	sqlite3 *db = *state;
	struct diag diag = { 0 };
	sqlite3_stmt *row = NULL;

	assert_int_equal(stage_views(db, "s", &diag), CSC_OK);
	assert_temporary(db, "table apart, view between_, table high, table low");
	assert_int_equal(sqlite3_exec(db, "UPDATE base SET n = 0", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(
			sqlite3_prepare_v2(db,
					"SELECT (SELECT sum(v) FROM high), (SELECT sum(n) FROM between_), "
					"(SELECT sum(n) FROM main.between_)",
					-1, &row, NULL),
			SQLITE_OK);
	assert_int_equal(sqlite3_step(row), SQLITE_ROW);
	assert_int_equal(sqlite3_column_int(row, 0), 32);
	assert_int_equal(sqlite3_column_int(row, 1), 32);
	assert_int_equal(sqlite3_column_int(row, 2), 2);
	sqlite3_finalize(row);
	assert_int_equal(stage_drop(db, "s", &diag), CSC_OK);
	assert_temporary(db, "");
}

static void test_only_what_is_asked_is_made(void **state)
{
	sqlite3 *db = *state;
	struct diag diag = { 0 };
	struct stages *stages = NULL;

	assert_int_equal(stages_open(db, "between_", &stages, &diag), CSC_OK);
	assert_true(stages_is_asked(stages, "base"));
	assert_false(stages_is_asked(stages, "high"));
	assert_false(stages_is_asked(stages, "no such"));
	assert_int_equal(stages_make(stages, "s", false, &diag), CSC_OK);
	assert_temporary(db, "table low");
	assert_int_equal(stages_copy(stages, false, &diag), CSC_OK);
	assert_temporary(db, "view between_, table low");
	stages_close(stages);
}

static void test_another_kind_of_view_is_refused(void **state)
{
	struct diag diag = { 0 };

	assert_int_equal(sqlite3_exec(*state,
					 "CREATE VIEW odd(x) AS SELECT 1; "
					 "INSERT INTO stage VALUES ('t', 1, 'odd')",
					 NULL, NULL, NULL),
			SQLITE_OK);
	assert_int_equal(stage_views(*state, "t", &diag), CSC_ERROR);
	assert_string_equal(diag.text, "cannot compute the figures: 'odd' is not one of our views");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_are_found_between_what_is_silent),
		cmocka_unit_test(test_reads_stand_behind_from_and_join),
		cmocka_unit_test(test_parts_are_shared_if_read_twice),
		cmocka_unit_test_setup_teardown(
				test_views_between_read_the_tables, open_database, close_database),
		cmocka_unit_test_setup_teardown(
				test_only_what_is_asked_is_made, open_database, close_database),
		cmocka_unit_test_setup_teardown(test_another_kind_of_view_is_refused, open_database,
				close_database),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
