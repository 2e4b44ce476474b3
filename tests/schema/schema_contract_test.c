/*
 * SPDX-License-Identifier: MIT
 *
 * The schema keeps its word about itself.
 *
 * Every table and view of a user's file says in view_doc what its rows are, every column of it what
 * it means, and view_doc describes nothing else.  Steps of the judge read what stands before them
 * (csc_schema_split has no other).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "judge.h"
#include "judge_steps.h"
#include "schema_sql.h"

/* Runs one statement; says what is wrong with it. */
static bool run(sqlite3 *db, const char *name, char *sql)
{
	bool is_done = sql && sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;

	if (!is_done) {
		print_error("%s: %s\n", name, sqlite3_errmsg(db));
	}
	sqlite3_free(sql);
	return is_done;
}

/* Notes the columns of the tables and views of the file. */
static bool note_columns(sqlite3 *db)
{
	return run(db, "columns",
			sqlite3_mprintf("CREATE TEMP TABLE view_column AS SELECT m.name AS view, c.name FROM main.sqlite_schema AS m "
					"JOIN pragma_table_info(m.name, 'main') AS c WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite%%'"));
}

static int open_schema(void **state)
{
	sqlite3 *db;

	if (sqlite3_open(":memory:", &db) != SQLITE_OK) {
		return -1;
	}

	*state = db;
	return sqlite3_exec(db, schema_sql, NULL, NULL, NULL) == SQLITE_OK && note_columns(db) ? 0
											       : -1;
}

static int close_schema(void **state)
{
	sqlite3_close(*state);
	return 0;
}

static int print_row(void *found, int count, char **values, char **names)
{
	(void)names;
	for (int i = 0; i < count; i++) {
		print_error("%s%s", i > 0 ? "." : "", values[i] ? values[i] : "NULL");
	}

	print_error("\n");
	(*(int *)found)++;
	return 0;
}

/* Every row that the query finds is a fault, and is printed. */
static void expect_no_row(sqlite3 *db, const char *query)
{
	int found = 0;

	assert_int_equal(sqlite3_exec(db, query, print_row, &found, NULL), SQLITE_OK);
	assert_int_equal(found, 0);
}

static void test_every_table_and_view_says_what_a_row_is(void **state)
{
	expect_no_row(*state,
			"SELECT name FROM main.sqlite_schema AS m "
			"WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%' "
			"AND NOT EXISTS (SELECT 1 FROM view_doc AS d "
			"WHERE d.view = m.name AND d.column = '' AND d.unit = 'row' "
			"AND d.quality IN ('fast', 'full scan'))");
}

static void test_every_public_column_is_documented(void **state)
{
	expect_no_row(*state,
			"SELECT c.view, c.name FROM view_column AS c "
			"WHERE NOT EXISTS (SELECT 1 FROM view_doc AS d "
			"WHERE d.view = c.view AND d.column = c.name)");
}

static void test_nothing_else_is_documented(void **state)
{
	expect_no_row(*state,
			"SELECT d.view, d.column FROM view_doc AS d "
			"WHERE d.view NOT IN (SELECT name FROM sqlite_schema "
			"WHERE type IN ('table', 'view'))");
	expect_no_row(*state,
			"SELECT d.view, d.column FROM view_doc AS d "
			"WHERE d.column <> '' AND NOT EXISTS "
			"(SELECT 1 FROM view_column AS c "
			"WHERE c.view = d.view AND c.name = d.column)");
}

static void test_every_column_says_its_quality(void **state)
{
	expect_no_row(*state,
			"SELECT view, column FROM view_doc "
			"WHERE column <> '' AND (quality IN ('fast', 'full scan') "
			"OR unit = '' OR unit = 'row' OR meaning = '')");
}

/* A `_ns` is nanoseconds and a `_bytes` bytes, and bytes have no other suffix but in OTP's own
 * names. */
static void test_units_are_those_of_the_names(void **state)
{
	expect_no_row(*state,
			"SELECT view, column, unit FROM view_doc "
			"WHERE (column LIKE '%\\_ns' ESCAPE '\\' AND column NOT LIKE 'log2%' "
			"AND unit <> 'ns') "
			"OR (column LIKE '%\\_bytes' ESCAPE '\\' AND unit <> 'bytes') "
			"OR (column LIKE '%\\_size' ESCAPE '\\' AND unit = 'bytes' "
			"AND view NOT IN ('carrier_event', 'recon_fragmentation')) "
			"OR (column LIKE '%\\_mib%' ESCAPE '\\' AND unit <> 'MiB') "
			"OR (column LIKE '%\\_percent%' ESCAPE '\\' AND unit <> 'percent')");
}

