/*
 * SPDX-License-Identifier: MIT
 *
 * The schema keeps its word about itself.
 *
 *	schema_contract_test schema
 *
 * Every table and view says in view_doc what its rows are, every column of every
 * public one says what it means, and view_doc describes nothing else.  A file of the
 * schema reads only views of lower files.
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

#include "text_file.h"

static char **schema_files;
static int schema_file_count;

/*
 * Notes the columns of what the schema has since row `seen` of sqlite_schema.  SQLite looks up each
 * name in a view for this, so that one that reads what is not there yet fails.  Returns the last
 * row.
 */
static sqlite3_int64 note_columns(sqlite3 *db, const char *file, sqlite3_int64 seen, int *failed)
{
	sqlite3_stmt *views = NULL;

	sqlite3_prepare_v2(db,
			"SELECT format('INSERT INTO view_column SELECT %Q, name FROM "
			"pragma_table_info(%Q)', name, name), rowid FROM sqlite_schema "
			"WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%' AND rowid > ?1 "
			"ORDER BY rowid",
			-1, &views, NULL);
	sqlite3_bind_int64(views, 1, seen);
	while (sqlite3_step(views) == SQLITE_ROW) {
		const char *note = (const char *)sqlite3_column_text(views, 0);

		seen = sqlite3_column_int64(views, 1);
		if (sqlite3_exec(db, note, NULL, NULL, NULL) != SQLITE_OK) {
			print_error("after %s: %s: %s\n", file, note, sqlite3_errmsg(db));
			*failed = 1;
		}
	}

	sqlite3_finalize(views);
	return seen;
}

/*
 * Puts the schema into an empty database, file by file in their order.  After each, all names in
 * its views must be known: then it reads only what stands before it.
 */
static int open_schema(void **state)
{
	sqlite3 *db;
	sqlite3_int64 seen = 0;
	int failed = 0;

	if (sqlite3_open(":memory:", &db) != SQLITE_OK) {
		return -1;
	}

	*state = db;
	if (sqlite3_exec(db, "CREATE TEMP TABLE view_column(view, name, PRIMARY KEY (view, name))",
			    NULL, NULL, NULL) != SQLITE_OK) {
		return -1;
	}

	for (int i = 0; i < schema_file_count; i++) {
		char *sql = text_file_read(schema_files[i]);

		if (!sql || sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
			print_error("%s: %s\n", schema_files[i], sqlite3_errmsg(db));
			failed = 1;
		}

		free(sql);
		seen = note_columns(db, schema_files[i], seen, &failed);
	}

	return failed ? -1 : 0;
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
			"SELECT name FROM sqlite_schema AS m "
			"WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%' "
			"AND NOT EXISTS (SELECT 1 FROM view_doc AS d "
			"WHERE d.view = m.name AND d.column = '' AND d.unit = 'row' "
			"AND d.quality IN ('fast', 'full scan'))");
}

static void test_every_public_column_is_documented(void **state)
{
	expect_no_row(*state,
			"SELECT c.view, c.name FROM view_column AS c "
			"WHERE c.view NOT LIKE '\\_%' ESCAPE '\\' "
			"AND NOT EXISTS (SELECT 1 FROM view_doc AS d "
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
			"WHERE m.type = 'view' AND m.name NOT LIKE '\\_%' ESCAPE '\\' "
			"AND m.name NOT IN ('event_named', 'ledger_named', 'loss', 'loss_total', "
			"'problem', 'report_summary', 'report_loss', 'report_problems', "
			"'report_events', "
			/* A snapshot has no events to lose; what it lacks is a problem.  Facts come
			   again. */
			"'report_dump', 'report_flags', 'report_node', 'report_recon', 'process_label', "
			/* Why there is nothing. */
			"'empty_report') "
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

/* Runs each row of the query as a statement of its own. */
static void run_each(sqlite3 *db, const char *query)
{
	char **statements = NULL;
	int count = 0;
	int status;

	assert_int_equal(sqlite3_get_table(db, query, &statements, &count, NULL, NULL), SQLITE_OK);
	assert_true(count > 0);
	for (int i = 1; i <= count; i++) {
		status = sqlite3_exec(db, statements[i], NULL, NULL, NULL);
		if (status != SQLITE_OK) {
			print_error("%s: %s\n", statements[i], sqlite3_errmsg(db));
		}

		assert_int_equal(status, SQLITE_OK);
	}

	sqlite3_free_table(statements);
}

/* The last test: views that are computed in stages become tables, as for the command. */
static void test_every_view_can_be_read(void **state)
{
	run_each(*state,
			"SELECT format('DROP VIEW %Q; CREATE TABLE %Q AS %s', s.view, s.view, "
			"substr(m.sql, instr(m.sql, ' AS') + 3)) "
			"FROM stage AS s JOIN sqlite_schema AS m ON m.name = s.view "
			"GROUP BY s.view ORDER BY s.\"set\" = 'holders', s.\"set\" = 'page', s.\"set\" = 'judge', s.number");
	run_each(*state,
			"SELECT format('SELECT * FROM %Q', name) FROM sqlite_schema WHERE type = 'view'");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_table_and_view_says_what_a_row_is),
		cmocka_unit_test(test_every_public_column_is_documented),
		cmocka_unit_test(test_nothing_else_is_documented),
		cmocka_unit_test(test_every_column_says_its_quality),
		cmocka_unit_test(test_units_are_those_of_the_names),
		cmocka_unit_test(test_views_show_loss),
		cmocka_unit_test(test_reports_have_an_order),
		cmocka_unit_test(test_every_view_can_be_read),
	};

	if (argc < 2) {
		fprintf(stderr, "usage: schema_contract_test FILE.sql...\n");
		return 2;
	}

	schema_files = argv + 1;
	schema_file_count = argc - 1;
	return cmocka_run_group_tests(tests, open_schema, close_schema);
}
