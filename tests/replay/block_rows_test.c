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
#include "packed_block.h"
#include "recording_internal.h"
#include "schema_sql.h"
#include "scratch.h"
#include "table_pages.h"
#include "xorshift.h"

#define RUNTIME 7
#define THREADS 200
#define KINDS 300
#define MADE 64
#define DAMAGED 300

/* The schema's own, but for tables that take anything. */
#define MAKE_TABLES                                                                              \
	"DROP TABLE thread; CREATE TABLE thread (id INTEGER PRIMARY KEY, runtime_id, more);"     \
	"DROP TABLE packed_block; CREATE TABLE packed_block (word, place, more);"                \
	"DROP TABLE packed_block_kind; CREATE TABLE packed_block_kind (id INTEGER PRIMARY KEY, " \
	"thread_id, type_id, allocator_id, instance, process, zone);"                            \
	"DROP TABLE packed_block_time; CREATE TABLE packed_block_time (from_id INTEGER PRIMARY KEY, ts_ns);"

static const char *const names[] = { "word", "place" };

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
static void bind_odd(sqlite3_stmt *row)
{
	switch (next_random(&seed) % 3) {
	case 0:
		(void)sqlite3_bind_text(row, 2, "12", -1, SQLITE_STATIC);
		break;
	case 1:
		(void)sqlite3_bind_double(row, 3, 3.5);
		break;
	default:
		(void)sqlite3_bind_zeroblob(row, 4, 100000);
		break;
	}
}

static void run(sqlite3_stmt *row)
{
	assert_int_equal(sqlite3_step(row), SQLITE_DONE);
	(void)sqlite3_reset(row);
	(void)sqlite3_clear_bindings(row);
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *row = NULL;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &row, NULL), SQLITE_OK);
	return row;
}

static void fill_kinds(sqlite3 *db)
{
	sqlite3_stmt *row = prepare(db, "INSERT INTO packed_block_kind VALUES (?,?,?,?,?,?,?)");

	for (int i = 1; i < KINDS; i++) {
		for (int k = 2; k <= 6; k++) {
			bind_any(row, k);
		}
		(void)sqlite3_bind_int64(row, 1, i);
		if (i % 4 > 0) {
			(void)sqlite3_bind_int64(row, 2, (int64_t)(next_random(&seed) % 500));
		}
		(void)sqlite3_bind_int64(row, 7, (int64_t)next_random(&seed) >> (26 + i % 30));
		run(row);
	}
	sqlite3_finalize(row);
}

/* A row that is not packed; one that makes a block has an address and a size. */
static void fill_unpacked(sqlite3_stmt *row, int64_t id, bool is_made)
{
	for (int k = 2; k <= 11; k++) {
		bind_any(row, k);
	}
	(void)sqlite3_bind_int64(row, 1, id);
	if (is_made) {
		(void)sqlite3_bind_int64(row, 5, 8 + id);
		(void)sqlite3_bind_int64(row, 6, (int64_t)(next_random(&seed) % 1000000));
	}
	run(row);
}

/* A packed row; `ended`: what it ends, 0: nothing. */
static void fill_packed(sqlite3_stmt *row, int64_t id, int64_t ended)
{
	uint64_t random = next_random(&seed);
	int64_t kind = 1 + (int64_t)(random % (KINDS - 1));
	int64_t low = (int64_t)(random >> 16 & ((1 << PACKED_SIZE_AT) - 1));
	int64_t size = (int64_t)(random >> 40) &
			((1 << (ended ? PACKED_MORE_BITS : PACKED_SIZE_BITS)) - 1);

	/* What makes a block that may end has a size. */
	size = ended || size > 0 ? size : 1;
	(void)sqlite3_bind_int64(row, 1, id);
	(void)sqlite3_bind_int64(row, 2,
			kind << (ended ? PACKED_END_KIND_AT : PACKED_KIND_AT) |
					size << PACKED_SIZE_AT | low);
	(void)sqlite3_bind_int64(row, 3,
			ended ? id - ended
			      : -1 -
							(int64_t)(next_random(&seed) %
									(1 << (PACKED_ZONE_BITS -
											 PACKED_ALIGN_BITS))));
}

