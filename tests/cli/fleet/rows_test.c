/*
 * SPDX-License-Identifier: MIT
 *
 * Rows as ClickHouse reads them, and pushes in files: whole, cut off anywhere, and with wrong
 * numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fleet_schema.h"
#include "push_file.h"
#include "push_hours.h"
#include "push_minutes.h"

static void fill(struct row_text *text)
{
	row_begin(text);
	row_string(text, "a\tb\\\n", 5);
	row_null(text, true);
	row_null(text, false);
	row_number(text, 300, 8);
	row_number(text, 7, 4);
	row_null(text, false);
	row_real(text, 0.5);
	row_end(text);
}

static void tsv_is_escaped_and_signed(void **state)
{
	struct row_text text = { .format = ROW_TSV };
	const char wanted[] = "1152921504606846977\ta\\tb\\\\\\n\t\\N\t300\t7\t0.5\n";

	(void)state;
	fill(&text);
	row_text_sign(&text, UINT64_C(1152921504606846977));
	assert_int_equal(text.length, strlen(wanted));
	assert_memory_equal(text.bytes, wanted, text.length);
	row_text_finish(&text);
}

static void binary_is_little_endian(void **state)
{
	struct row_text text = { .format = ROW_BINARY };
	const unsigned char wanted[] = { 0x02, 1, 0, 0, 0, 0, 0, 0, 5, 'a', '\t', 'b', '\\', '\n',
		1, 0, 0x2c, 1, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f };
	char long_text[200];

	(void)state;
	fill(&text);
	row_text_sign(&text, 0x102);
	assert_int_equal(text.length, sizeof(wanted));
	assert_memory_equal(text.bytes, wanted, sizeof(wanted));

	memset(long_text, 'x', sizeof(long_text));
	row_string(&text, long_text, sizeof(long_text));
	assert_int_equal((unsigned char)text.bytes[sizeof(wanted)], 0xc8);
	assert_int_equal(text.bytes[sizeof(wanted) + 1], 1);
	row_text_finish(&text);
}

/* A file of one push in memory; free() frees it. */
static char *write_push(size_t *ret_length)
{
	struct push_rows rows = { .content = 77 };
	char *bytes = NULL;
	FILE *stream = open_memstream(&bytes, ret_length);

	assert_non_null(stream);
	fill(&rows.tables[PUSH_HOUR]);
	fill(&rows.tables[PUSH_RECORDING]);
	push_file_write(stream, &rows);
	assert_int_equal(fclose(stream), 0);
	push_rows_finish(&rows);
	return bytes;
}

static enum csc_status read_push(char *bytes, size_t length, struct push_rows *rows)
{
	struct diag diag = { 0 };
	bool is_end = false;
	FILE *stream = fmemopen(bytes, length, "r");
	enum csc_status status;

	assert_non_null(stream);
	status = push_file_read(stream, "file", rows, &is_end, &diag);
	assert_false(is_end);
	assert_int_equal(status == CSC_OK, !diag_is_set(&diag));
	(void)fclose(stream);
	return status;
}

/* A push as version 1 wrote it: minutes are rows, of two allocators. */
static char *write_old_push(enum row_format format, size_t *ret_length)
{
	const int64_t times[] = { 60, 120, 180, 3600, 3660 };
	struct push_rows rows = { .content = 77 };
	struct row_text *text = &rows.tables[PUSH_HOUR];
	char *bytes = NULL;
	FILE *stream = open_memstream(&bytes, ret_length);

	assert_non_null(stream);
	for (int i = 0; i < PUSH_TABLES; i++) {
		rows.tables[i].format = format;
	}
	for (int i = 0; i < 5; i++) {
		row_begin(text);
		row_number(text, 7, 8);
		for (int j = 0; j < 4; j++) {
			row_string(text, "a\tb", 3);
		}
		row_number(text, 8, 8);
		row_string(text, i < 2 ? "all" : "ets_alloc", i < 2 ? 3 : 9);
		row_number(text, (uint64_t)times[i], 4);
		for (int j = 0; j < POINT_FIGURES; j++) {
			row_null(text, j >= 3);
			if (j < 3) {
				row_number(text, (uint64_t)times[i] * 10, 8);
			}
		}
		row_end(text);
	}
	push_file_write(stream, &rows);
	assert_int_equal(fclose(stream), 0);
	push_rows_finish(&rows);
	bytes[strlen("carrierscope-push ")] = '1';
	return bytes;
}

