/* SPDX-License-Identifier: MIT */
/* Rows of block_event from pages of a file are those that SQLite's own statements give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "block_rows.h"
#include "recording_internal.h"
#include "scratch.h"
#include "table_pages.h"
#include "xorshift.h"

#define RUNTIME 7
#define THREADS 200
#define COLUMNS 11
#define DAMAGED 300
#define MAKE_TABLES                                                                               \
	"CREATE TABLE thread (id INTEGER PRIMARY KEY, runtime_id INTEGER);"                       \
	"CREATE TABLE block_event (id INTEGER PRIMARY KEY, ts_ns, op, thread_id, address, size, " \
	"type_id, allocator_id, instance, ended_id, process);"

static const char *const names[] = { "id", "ts_ns", "op", "thread_id", "address", "size", "type_id",
	"allocator_id", "instance", "ended_id" };

static uint64_t seed;
static struct scratch scratch;

static void execute(sqlite3 *db, const char *sql)
{
	char *why = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK) {
		fail_msg("%s: %s", sql, why);
	}
}

static sqlite3 *open_file(void)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(scratch.path, &db), SQLITE_OK);
	return db;
}

/* A number of any length, often NULL, 0 or 1. */
static void bind_any(sqlite3_stmt *row, int place)
{
	uint64_t random = next_random(&seed);
	unsigned int kind = random % 8;

	if (kind == 0) {
		(void)sqlite3_bind_null(row, place);
	} else if (kind < 3) {
		(void)sqlite3_bind_int64(row, place, (int64_t)kind - 1);
	} else {
		(void)sqlite3_bind_int64(
				row, place, (int64_t)next_random(&seed) >> (random >> 8) % 64);
	}
}

/* What the loader never writes: no integer, or a row that has no room in a page. */
static void bind_odd(sqlite3_stmt *row, int place)
{
	switch (next_random(&seed) % 3) {
	case 0:
		(void)sqlite3_bind_text(row, place, "12", -1, SQLITE_STATIC);
		break;
	case 1:
		(void)sqlite3_bind_double(row, place, 3.5);
		break;
	default:
		(void)sqlite3_bind_zeroblob(row, COLUMNS, 100000);
		break;
	}
}

/* Rows with gaps between their ids; `odd`: one of so many is odd, 0: none. */
static void fill(sqlite3 *db, int count, unsigned int odd)
{
	sqlite3_stmt *row = NULL;
	int64_t id = 0;

	execute(db, "BEGIN");
	for (int i = 0; i < THREADS; i++) {
		char sql[80];

		(void)sqlite3_snprintf(sizeof(sql), sql, "INSERT INTO thread VALUES (%d, %s)",
				i * 2,
				i % 3 == 0		     ? "7"
						: i % 3 == 1 ? "8"
							     : "NULL");
		execute(db, sql);
	}
	assert_int_equal(sqlite3_prepare_v2(db,
					 "INSERT INTO block_event VALUES (?,?,?,?,?,?,?,?,?,?,?)",
					 -1, &row, NULL),
			SQLITE_OK);
	for (int i = 0; i < count; i++) {
		id += 1 + (next_random(&seed) % 16 == 0 ? (int64_t)(next_random(&seed) % 300) : 0);
		for (int k = 1; k <= COLUMNS; k++) {
			bind_any(row, k);
		}
		(void)sqlite3_bind_int64(row, 1, id);
		if (next_random(&seed) % 4 > 0) {
			(void)sqlite3_bind_int64(row, 4, (int64_t)(next_random(&seed) % 500));
		}
		if (odd && next_random(&seed) % odd == 0) {
			bind_odd(row, 2 + (int)(next_random(&seed) % 9));
		}
		assert_int_equal(sqlite3_step(row), SQLITE_DONE);
		(void)sqlite3_reset(row);
	}
	sqlite3_finalize(row);
	execute(db, "COMMIT");
}

static struct recording recording_of(sqlite3 *db)
{
	struct recording recording = { .path = scratch.path, .db = db };

	recording.facts.runtime = RUNTIME;
	return recording;
}