/* Rows with gaps between their ids; `odd`: one of so many is odd, 0: none. */
static void fill(sqlite3 *db, int count, unsigned int odd)
{
	sqlite3_stmt *packed = prepare(
			db, "INSERT INTO packed_block(rowid, word, place, more) VALUES (?,?,?,?)");
	sqlite3_stmt *other =
			prepare(db, "INSERT INTO unpacked_block VALUES (?,?,?,?,?,?,?,?,?,?,?)");
	sqlite3_stmt *since = prepare(db, "INSERT INTO packed_block_time VALUES (?,?)");
	int64_t made[MADE] = { 0 };
	int64_t id = 0;

	execute(db, "BEGIN");
	for (int i = 0; i < THREADS; i++) {
		char sql[80];

		(void)sqlite3_snprintf(sizeof(sql), sql, "INSERT INTO thread VALUES (%d, %s, 0)",
				i * 2,
				i % 3 == 0		     ? "7"
						: i % 3 == 1 ? "8"
							     : "NULL");
		execute(db, sql);
	}
	fill_kinds(db);
	for (int i = 0; i < count; i++) {
		int64_t ended = made[next_random(&seed) % MADE];
		bool is_odd = odd && next_random(&seed) % odd == 0;

		id += 1 + (next_random(&seed) % 16 == 0 ? (int64_t)(next_random(&seed) % 300) : 0);
		if (i == 0 || next_random(&seed) % 500 == 0) {
			(void)sqlite3_bind_int64(since, 1, id);
			(void)sqlite3_bind_int64(since, 2, (int64_t)next_random(&seed) >> 2);
			run(since);
		}
		if (next_random(&seed) % 20 == 0) {
			(void)sqlite3_bind_int64(packed, 1, id);
			fill_unpacked(other, id, i % 2);
			ended = i % 2 ? 0 : -1;
		} else {
			ended = i % 2 ? ended : 0;
			fill_packed(packed, id, ended);
		}
		if (is_odd) {
			bind_odd(packed);
		}
		run(packed);
		if (ended == 0 && !is_odd) {
			made[next_random(&seed) % MADE] = id;
		}
	}
	sqlite3_finalize(packed);
	sqlite3_finalize(other);
	sqlite3_finalize(since);
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
		/* Of a block that ends any address but 0. */
		assert_int_equal(row.address != 0, sqlite3_column_int64(wanted, 7) != 0);
		assert_true(row.address == sqlite3_column_int64(wanted, 7) || row.ended > 0);
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
	execute(db, "PRAGMA synchronous = 0; BEGIN");
	execute(db, schema_sql);
	execute(db, MAKE_TABLES "COMMIT");
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
	struct table_pages *pages = table_pages_open(db, "packed_block", names, 2, 1, last);
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
			"BEGIN; CREATE TABLE kept AS SELECT rowid AS id, word, place FROM packed_block;"
			"DROP TABLE packed_block; CREATE TABLE packed_block (word);"
			"INSERT INTO packed_block(rowid, word) SELECT id, word FROM kept;"
			"ALTER TABLE packed_block ADD COLUMN place;"
			"UPDATE packed_block SET place = k.place FROM kept AS k "
			"WHERE k.id = packed_block.rowid AND k.place IS NOT NULL; COMMIT");
	expect_all(db, 5000);
	sqlite3_close(db);
}

/* What is not plain comes from SQLite, as it has it: single rows, or all of the table. */
static void test_odd(void **state)
{
	/* `kept` has the rows. */
	static const char *const others[] = {
		"CREATE TABLE packed_block (place, word)",
		"CREATE TABLE packed_block (rowid INTEGER PRIMARY KEY, word, place)",
		"CREATE TABLE packed_block (rowid INT PRIMARY KEY, word, place) WITHOUT ROWID",
		"CREATE TABLE packed_block (word, place, other AS (word + 1))",
		"CREATE TABLE packed_block (word, other AS (word + 1), place)",
		"CREATE TABLE packed_block (word, place DEFAULT 5)",
		"CREATE TABLE packed_block (word, place, more, further)",
		"CREATE TABLE packed_block (word, place); PRAGMA journal_mode = WAL",
	};
	sqlite3 *db = make("PRAGMA page_size = 1024", 5000, 50);

	(void)state;
	assert_true(compare(db, 1, last_id(db)) > 1000);
	compare_ranges(db);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		sqlite3_close(db);
		db = make("PRAGMA page_size = 1024", 500, 0);
		execute(db,
				"CREATE TABLE kept AS SELECT rowid AS id, word, place FROM packed_block;"
				"DROP TABLE packed_block");
		execute(db, others[i]);
		execute(db, "INSERT INTO packed_block(rowid, word, place) SELECT id, word, place FROM kept");
		assert_true(compare(db, 1, last_id(db)) > 100);
		compare_ranges(db);
	}
	/* A kind, or a time, that is not there. */
	sqlite3_close(db);
	db = make("PRAGMA page_size = 1024", 500, 0);
	execute(db, "DELETE FROM packed_block_kind WHERE id % 50 = 7");
	(void)compare(db, 1, last_id(db));
	execute(db, "DELETE FROM packed_block_time WHERE from_id = 1");
	(void)compare(db, 1, last_id(db));
	execute(db, "DELETE FROM packed_block");
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