/* The name of the table that version 1 had; no sum of bytes. */
static char *rename_table(char *bytes, size_t *length)
{
	static const char name[] = "alloc_minutes";
	static const char old_name[] = "alloc_point";
	char *at = memmem(bytes, *length, name, strlen(name));
	size_t less = strlen(name) - strlen(old_name);

	assert_non_null(at);
	memcpy(at, old_name, strlen(old_name));
	at += strlen(old_name);
	memmove(at, at + less, *length - less - (size_t)(at - bytes));
	*length -= less + strlen("sum 0123456789abcdef\n");
	return bytes;
}

static void files_of_version_1_are_folded(void **state)
{
	const enum row_format formats[] = { ROW_TSV, ROW_BINARY };
	const char tsv[] =
			"0000000000000000000\t7\ta\\tb\ta\\tb\ta\\tb\ta\\tb\t8\tall\t0\t[1,2]\t[600,1200,-1,-1,-1,-1]\t[]\n"
			"0000000000000000000\t7\ta\\tb\ta\\tb\ta\\tb\ta\\tb\t8\tets_alloc\t0\t[3]\t[1800,-1,-1]\t[]\n"
			"0000000000000000000\t7\ta\\tb\ta\\tb\ta\\tb\ta\\tb\t8\tets_alloc\t3600\t[0,1]\t[36000,36600,-1,-1,-1,-1]\t[]\n";

	(void)state;
	for (int i = 0; i < 2; i++) {
		size_t length = 0;
		char *bytes = write_old_push(formats[i], &length);
		struct push_rows rows;

		rename_table(bytes, &length);
		assert_int_equal(read_push(bytes, length, &rows), CSC_OK);
		assert_int_equal(rows.tables[PUSH_HOUR].row_count, 3);
		if (formats[i] == ROW_TSV) {
			assert_int_equal(rows.tables[PUSH_HOUR].length, strlen(tsv));
			assert_memory_equal(rows.tables[PUSH_HOUR].bytes, tsv, strlen(tsv));
		} else {
			/* The last row: an hour, two minutes, six figures and no bounds. */
			const unsigned char end[] = { 0x10, 0x0e, 0, 0, 2, 0, 1, 6, 0xa0, 0x8c, 0,
				0, 0, 0, 0, 0, 0xf8, 0x8e, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff,
				0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
				0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
				0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0 };

			assert_memory_equal(rows.tables[PUSH_HOUR].bytes +
							rows.tables[PUSH_HOUR].length - sizeof(end),
					end, sizeof(end));
		}
		push_rows_finish(&rows);
		/* Bytes that no push wrote: refused or read, within the text. */
		for (size_t j = 0; j < length; j++) {
			char byte = bytes[j];

			bytes[j] = (char)(byte ^ 0x40);
			if (read_push(bytes, length, &rows) == CSC_OK) {
				push_rows_sign(&rows);
			}
			push_rows_finish(&rows);
			bytes[j] = byte;
		}
		free(bytes);
	}
}