/* The rows of a range are those of a statement; returns how many. */
static int compare(sqlite3 *db, int64_t first, int64_t last)
{
	struct recording recording = recording_of(db);
	struct diag diag = { 0 };
	struct block_rows *rows = block_rows_open(&recording, first, last, &diag);
	struct block_row row;
	sqlite3_stmt *wanted = NULL;
	int count = 0;

	assert_non_null(rows);
	assert_int_equal(
			sqlite3_prepare_v2(db,
					"SELECT b.id, b.ts_ns, b.op, b.size, b.type_id, b.instance, "
					"b.ended_id, b.address FROM block_event AS b LEFT JOIN thread "
					"AS t ON t.id = b.thread_id WHERE b.id BETWEEN ?2 AND ?3 AND "
					"b.allocator_id IS NOT NULL AND (t.runtime_id = ?1 OR t.id IS "
					"NULL) ORDER BY b.id",
					-1, &wanted, NULL),
			SQLITE_OK);
	(void)sqlite3_bind_int64(wanted, 1, RUNTIME);
	(void)sqlite3_bind_int64(wanted, 2, first);
	(void)sqlite3_bind_int64(wanted, 3, last);
	for (; sqlite3_step(wanted) == SQLITE_ROW; count++) {
		assert_true(block_rows_next(rows, &row, &diag));
		assert_int_equal(row.id, sqlite3_column_int64(wanted, 0));
		assert_int_equal(row.ts_ns, sqlite3_column_int64(wanted, 1));
		assert_int_equal(row.op, sqlite3_column_int(wanted, 2));
		assert_int_equal(row.has_size, sqlite3_column_type(wanted, 3) != SQLITE_NULL);
		assert_int_equal(row.size, sqlite3_column_int64(wanted, 3));
		assert_int_equal(row.type, (uint32_t)sqlite3_column_int(wanted, 4));
		assert_int_equal(row.instance, (uint32_t)sqlite3_column_int(wanted, 5));
		assert_int_equal(row.ended, sqlite3_column_int64(wanted, 6));
		assert_int_equal(row.address, sqlite3_column_int64(wanted, 7));
	}
	assert_false(block_rows_next(rows, &row, &diag));
	assert_false(diag_is_set(&diag));
	sqlite3_finalize(wanted);
	block_rows_close(rows);
	return count;
}

static int64_t last_id(sqlite3 *db)
{
	sqlite3_stmt *rows = NULL;
	int64_t id;

	(void)sqlite3_prepare_v2(db, "SELECT ifnull(max(id), 0) FROM block_event", -1, &rows, NULL);
	assert_int_equal(sqlite3_step(rows), SQLITE_ROW);
	id = sqlite3_column_int64(rows, 0);
	sqlite3_finalize(rows);
	return id;
}

/* A new file with these pragmas and as many rows. */
static sqlite3 *make(const char *pragmas, int count, unsigned int odd)
{
	sqlite3 *db;

	scratch_empty(&scratch);
	db = open_file();
	execute(db, pragmas);
	execute(db, MAKE_TABLES);
	fill(db, count, odd);
	return db;
}

static void compare_ranges(sqlite3 *db)
{
	int64_t last = last_id(db);

	for (int i = 0; i < 10; i++) {
		int64_t from = (int64_t)(next_random(&seed) % (uint64_t)(last + 1));

		(void)compare(db, from,
				from + (int64_t)(next_random(&seed) % (uint64_t)(last + 1)));
	}
}

/* All rows of a table come from its pages. */
static void expect_all(sqlite3 *db, int expected)
{
	int64_t last = last_id(db);
	struct table_pages *pages = table_pages_open(db, "block_event", names, 10, 1, last);
	struct table_row row = { 0 };
	int count = 0;

	assert_non_null(pages);
	while (table_pages_next(pages, &row)) {
		count++;
	}
	table_pages_close(pages);
	assert_int_equal(count, expected);
	assert_int_equal(row.id, last);
	assert_true(compare(db, 1, last) > expected / 4);
	compare_ranges(db);
}

/* Pages of any size. */
static void test_plain(void **state)
{
	static const char *const pragmas[] = { "PRAGMA page_size = 512", "PRAGMA page_size = 1024",
		"PRAGMA page_size = 4096", "PRAGMA page_size = 65536",
		"PRAGMA page_size = 512; PRAGMA auto_vacuum = 1" };

	(void)state;
	for (size_t i = 0; i < sizeof(pragmas) / sizeof(pragmas[0]); i++) {
		sqlite3 *db = make(pragmas[i], 20000, 0);

		expect_all(db, 20000);
		sqlite3_close(db);
	}
}

/* NULL at the end of a row need not be stored: the loader leaves it out. */
static void test_short(void **state)
{
	sqlite3 *db = make("PRAGMA page_size = 1024", 5000, 0);

	(void)state;
	execute(db,
			"ALTER TABLE block_event DROP COLUMN process;"
			"ALTER TABLE block_event DROP COLUMN ended_id;"
			"ALTER TABLE block_event ADD COLUMN ended_id;"
			"UPDATE block_event SET ended_id = id - 1 WHERE id % 3 = 0");
	expect_all(db, 5000);
	sqlite3_close(db);
}