/* What is shown without saying that events were lost is taken for the whole truth. */
static void test_views_show_loss(void **state)
{
	expect_no_row(*state,
			"SELECT m.name FROM sqlite_schema AS m "
			"WHERE m.type = 'view' "
			"AND m.name NOT IN ('block_event', 'event_named', 'ledger_named', 'loss', 'loss_total', "
			"'problem', 'report_summary', 'report_loss', 'report_problems', "
			"'report_events', "
			/* A snapshot has no events to lose; what it lacks is a problem.  Facts come
			   again. */
			"'report_dump', 'report_flags', 'report_node', 'report_recon', 'process_label', "
			/* Why there is nothing; what a program sets. */
			"'empty_report', 'threshold_default') "
			/* The page and the files of other tools say it once, beside all their
			   figures. */
			"AND m.name NOT GLOB 'page_*' AND m.name NOT GLOB 'export_*' "
			"AND NOT EXISTS (SELECT 1 FROM view_column AS c "
			"WHERE c.view = m.name AND c.name IN ('touches_loss', 'source_lost_events', 'lost_events'))");
}

static void test_reports_have_an_order(void **state)
{
	expect_no_row(*state,
			"SELECT name FROM sqlite_schema "
			"WHERE type = 'view' AND name LIKE 'report\\_%' ESCAPE '\\' "
			"AND sql NOT LIKE '%ORDER BY%'");
}

/* Privately nothing is in a file of a user, and what is there can be read in time. */
static void test_a_users_file_has_few_views_and_none_private(void **state)
{
	expect_no_row(*state, "SELECT name FROM sqlite_schema WHERE name LIKE '\\_%' ESCAPE '\\'");
	expect_no_row(*state,
			"SELECT count(*) FROM sqlite_schema WHERE type = 'view' HAVING count(*) > 154");
}

/* Thresholds are named with their unit. */
static void test_names_of_thresholds_have_units(void **state)
{
	expect_no_row(*state,
			"SELECT name, unit FROM finding_threshold WHERE NOT CASE unit "
			"WHEN 'bytes' THEN name LIKE '%\\_bytes' ESCAPE '\\' WHEN 's' THEN name LIKE '%\\_s' ESCAPE '\\' "
			"WHEN 'ratio' THEN name LIKE '%\\_ratio' ESCAPE '\\' OR name LIKE '%\\_share' ESCAPE '\\' "
			"OR name LIKE '%\\_rate' ESCAPE '\\' "
			"WHEN 'count' THEN name LIKE '%s' OR name LIKE '%\\_count' ESCAPE '\\' OR name LIKE '%\\_window' ESCAPE '\\' ELSE 0 END");
}

/* A result is stored as it is computed: by the order of its columns. */
static void test_results_have_the_columns_of_their_tables(void **state)
{
	struct diag diag = { 0 };

	if (judge_prepare(*state, NULL, &diag) != CSC_OK) {
		print_error("%s\n", diag.text);
		fail();
	}
	for (size_t i = 0; i < judge_step_count; i++) {
		char *query;

		if (judge_steps[i].kind != JUDGE_RESULT) {
			continue;
		}
		query = sqlite3_mprintf(
				"SELECT %Q, name FROM (SELECT name, cid FROM pragma_table_info(%Q, 'temp') "
				"EXCEPT SELECT name, cid FROM pragma_table_info(%Q, 'main')) UNION ALL "
				"SELECT %Q, name FROM (SELECT name, cid FROM pragma_table_info(%Q, 'main') "
				"EXCEPT SELECT name, cid FROM pragma_table_info(%Q, 'temp'))",
				judge_steps[i].name, judge_steps[i].name, judge_steps[i].name,
				judge_steps[i].name, judge_steps[i].name, judge_steps[i].name);
		assert_non_null(query);
		expect_no_row(*state, query);
		sqlite3_free(query);
	}
}

/* The last test: all is there as temporary tables and views by now, and in the file. */
static void test_every_view_can_be_read(void **state)
{
	for (size_t i = 0; i < judge_step_count; i++) {
		const char *name = judge_steps[i].name;

		assert_true(run(*state, name, sqlite3_mprintf("SELECT * FROM temp.\"%w\"", name)));
		if (judge_steps[i].kind == JUDGE_PUBLIC) {
			assert_true(run(*state, name,
					sqlite3_mprintf("SELECT * FROM main.\"%w\"", name)));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_table_and_view_says_what_a_row_is),
		cmocka_unit_test(test_every_public_column_is_documented),
		cmocka_unit_test(test_nothing_else_is_documented),
		cmocka_unit_test(test_every_column_says_its_quality),
		cmocka_unit_test(test_units_are_those_of_the_names),
		cmocka_unit_test(test_views_show_loss),
		cmocka_unit_test(test_reports_have_an_order),
		cmocka_unit_test(test_a_users_file_has_few_views_and_none_private),
		cmocka_unit_test(test_names_of_thresholds_have_units),
		cmocka_unit_test(test_results_have_the_columns_of_their_tables),
		cmocka_unit_test(test_every_view_can_be_read),
	};

	return cmocka_run_group_tests(tests, open_schema, close_schema);
}