static void files_are_read_whole_or_not(void **state)
{
	struct push_rows rows;
	size_t length = 0;
	char *bytes = write_push(&length);

	(void)state;
	assert_int_equal(read_push(bytes, length, &rows), CSC_OK);
	assert_int_equal(rows.content, 77);
	assert_int_equal(rows.tables[PUSH_HOUR].row_count, 1);
	push_rows_sign(&rows);
	assert_int_equal(rows.tables[PUSH_HOUR].bytes[0], '1');
	push_rows_finish(&rows);

	for (size_t cut = 1; cut < length; cut++) {
		assert_int_equal(read_push(bytes, cut, &rows), CSC_ERROR);
		push_rows_finish(&rows);
	}

	/* A bit that is another one. */
	for (size_t i = 0; i < length * 8; i++) {
		bytes[i / 8] = (char)(bytes[i / 8] ^ 1 << i % 8);
		assert_int_equal(read_push(bytes, length, &rows), CSC_ERROR);
		push_rows_finish(&rows);
		bytes[i / 8] = (char)(bytes[i / 8] ^ 1 << i % 8);
	}

	free(bytes);
}

static void statements_are_filled_in(void **state)
{
	const char statement[] = "CREATE TABLE $db.$name(t)$on (ts) ENGINE = $engine(t)$ttl(ts)";
	struct fleet_layout layout = { .database = "d" };
	char *text = fleet_fill_in(statement, strlen(statement), &layout);

	(void)state;
	assert_string_equal(text, "CREATE TABLE d.t (ts) ENGINE = MergeTree()");
	free(text);
	layout = (struct fleet_layout){ .database = "d",
		.cluster = "c",
		.is_replicated = true,
		.keep_days = 90,
		.has_ttl = true };
	text = fleet_fill_in(statement, strlen(statement), &layout);
	assert_string_equal(text,
			"CREATE TABLE d.t_local ON CLUSTER c (ts) ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/d/t', '{replica}') TTL ts + INTERVAL 90 DAY");
	free(text);
}

static void lines_of_minutes_are_whole_or_none(void **state)
{
	const char *const wrong[] = { "", "\n", "7", "7\n", "x ets_alloc 1 2 3", "7 ets_alloc 1 2",
		"7 ets_alloc 1 2 -3", "7 ets_alloc 1 2 3 ", "7 ets_alloc 1 2 3x", "7 9 1 2 3",
		"-7 ets_alloc 1 2 3", "7 ets_alloc_whose_name_is_long 1 2 3" };
	struct push_minute minute;

	(void)state;
	assert_true(push_minute_read("1763877600 ets_alloc 1 2 3 sys_alloc 4 5 6\n", &minute));
	assert_int_equal(minute.ts, 1763877600);
	assert_int_equal(minute.count, 2);
	assert_string_equal(minute.figures[1].allocator, "sys_alloc");
	assert_int_equal(minute.figures[1].carriers, 4);
	assert_int_equal(minute.figures[0].blocks, 2);
	assert_int_equal(minute.figures[0].pool, 3);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_false(push_minute_read(wrong[i], &minute));
	}
}

static void hours_are_arrays(void **state)
{
	const int64_t known[POINT_FIGURES] = { 9, 9, 9, 5, 4, 5, -1, -1, -1 };
	const int64_t unbound[POINT_FIGURES] = { 8, -1, -1, 5, 5, 5, -1, -1, -1 };
	const char wanted[] =
			"0000000000000000000\t7200\t[0,59]\t[9,8,5,5,-1,-1]\t[9,-1,9,-1,4,5,5,5,-1,-1,-1,-1]\n";
	struct push_hour hour = { 0 };
	struct row_text text = { .format = ROW_TSV };

	(void)state;
	push_hour_end(&hour, &text);
	assert_int_equal(text.length, 0);
	row_begin(&text);
	assert_true(push_hour_add(&hour, 7201, known));
	assert_true(push_hour_add(&hour, 10799, unbound));
	assert_false(push_hour_add(&hour, 10800, known));
	push_hour_end(&hour, &text);
	assert_int_equal(text.length, strlen(wanted));
	assert_memory_equal(text.bytes, wanted, text.length);
	for (int i = 0; i < HOUR_MINUTES; i++) {
		assert_true(push_hour_add(&hour, 10800, known));
	}
	assert_false(push_hour_add(&hour, 10800, known));
	row_text_finish(&text);
}

