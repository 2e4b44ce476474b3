/*
 * SPDX-License-Identifier: MIT
 *
 * Step _interval as the command computes it has the rows that its SQL yields, of any evidence:
 * missing, contradicting itself, of few quantities or all.
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

enum { ROUNDS = 4, MOST = 60 };

static void run(sqlite3 *db, const char *sql)
{
	int result = sqlite3_exec(db, sql, NULL, NULL, NULL);

	if (result != SQLITE_OK) {
		print_error("%.200s: %s\n", sql, sqlite3_errmsg(db));
	}
	assert_int_equal(result, SQLITE_OK);
}

static int number_of(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *row = NULL;
	int number;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &row, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(row), SQLITE_ROW);
	number = sqlite3_column_int(row, 0);
	(void)sqlite3_finalize(row);
	return number;
}

/* draw(N): one of the N numbers from 0, the same on every machine. */
static void draw(sqlite3_context *context, int count, sqlite3_value **values)
{
	uint64_t *state = sqlite3_user_data(context);

	(void)count;
	*state = *state * 6364136223846793005U + 1442695040888963407U;
	sqlite3_result_int64(context, (int64_t)(*state >> 33) % sqlite3_value_int64(values[0]));
}

static const char *query_of(const char *name)
{
	for (size_t i = 0; i < judge_step_count; i++) {
		if (strcmp(judge_steps[i].name, name) == 0) {
			return judge_steps[i].query;
		}
	}

	fail_msg("no step %s", name);
	return NULL;
}

/* In the round `rarity` evidence of a quantity of a place by a kind is missing `rarity` times of 1
 * + rarity. */
static void check_round(sqlite3 *db, int rarity)
{
	static const char *const both[] = {
		"SELECT count(*) FROM (SELECT * FROM _interval EXCEPT SELECT * FROM temp.said)",
		"SELECT count(*) FROM (SELECT * FROM temp.said EXCEPT SELECT * FROM _interval)",
	};
	struct diag diag = { 0 };
	char *sql = sqlite3_mprintf(
			"CREATE TEMP TABLE _bound AS WITH kind(basis, rank) AS (VALUES ('snapshot', 0), ('addresses', 1), "
			"('blocks', 2), ('counters', 3)), "
			"number(n) AS (VALUES (1), (2), (3)), "
			"allocator(name) AS (VALUES ('all'), ('binary_alloc'), ('eheap_alloc')), moment(name) AS (VALUES ('end'), ('peak'), ('at')), "
			"drawn AS (SELECT n, a.name AS allocator, m.name AS moment, q.name AS quantity, basis, rank, draw(2) AS is_low, "
			"draw(%d) AS low, draw(2) AS is_high, draw(%d) AS high, draw(2) AS is_likely, draw(%d) AS likely, "
			"nullif(draw(9), 0) AS at_ns, draw(%d + 0 * rank) AS is_missing "
			"FROM number CROSS JOIN allocator AS a CROSS JOIN moment AS m CROSS JOIN quantity AS q CROSS JOIN kind) "
			"SELECT n AS runtime_id, moment, at_ns, allocator, quantity, iif(is_low, low, NULL) AS low, "
			"iif(is_likely, likely, NULL) AS likely, iif(is_high, high, NULL) AS high, basis, rank FROM drawn WHERE NOT is_missing",
			MOST, 8 * MOST, MOST, 1 + rarity);

	assert_non_null(sql);
	run(db, sql);
	sqlite3_free(sql);
	assert_int_equal(judge_prepare(db, "_interval", &diag), CSC_OK);
	sql = sqlite3_mprintf("CREATE TEMP TABLE said AS %s", query_of("_interval"));
	assert_non_null(sql);
	run(db, sql);
	sqlite3_free(sql);

	/* Of each place at least the quantities of which there always is a row. */
	assert_true(number_of(db, "SELECT count(*) FROM _interval") >=
			12 * number_of(db, "SELECT count(*) FROM (SELECT DISTINCT runtime_id, allocator, moment FROM _bound)"));
	assert_true(number_of(db, "SELECT count(*) FROM _interval WHERE high > low") > 0);
	assert_true(number_of(db, "SELECT count(*) FROM _bound WHERE high < low") > 0);
	for (size_t i = 0; i < sizeof(both) / sizeof(both[0]); i++) {
		assert_int_equal(number_of(db, both[i]), 0);
	}
	assert_int_equal(number_of(db, "SELECT count(*) FROM _interval"),
			number_of(db, "SELECT count(*) FROM temp.said"));
	run(db, "DROP TABLE temp._interval; DROP TABLE temp.said; DROP TABLE temp._bound");
}

static void test_the_command_computes_what_the_sql_says(void **state)
{
	uint64_t seed = 29;
	sqlite3 *db = NULL;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	run(db, schema_sql);
	assert_int_equal(sqlite3_create_function(
					 db, "draw", 1, SQLITE_UTF8, &seed, draw, NULL, NULL),
			SQLITE_OK);
	for (int rarity = 0; rarity < ROUNDS; rarity++) {
		check_round(db, rarity * rarity);
	}
	(void)sqlite3_close(db);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_command_computes_what_the_sql_says),
	};

	return cmocka_run_group_tests_name("interval", tests, NULL, NULL);
}
