/*
 * SPDX-License-Identifier: MIT
 *
 * Figures of snapshots that are summed in one pass are what the views have.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "reading_sums.h"
#include "schema_sql.h"

/* Two runtimes whose snapshots are interleaved, names in the carriers of others, figures that are
 * missing, and keys that only look like those that count. */
static const char ours[] =
		"WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 3999), "
		"figure(number, section, key) AS (VALUES (0, 'mbcs', 'carriers'), (1, 'mbcs', 'carriers_size'), "
		"(2, 'mbcs', 'blocks_size'), (3, 'sbcs', 'carriers'), (4, 'sbcs', 'carriers_size'), (5, 'sbcs', 'blocks'), "
		"(6, 'sbcs', 'blocks_size'), (7, 'mbcs_pool', 'carriers_size'), (8, 'mbcs_pool', 'blocks_size'), "
		"(9, 'mbcs_pool', 'blocks_size/eheap_alloc'), (10, 'mbcs', 'carriers_sizes'), (11, 'mbcs', 'block'), "
		"(12, 'mbcs', 'blocks_size/'), (13, 'calls', 'eheap_alloc'), (14, 'calls', 'eheap_free'), (15, 'calls', 'alloc'), "
		"(16, 'calls', '_alloc'), (17, 'mbcs', 'bolts'), (18, 'mseg_alloc', 'carriers_size'), (19, 'mbcs', 'carriers'), "
		"(20, 'sbcs', 'blocks0')) "
		"INSERT INTO snapshot_figure (ts_ns, runtime_id, thread_id, snapshot_id, allocator_id, instance, section, \"key\", "
		"\"current\", max_since_last, max_ever) "
		"SELECT 1000 + i, 1 + i % 2, 1, i / 800, i % 800 / 270, i % 800 % 270 / 40, f.section, f.key, "
		"iif(i % 13 = 0, NULL, i * 7 % 1000 - 100), 0, nullif(i * 3 % 500, 0) "
		"FROM n JOIN figure AS f ON f.number = (i / 2 + i / 77) % 21 ORDER BY i";

static void run(sqlite3 *db, const char *sql)
{
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
}

static sqlite3 *make(void)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	run(db, schema_sql);
	run(db, ours);
	return db;
}

static int64_t answer_of(sqlite3 *db, const char *format, const char *name)
{
	char *sql = sqlite3_mprintf(format, name, name, name);
	sqlite3_stmt *row = NULL;
	int64_t value;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &row, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(row), SQLITE_ROW);
	value = sqlite3_column_int64(row, 0);
	(void)sqlite3_finalize(row);
	sqlite3_free(sql);
	return value;
}

static const char *const names[] = { "_read_count", "_read_sum", "_read_calls" };

static void sums_are_those_of_the_views(void **state)
{
	struct diag diag = { 0 };
	sqlite3 *db = make();

	(void)state;
	assert_int_equal(reading_sums_stage(db, &diag), CSC_OK);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_true(answer_of(db, "SELECT count(*) FROM main.%s", names[i]) >= 10);
		assert_int_equal(
				answer_of(db, "SELECT (SELECT count(*) FROM main.%s) - (SELECT count(*) FROM temp.%s)",
						names[i]),
				0);
		assert_int_equal(
				answer_of(db, "SELECT count(*) FROM (SELECT * FROM main.%s EXCEPT SELECT * FROM temp.%s)",
						names[i]),
				0);
	}
	(void)sqlite3_close(db);
}

/* What no load writes is left to the views. */
static void what_is_not_ours_is_left_to_the_views(void **state)
{
	static const char *const more[] = {
		"UPDATE snapshot_figure SET allocator_id = NULL WHERE section = 'mbcs' AND key = 'carriers' AND id > 2000",
		"UPDATE snapshot_figure SET runtime_id = NULL WHERE id = 2000",
		"UPDATE snapshot_figure SET instance = NULL WHERE section = 'mbcs' AND key = 'carriers'",
		"UPDATE snapshot_figure SET instance = 900 - instance",
		"UPDATE snapshot_figure SET current = 9223372036854775807 WHERE section = 'sbcs'",
		"UPDATE snapshot_figure SET key = 'x' || char(0) || '_alloc' WHERE section = 'calls'",
		"UPDATE snapshot_figure SET key = hex(zeroblob(99)) || '_alloc' WHERE section = 'calls'",
	};

	struct diag diag = { 0 };
	sqlite3 *db = make();

	(void)state;
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		run(db, "BEGIN");
		run(db, more[i]);
		assert_int_equal(reading_sums_stage(db, &diag), CSC_OK);
		assert_int_equal(
				answer_of(db, "SELECT count(*) FROM sqlite_temp_schema WHERE name LIKE '%s%%'",
						"_read"),
				0);
		run(db, "ROLLBACK");
	}
	(void)sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_those_of_the_views),
		cmocka_unit_test(what_is_not_ours_is_left_to_the_views),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