static void arrays_are_counted(void **state)
{
	const int64_t numbers[] = { 1, -2 };
	const unsigned char wanted[] = { 2, 1, 0, 0, 0, 0, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0, 1, 1 };
	struct row_text text = { .format = ROW_BINARY };

	(void)state;
	row_array(&text, numbers, 2, 8);
	row_array(&text, numbers, 0, 8);
	row_array(&text, numbers, 1, 1);
	assert_int_equal(text.length, sizeof(wanted));
	assert_memory_equal(text.bytes, wanted, sizeof(wanted));
	row_text_finish(&text);
}

/* What `push` writes for a recording: 31 columns, which are their numbers here. */
static void put_identity(struct row_text *text, int columns)
{
	row_begin(text);
	for (int i = 0; i < columns; i++) {
		char column[16];

		row_string(text, column, (size_t)snprintf(column, sizeof(column), "c\t%d", i));
	}
	row_end(text);
}

static bool has(const struct row_text *text, const char *wanted)
{
	size_t length = strlen(wanted);

	for (size_t i = 0; i + length <= text->length; i++) {
		if (memcmp(text->bytes + i, wanted, length) == 0) {
			return true;
		}
	}
	return false;
}

static void minutes_have_the_names_of_their_node(void **state)
{
	const struct push_minute minutes[] = { { 119, 1, { { "ets_alloc", 90, 50, 10 } } },
		{ 125, 2, { { "ets_alloc", 80, 40, 0 }, { "sys_alloc", 5, 4, 0 } } } };
	struct push_rows identity = { 0 };
	struct push_rows rows;
	struct push_rows again;
	struct diag diag = { 0 };

	(void)state;
	put_identity(&identity.tables[PUSH_RECORDING], 30);
	assert_int_equal(push_minutes_make(&identity, minutes, 2, &rows, &diag), CSC_ERROR);
	push_rows_finish(&rows);
	push_rows_finish(&identity);
	put_identity(&identity.tables[PUSH_RECORDING], 31);
	assert_int_equal(push_minutes_make(&identity, minutes, 2, &rows, &diag), CSC_OK);
	assert_int_equal(push_minutes_make(&identity, minutes, 2, &again, &diag), CSC_OK);
	assert_int_equal(rows.content, again.content);
	assert_int_equal(rows.tables[PUSH_HOUR].row_count, 3);
	assert_int_equal(rows.tables[PUSH_RECORDING].row_count, 1);
	assert_true(has(&rows.tables[PUSH_HOUR],
			"\tc\\t1\tc\\t3\tc\\t4\tc\\t6\tc\\t7\tets_alloc\t0\t[1,2]\t[90,80,50,40,10,0]\t[]\n"));
	assert_true(has(&rows.tables[PUSH_HOUR], "\tall\t0\t[1,2]\t[90,85,50,44,10,0]\t[]\n"));
	assert_true(has(&rows.tables[PUSH_RECORDING],
			"\tc\\t1\tc\\t2\tc\\t3\tc\\t4\tc\\t5\tc\\t6\tc\\t7\t119\t125\tunknown\t\tMinutes"));
	assert_true(has(&rows.tables[PUSH_RECORDING],
			"\texact\t\\N\t\\N\t90\t\\N\t85\t85\t85\t44\t44\t44\t87\t0\t1\tc\\t27\t5\t\t\n"));
	push_rows_finish(&rows);
	push_rows_finish(&again);
	push_rows_finish(&identity);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tsv_is_escaped_and_signed),
		cmocka_unit_test(binary_is_little_endian),
		cmocka_unit_test(arrays_are_counted),
		cmocka_unit_test(hours_are_arrays),
		cmocka_unit_test(files_are_read_whole_or_not),
		cmocka_unit_test(files_of_version_1_are_folded),
		cmocka_unit_test(statements_are_filled_in),
		cmocka_unit_test(lines_of_minutes_are_whole_or_none),
		cmocka_unit_test(minutes_have_the_names_of_their_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