/* What is not plain comes from SQLite, as it has it: single rows, or all of the table. */
static void test_odd(void **state)
{
	static const char *const others[] = {
		"DROP TABLE block_event; CREATE TABLE block_event (id INTEGER PRIMARY KEY, op, ts_ns, "
		"thread_id, address, size, type_id, allocator_id, instance, ended_id)",
		"DROP TABLE block_event; CREATE TABLE block_event (id INT PRIMARY KEY, ts_ns, op, "
		"thread_id, address, size, type_id, allocator_id, instance, ended_id) WITHOUT ROWID",
		"DROP TABLE block_event; CREATE TABLE block_event (id INT PRIMARY KEY, ts_ns, op, "
		"thread_id, address, size, type_id, allocator_id, instance, ended_id)",
		"DROP TABLE block_event; CREATE TABLE block_event (id INTEGER PRIMARY KEY, ts_ns, op, "
		"thread_id, address, size AS (op + 1), type_id, allocator_id, instance, ended_id)",
		"ALTER TABLE block_event RENAME TO other; CREATE VIEW block_event AS SELECT * FROM other",
		"ALTER TABLE block_event ADD COLUMN more",
		"ALTER TABLE block_event DROP COLUMN ended_id; ALTER TABLE block_event ADD COLUMN "
		"ended_id DEFAULT 5",
		"ALTER TABLE block_event DROP COLUMN process; ALTER TABLE block_event DROP COLUMN "
		"ended_id; ALTER TABLE block_event ADD COLUMN ended_id DEFAULT 5",
		"PRAGMA journal_mode = WAL",
	};
	sqlite3 *db = make("PRAGMA page_size = 1024", 5000, 50);

	(void)state;
	assert_true(compare(db, 1, last_id(db)) > 1000);
	compare_ranges(db);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		sqlite3_close(db);
		db = make("PRAGMA page_size = 1024", 500, 0);
		execute(db, others[i]);
		if (strncmp(others[i], "DROP", 4) == 0) {
			execute(db,
					"INSERT INTO block_event (id, ts_ns, op, address, allocator_id) "
					"VALUES (1, 9, 0, 8, 3), (4, 10, 2, 16, 3)");
			assert_int_equal(compare(db, 1, 10), 2);
		} else {
			assert_true(compare(db, 1, last_id(db)) > 100);
		}
	}
	execute(db, "PRAGMA journal_mode = DELETE; DELETE FROM block_event");
	assert_int_equal(compare(db, 1, 10), 0);
	sqlite3_close(db);
}

/* Reads all there is: ids ascend, and it ends. */
static void read_damaged(void)
{
	sqlite3 *db = open_file();
	struct recording recording = recording_of(db);
	struct diag diag = { 0 };
	struct block_rows *rows = block_rows_open(&recording, 1, INT64_MAX, &diag);
	struct block_row row;
	int64_t before = 0;

	while (rows && block_rows_next(rows, &row, &diag)) {
		assert_true(row.id > before);
		before = row.id;
	}
	block_rows_close(rows);
	sqlite3_close(db);
}

static void test_damaged(void **state)
{
	sqlite3 *db = make("PRAGMA page_size = 512", 300, 0);
	struct stat about;
	uint8_t *image;
	FILE *file;

	(void)state;
	sqlite3_close(db);
	assert_int_equal(stat(scratch.path, &about), 0);
	image = malloc((size_t)about.st_size);
	assert_non_null(image);
	for (int i = 0; i < DAMAGED; i++) {
		int bytes = 1 + (int)(next_random(&seed) % 20);

		file = fopen(scratch.path, "r+b");
		assert_non_null(file);
		if (i == 0) {
			assert_int_equal(fread(image, 1, (size_t)about.st_size, file),
					about.st_size);
			rewind(file);
		}
		assert_int_equal(fwrite(image, 1, (size_t)about.st_size, file), about.st_size);
		for (int k = 0; k < bytes; k++) {
			/* Pages begin with what is worth most. */
			long at = (long)(next_random(&seed) % (uint64_t)about.st_size);

			at = k % 2 ? at : at / 512 * 512 + at % 16;
			(void)fseek(file, at, SEEK_SET);
			(void)fputc((int)(next_random(&seed) % 256), file);
		}
		(void)fclose(file);
		read_damaged();
	}
	free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_odd),
		cmocka_unit_test(test_damaged),
	};
	int failed;

	seed = first_seed();
	if (!scratch_open(&scratch, "block_rows")) {
		return 1;
	}
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	scratch_close(&scratch);
	return failed;
}
